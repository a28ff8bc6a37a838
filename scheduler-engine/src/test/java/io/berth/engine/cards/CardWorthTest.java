package io.berth.engine.cards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.berth.engine.journal.Journal;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardRequest;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The worth of free cards for the pods that are likely to come. */
class CardWorthTest {
  private static final int NODE = 0;

  private final CardTable table = new CardTable(new Journal(), () -> 64);

  private static WorkloadShape shape(double share, long milliCpu, int cards, int milliGpu) {
    return new WorkloadShape(share, milliCpu, cards, milliGpu, Set.of());
  }

  private double worth(long milliCpu, WorkloadShape... shapes) {
    FreeCards free = new FreeCards();
    table.read(NODE, free);
    return new CardWorth(new TargetWorkload(List.of(shapes)), table).of(free, milliCpu);
  }

  private void used(int card, int milliCores) {
    table.take(
        NODE,
        HeldCards.of(List.of(CardRequest.share("c", milliCores, 0)), Map.of("c", List.of(card))));
  }

  @Test
  void cardsThatTheWorkloadFills_areWorthWhatTheyHave_oneAndAHalfTimes() {
    table.put(NODE, CardInventory.of(Collections.nCopies(2, Card.of("T4"))));

    assertThat(worth(100_000, shape(1, 1_000, 1, 1_000))).isEqualTo(2_000 + 1_000);
  }

  @Test
  void whatNoPodFits_isWorthNothing() {
    table.put(NODE, CardInventory.of(Collections.nCopies(2, Card.of("T4"))));
    used(0, 600);
    used(1, 700);

    assertThat(worth(100_000, shape(1, 1_000, 1, 500))).isZero();
    assertThat(worth(100_000, shape(1, 1_000, 2, 1_000))).isZero();
    // 400 fits a pod of 350, which will use that much.
    assertThat(worth(100_000, shape(1, 1_000, 1, 350))).isEqualTo(400 + 175);
  }

  @Test
  void theNextPod_isWeightedByHowLikelyItIs() {
    table.put(NODE, CardInventory.of(List.of(Card.of("T4"))));
    used(0, 600);

    double worth = worth(100_000, shape(3, 0, 1, 400), shape(1, 0, 1, 800));

    assertThat(worth).isCloseTo(0.75 * 400 + 0.5 * 400, within(1e-9));
  }

  @Test
  void withoutTheCpuForIt_theGpuIsWorthLess_andNothingInTheEnd() {
    table.put(NODE, CardInventory.of(Collections.nCopies(4, Card.of("T4"))));
    WorkloadShape pod = shape(1, 8_000, 1, 1_000);

    assertThat(worth(32_000, pod)).isEqualTo(4_000 + 2_000);
    assertThat(worth(16_000, pod)).isEqualTo(4_000 + 1_000);
    assertThat(worth(7_999, pod)).isCloseTo(0.5 * 7_999 / 8, within(1e-9));
    assertThat(worth(0, pod)).isZero();
  }

  @Test
  void cardsOfOtherModels_areWorthNothingToPodsThatNameTheirs() {
    table.put(NODE, CardInventory.of(List.of(Card.of("T4"), Card.of("V100"))));

    assertThat(worth(9_000, new WorkloadShape(1, 0, 1, 1_000, Set.of("V100")))).isEqualTo(1_500);
    assertThat(worth(9_000, shape(1, 0, 1, 1_000))).isEqualTo(3_000);
  }

  @Test
  void nothingIsKnownOfTheWorkload_soNothingIsWorthMore() {
    table.put(NODE, CardInventory.of(List.of(Card.of("T4"))));

    assertThat(worth(9_000)).isZero();
  }
}
