package io.berth.engine.cards;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.journal.Journal;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The choice of a node's cards for a pod. */
class CardChooserTest {
  private static final int NODE = 0;

  private final CardTable table = new CardTable(new Journal(), () -> 64);
  private final CardWorth worth =
      new CardWorth(
          new TargetWorkload(
              List.of(
                  new WorkloadShape(3, 100, 1, 300, Set.of()),
                  new WorkloadShape(1, 100, 1, 1_000, Set.of()),
                  new WorkloadShape(1, 100, 2, 1_000, Set.of()))),
          table);

  private void cards(Card... cards) {
    table.put(NODE, CardInventory.of(List.of(cards)));
  }

  private void used(int card, int milliCores) {
    CardRequest request = CardRequest.share("c", milliCores, 0);
    table.take(NODE, HeldCards.of(List.of(request), Map.of("c", List.of(card))));
  }

  private static Card linked(String group, int numaNode) {
    return new Card("V100", 32_768, group, numaNode, true);
  }

  private Map<String, List<Integer>> chosen(PodCards demand, CardRules.Choice choice) {
    FreeCards free = new FreeCards();
    table.read(NODE, free);
    CardChooser chooser = new CardChooser(table);
    return chooser.choose(free, demand, choice, worth, 10_000) ? chooser.positions() : Map.of();
  }

  private static PodCards share(int milliCores) {
    return PodCards.of(CardRequest.share("c", milliCores, 0));
  }

  /** The filter asks for the best fit, and the policy's rule chooses later. */
  @ParameterizedTest
  @EnumSource
  void aNodeWithCardsForThePod_hasAChoiceByEachRule(CardRules.Choice choice) {
    Random random = new Random(3);
    int possible = 0;
    for (int node = 0; node < 2_000; node++) {
      table.put(NODE, CardInventory.of(randomCards(random)));
      FreeCards free = new FreeCards();
      table.read(NODE, free);
      PodCards demand =
          PodCards.of(
              CardRequest.whole("whole", 1 + random.nextInt(2)),
              CardRequest.share("share", 500, 1_024L * (1 + random.nextInt(32))),
              CardRequest.share("other", 400, 1_024L * (1 + random.nextInt(32))));
      CardChooser chooser = new CardChooser(table);
      boolean fits = chooser.choose(free, demand, CardRules.Choice.BEST_FIT, worth, 0);
      possible += fits ? 1 : 0;

      assertThat(chooser.choose(free, demand, choice, worth, 10_000))
          .as("%s of %s", demand, table.inventory(NODE))
          .isEqualTo(fits);
    }
    assertThat(possible).isBetween(500, 1_900);
  }

  private static List<Card> randomCards(Random random) {
    List<Card> cards = new ArrayList<>();
    int count = 2 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      long memory = random.nextBoolean() ? 16_384 : 32_768;
      cards.add(new Card("GPU-" + memory, memory, "", random.nextInt(2), true));
    }
    return cards;
  }

  @Test
  void bestFit_takesTheFullestCardThatFits_andSpreadTheEmptiest() {
    cards(Card.of("T4"), Card.of("T4"), Card.of("T4"));
    used(0, 300);
    used(1, 700);

    assertThat(chosen(share(300), CardRules.Choice.BEST_FIT)).containsEntry("c", List.of(1));
    assertThat(chosen(share(400), CardRules.Choice.BEST_FIT)).containsEntry("c", List.of(0));
    assertThat(chosen(share(300), CardRules.Choice.SPREAD)).containsEntry("c", List.of(2));
  }

  @Test
  void leastFragmentation_leavesWhatTheWorkloadCanUse() {
    cards(Card.of("T4"), Card.of("T4"));
    used(0, 300);
    used(1, 500);

    // 700 - 200 leaves room for one more pod of 300; so does 500 - 200, and it wastes less.
    assertThat(chosen(share(200), CardRules.Choice.LEAST_FRAGMENTATION))
        .containsEntry("c", List.of(1));
    // 500 - 400 would be useless; 700 - 400 is not.
    assertThat(chosen(share(400), CardRules.Choice.LEAST_FRAGMENTATION))
        .containsEntry("c", List.of(0));
  }

  @Test
  void topology_keepsCardsTogether_inTheSmallestGroupThatSuffices() {
    cards(
        linked("a", 0),
        linked("a", 0),
        linked("a", 0),
        linked("a", 0),
        linked("b", 1),
        linked("b", 1),
        linked("b", 1),
        linked("b", 1));
    used(5, 100);

    PodCards three = PodCards.of(CardRequest.whole("c", 3));
    assertThat(chosen(three, CardRules.Choice.TOPOLOGY)).containsEntry("c", List.of(4, 6, 7));
    PodCards four = PodCards.of(CardRequest.whole("c", 4));
    assertThat(chosen(four, CardRules.Choice.TOPOLOGY)).containsEntry("c", List.of(0, 1, 2, 3));
    PodCards one = PodCards.of(CardRequest.whole("c", 1));
    assertThat(chosen(one, CardRules.Choice.TOPOLOGY)).containsEntry("c", List.of(4));
    assertThat(chosen(share(500), CardRules.Choice.TOPOLOGY)).containsEntry("c", List.of(5));
    PodCards six = PodCards.of(CardRequest.whole("c", 6));
    assertThat(chosen(six, CardRules.Choice.TOPOLOGY).get("c")).contains(0, 1, 2, 3).hasSize(6);
  }

  @Test
  void withoutLinks_cardsOfOneNumaNodeAreKeptTogether() {
    cards(linked("", 0), linked("", 1), linked("", 0), linked("", 1), linked("", 1));

    PodCards two = PodCards.of(CardRequest.whole("c", 2));
    assertThat(chosen(two, CardRules.Choice.TOPOLOGY)).containsEntry("c", List.of(0, 2));
  }

  @ParameterizedTest
  @EnumSource(CardRules.Choice.class)
  void severalContainers_areGivenCardsThatSufficeForAll(CardRules.Choice choice) {
    cards(Card.of("T4"), Card.of("T4"), Card.of("T4"));
    used(1, 500);
    used(2, 400);
    PodCards demand =
        PodCards.of(
            CardRequest.share("small", 500, 0),
            CardRequest.share("large", 600, 0),
            CardRequest.whole("whole", 1));

    assertThat(chosen(demand, choice))
        .isEqualTo(Map.of("whole", List.of(0), "large", List.of(2), "small", List.of(1)));
  }

  @Test
  void memoryCounts_whereTheCardSaysHowMuchItHas() {
    cards(new Card("T4", 16_384, "", -1, true), Card.of("T4"));

    assertThat(chosen(PodCards.of(CardRequest.share("c", 0, 8_192)), CardRules.Choice.SPREAD))
        .containsEntry("c", List.of(0));
    assertThat(chosen(PodCards.of(CardRequest.share("c", 10, 20_000)), CardRules.Choice.SPREAD))
        .isEmpty();
  }

  @Test
  void whatIsHeldBeyondACard_leavesNothingFree_andComesBackWhole() {
    cards(Card.of("T4"));
    used(0, 800);
    used(0, 800);
    assertThat(chosen(share(1), CardRules.Choice.BEST_FIT)).isEmpty();
    assertThat(table.usedMilliCores(NODE, 0)).isEqualTo(1_600);
  }
}
