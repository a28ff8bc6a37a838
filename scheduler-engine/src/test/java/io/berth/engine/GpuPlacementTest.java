package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.policy.CardChoice;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.ResourceAmounts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Placement of pods that request GPU cards, or shares of them. */
class GpuPlacementTest {
  private final GpuCluster gpus = new GpuCluster(CardChoice.LEAST_FRAGMENTATION);

  @Test
  void aShare_hasToFitOnOneCard() {
    gpus.put(GpuCluster.node("n", GpuCluster.cards(2, "T4")).build());
    gpus.bind(GpuCluster.share("a", 600).build());
    gpus.bind(GpuCluster.share("b", 600).build());

    gpus.put(GpuCluster.share("c", 500).build());

    assertThat(gpus.cluster.unschedulable().message()).contains("1 Insufficient free GPU cards");
    assertThat(gpus.used()).containsEntry("n", List.of(600, 600));
  }

  @Test
  void wholeCards_areTakenFromOneNode_andOnlyWhereNobodyHoldsAnythingOfThem() {
    gpus.put(GpuCluster.node("small", GpuCluster.cards(2, "T4")).build());
    gpus.put(GpuCluster.node("large", GpuCluster.cards(4, "T4")).build());
    gpus.put(
        GpuCluster.share("s", 10)
            .on("large")
            .givenCards(Optional.of(new CardAssignment(Map.of("main", List.of("1")))))
            .build());

    Decision.Placed placed = gpus.bind(GpuCluster.whole("w", 3).build());

    assertThat(placed.nodeName()).isEqualTo("large");
    assertThat(GpuCluster.given(placed))
        .contains(new CardAssignment(Map.of("main", List.of("0", "2", "3"))));
  }

  @Test
  void sharesArePacked_soThatWholeCardsStayUsable() {
    gpus.put(GpuCluster.node("n", GpuCluster.cards(4, "T4")).build());
    gpus.bind(GpuCluster.whole("first", 1).build());
    for (int i = 0; i < 20; i++) {
      gpus.bind(GpuCluster.share("share-" + i, 100).build());
    }

    assertThat(gpus.used().get("n")).containsExactlyInAnyOrder(1_000, 1_000, 1_000, 0);
  }

  @Test
  void cardsOfOtherModels_andUnhealthyOnes_areNeverUsed() {
    gpus.put(
        GpuCluster.node("n", Card.of("T4"), new Card("V100", 0, "", -1, false), Card.of("V100"))
            .build());
    PodCards anyV100 = PodCards.of(CardRequest.whole("main", 1)).of(Set.of("V100"));

    Decision.Placed placed = gpus.bind(Pods.pod("v").cards(anyV100).build());
    gpus.put(Pods.pod("w").cards(anyV100).build());

    assertThat(GpuCluster.given(placed)).contains(new CardAssignment(Map.of("main", List.of("2"))));
    assertThat(gpus.cluster.unschedulable().message()).contains("Insufficient free GPU cards");
  }

  @Test
  void aModelThatNoNodeHas_andMoreCardsThanAnyNodeHas_areNamed() {
    gpus.put(GpuCluster.node("n", GpuCluster.cards(2, "T4")).build());

    gpus.put(
        Pods.pod("model").cards(PodCards.of(CardRequest.whole("c", 1)).of(Set.of("H900"))).build());
    assertThat(gpus.cluster.unschedulable().message()).contains("no GPU card of the models H900");

    gpus.put(GpuCluster.whole("many", 3).build());
    assertThat(gpus.cluster.unschedulable().message())
        .contains("too few or too small GPU cards for the pod");
  }

  @Test
  void nonsense_isRejectedInItsOwnWords_andTheNextPodIsPlaced() {
    gpus.put(GpuCluster.node("n", GpuCluster.cards(2, "T4")).build());

    gpus.put(
        Pods.pod("odd").cards(PodCards.impossible("150 cores are no share of a card")).build());
    assertThat(gpus.cluster.unschedulable().message()).contains("150 cores are no share of a card");

    assertThat(gpus.bind(GpuCluster.whole("next", 1).build()).nodeName()).isEqualTo("n");
  }

