package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.QueueState;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.ResourceAmounts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queues that count GPU cards and shares of cards together. */
class QueueCardsTest {
  private static final Card CARD = new Card("0", "", Card.MILLI_CORES, 32_768, 0, "", -1, true);
  private static final Card BROKEN = new Card("1", "", Card.MILLI_CORES, 32_768, 0, "", -1, false);

  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void queueAndNodes() {
    cluster.apply(
        new ClusterEvent.QueueUpserted(
            new QueueModel(
                "team",
                "",
                ResourceAmounts.none(),
                ResourceAmounts.of(Map.of(PodCards.MILLI_GPU, 2_000L)),
                1,
                0,
                Duration.ZERO,
                Set.of("team"),
                LabelSelector.nothing())));
    described(CARD, CARD, BROKEN);
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node("counted")
                .milliCpu(64_000)
                .memoryBytes(1L << 40)
                .allocatable("nvidia.com/gpu", 2)
                .build()));
  }

  private void described(Card... cards) {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node("described")
                .milliCpu(64_000)
                .memoryBytes(1L << 40)
                .cards(List.of(cards))
                .build()));
  }

  private static Pods pod(String name) {
    return Pods.pod(name).ref(new PodRef("team", name, "uid-" + name));
  }

  private void bound(Pods pod) {
    cluster.apply(new ClusterEvent.PodUpserted(pod.build()));
  }

  private QueueState state() {
    return cluster.engine.queues().stream()
        .filter(queue -> queue.name().equals("team"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void sharesAndWholeCards_countInThousandths_andTheLimitHolds() {
    bound(pod("share").cards(PodCards.of(CardRequest.share("main", 300, 4_096))).on("described"));
    bound(pod("whole").asks("nvidia.com/gpu", 1).on("counted"));
    assertThat(state().used().amountOf(PodCards.MILLI_GPU)).isEqualTo(1_300);
    assertThat(state().share()).as("of two healthy and two counted cards").isEqualTo(0.325);

    bound(pod("next").cards(PodCards.of(CardRequest.whole("main", 1))));
    assertThat(cluster.unschedulable().message())
        .contains("queue team uses 1300 of 2000 " + PodCards.MILLI_GPU + ", and the pod requests");
  }

  @Test
  void share_isThatOfHealthyCards_alsoAfterTheirHealthChanges() {
    bound(pod("share").cards(PodCards.of(CardRequest.share("main", 300, 4_096))).on("described"));
    assertThat(state().share()).isEqualTo(0.075);

    described(CARD, BROKEN, BROKEN);

    assertThat(state().share()).as("of one healthy and two counted cards").isEqualTo(0.1);
  }
}