  @Test
  void aPodWhoseCardsNobodyKnows_closesItsNode_untilItIsGone() {
    gpus.put(GpuCluster.node("n", GpuCluster.cards(2, "T4")).build());
    PodModel stranger = GpuCluster.whole("stranger", 1).on("n").build();
    gpus.put(stranger);

    gpus.put(GpuCluster.share("s", 100).build());
    assertThat(gpus.cluster.unschedulable().message())
        .contains("had a pod whose GPU cards are unknown");

    gpus.cluster.apply(new ClusterEvent.PodRemoved(stranger.ref()));
    gpus.cluster.later(Duration.ofSeconds(30));
    assertThat(gpus.cluster.placed().nodeName()).isEqualTo("n");
  }

  private static final String MILLI_GPU = PodCards.MILLI_GPU;

  private static NodeModel reporting(int cards, ResourceAmounts sums) {
    return GpuCluster.node("n")
        .cards(CardInventory.of(List.of(GpuCluster.cards(cards, "T4"))).reporting(sums))
        .build();
  }

  /**
   * Returns a pod that requests 800 thousandths of a card, by the resource that nodes may report.
   */
  private static Pods mostOfACard(String name) {
    return Pods.pod(name)
        .milliCpu(100)
        .cards(
            PodCards.of(CardRequest.share("main", 800, 0))
                .requesting(ResourceAmounts.of(Map.of(MILLI_GPU, 800L))));
  }

  private void bindToCard(String name, int card) {
    gpus.put(
        mostOfACard(name)
            .priority(name.equals("low") ? -1 : 0)
            .on("n")
            .givenCards(
                Optional.of(new CardAssignment(Map.of("main", List.of(String.valueOf(card))))))
            .build());
  }

  @Test
  void sumsThatANodeReports_areKept_asItsKubeletDoes_whenCardsOfRunningPodsHaveGone() {
    gpus.put(reporting(8, ResourceAmounts.of(Map.of(MILLI_GPU, 8_000L))));
    bindToCard("two", 2);
    bindToCard("three", 3);
    gpus.put(reporting(1, ResourceAmounts.of(Map.of(MILLI_GPU, 1_000L))));

    gpus.put(mostOfACard("next").build());
    assertThat(gpus.cluster.unschedulable().message()).contains("Insufficient free GPU cards");

    gpus.cluster.apply(new ClusterEvent.PodRemoved(mostOfACard("two").build().ref()));
    gpus.cluster.apply(new ClusterEvent.PodRemoved(mostOfACard("three").build().ref()));
    gpus.cluster.later(Duration.ofSeconds(30));
    assertThat(gpus.cluster.placed().nodeName()).isEqualTo("n");
  }

  @Test
  void sumsThatANodeDoesNotReport_areNotCompared() {
    gpus.put(reporting(8, ResourceAmounts.none()));
    bindToCard("two", 2);
    bindToCard("three", 3);
    gpus.put(reporting(1, ResourceAmounts.of(Map.of("example.com/other", 0L))));

    assertThat(gpus.bind(mostOfACard("next").build()).nodeName()).isEqualTo("n");
  }

  @Test
  void podThatIsLargerThanTheReportedSum_isNeverPlaced() {
    gpus.put(reporting(1, ResourceAmounts.of(Map.of(MILLI_GPU, 0L))));

    gpus.put(mostOfACard("next").build());

    assertThat(gpus.cluster.unschedulable().message())
        .contains("too few or too small GPU cards for the pod");
  }

  @Test
  void podThatHoldsACardThatHasGone_isEvicted_ifItsPartOfTheSumIsNeeded() {
    gpus.put(reporting(8, ResourceAmounts.of(Map.of(MILLI_GPU, 8_000L))));
    bindToCard("low", 2);
    gpus.put(reporting(1, ResourceAmounts.of(Map.of(MILLI_GPU, 1_000L))));

    gpus.put(mostOfACard("next").build());

    assertThat(gpus.cluster.next())
        .isInstanceOfSatisfying(
            Decision.Nominated.class,
            nominated ->
                assertThat(nominated.victims()).extracting(PodRef::name).containsExactly("low"));
  }

  @Test
  void podsWithoutGpu_areKeptOffFreeCards_whileOthersHaveRoom() {
    gpus.put(GpuCluster.node("a-gpu", GpuCluster.cards(2, "T4")).build());
    gpus.put(GpuCluster.node("plain").build());
    gpus.bind(GpuCluster.whole("w", 1).build());

    for (int i = 0; i < 20; i++) {
      assertThat(gpus.bind(Pods.pod("cpu-" + i).milliCpu(3_000).build()).nodeName())
          .isEqualTo("plain");
    }
    gpus.bind(Pods.pod("rest").milliCpu(4_000).build());
    assertThat(gpus.bind(Pods.pod("more").milliCpu(4_000).build()).nodeName()).isEqualTo("a-gpu");
  }

  @Test
  void podsWithoutGpu_areKeptOffCountedCardsToo_whileOthersHaveRoom() {
    gpus.put(GpuCluster.node("a-gpu").allocatable("nvidia.com/gpu", 2).build());
    gpus.put(GpuCluster.node("plain").build());

    for (int i = 0; i < 21; i++) {
      assertThat(gpus.bind(Pods.pod("cpu-" + i).milliCpu(3_000).build()).nodeName())
          .isEqualTo("plain");
    }
    assertThat(gpus.bind(Pods.pod("more").milliCpu(4_000).build()).nodeName()).isEqualTo("a-gpu");
  }

  @Test
  void aPreemptor_evictsThePodsWhoseCardsTogetherMakeRoomOnOneNode() {
    gpus.put(GpuCluster.node("n1", GpuCluster.cards(2, "T4")).build());
    gpus.put(GpuCluster.node("n2", GpuCluster.cards(2, "T4")).build());
    put("n1-low", "n1", 0, 0);
    put("n1-high", "n1", 1, 1_000);
    put("n2-a", "n2", 0, 0);
    put("n2-b", "n2", 1, 0);

    gpus.put(GpuCluster.whole("p", 2).priority(500).build());

    Decision.Nominated nominated = gpus.cluster.nominated();
    assertThat(nominated.nodeName()).isEqualTo("n2");
    assertThat(nominated.victims())
        .extracting(PodRef::name)
        .containsExactlyInAnyOrder("n2-a", "n2-b");
  }

  @Test
  void aPreemptorForAShare_evictsOnlyWhoHoldsOneCard() {
    gpus.put(GpuCluster.node("n", GpuCluster.cards(2, "T4")).build());
    put("older", "n", 0, 0);
    put("younger", "n", 1, 0);

    gpus.put(GpuCluster.share("p", 500).priority(500).build());

    assertThat(gpus.cluster.nominated().victims()).hasSize(1);
  }

  @Test
  void roomBesideANominatedPod_isAnotherOnce_itsPolicyChoosesOtherCards() {
    gpus.serve("promised", CardChoice.BEST_FIT);
    gpus.put(GpuCluster.node("n", GpuCluster.cards(2, "T4")).build());
    gpus.put(
        GpuCluster.share("s", 500)
            .on("n")
            .givenCards(Optional.of(new CardAssignment(Map.of("main", List.of("0")))))
            .build());
    gpus.put(
        GpuCluster.share("promised", 500)
            .policy("promised")
            .gates("wait")
            .priority(500)
            .nominatedNode("n")
            .build());

    gpus.put(GpuCluster.whole("first", 1).neverPreempts(true).build());
    assertThat(gpus.cluster.placed().nodeName()).isEqualTo("n");
    gpus.cluster.apply(new ClusterEvent.PodRemoved(GpuCluster.whole("first", 1).build().ref()));

    gpus.serve("promised", CardChoice.SPREAD);
    gpus.put(GpuCluster.whole("second", 1).neverPreempts(true).build());
    assertThat(gpus.cluster.unschedulable().message()).contains("1 Insufficient free GPU cards");
  }

  private void put(String name, String nodeName, int card, int priority) {
    gpus.put(
        GpuCluster.whole(name, 1)
            .priority(priority)
            .on(nodeName)
            .givenCards(
                Optional.of(new CardAssignment(Map.of("main", List.of(String.valueOf(card))))))
            .build());
  }
}
