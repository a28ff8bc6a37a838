package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.QueueState;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PriorityClassModel;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.ResourceAmounts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pods that guarantees cover if other queues name other resources, and unmet guarantees. */
class QueueGuaranteesTest {
  private static final String GPU = "nvidia.com/gpu";
  private static final String CPU = ResourceAmounts.CPU;

  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void node() {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node("n").milliCpu(64_000).memoryBytes(1L << 40).allocatable(GPU, 8).build()));
  }

  private void queue(String name, Map<String, Long> guarantee, Map<String, Long> limit) {
    queue(name, "", guarantee, limit);
  }

  private void queue(
      String name, String parent, Map<String, Long> guarantee, Map<String, Long> limit) {
    cluster.apply(
        new ClusterEvent.QueueUpserted(
            new QueueModel(
                name,
                parent,
                ResourceAmounts.of(guarantee),
                ResourceAmounts.of(limit),
                1,
                0,
                Duration.ZERO,
                Set.of(name),
                LabelSelector.nothing())));
  }

  private Pods pod(String namespace, String name, long milliCpu, long gpus) {
    cluster.later(Duration.ofSeconds(1));
    Pods pod =
        Pods.pod(name)
            .ref(new PodRef(namespace, name, "uid-" + name))
            .createdAt(cluster.now())
            .milliCpu(milliCpu);
    return gpus == 0 ? pod : pod.asks(GPU, gpus);
  }

  private void create(Pods pod) {
    cluster.apply(new ClusterEvent.PodUpserted(pod.build()));
  }

  private void running(Pods pod) {
    create(pod.on("n").startedAt(Optional.of(cluster.now())));
  }

  private QueueState state(String queue) {
    return cluster.engine.queues().stream()
        .filter(state -> state.name().equals(queue))
        .findFirst()
        .orElseThrow();
  }

  private long borrowed(String queue, String resource) {
    return state(queue).borrowed().amountOf(resource);
  }

  @Test
  void guaranteeOfGpus_coversPods_whateverOtherQueuesName() {
    queue("gpus", Map.of(GPU, 6L), Map.of());
    queue("cpus", Map.of(CPU, 18_000L), Map.of());
    queue("few", Map.of(), Map.of(ResourceAmounts.PODS, 50L, ResourceAmounts.MEMORY, 1L << 40));
    running(pod("few", "borrower", 100, 8));
    create(pod("gpus", "owner", 100, 2));

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("borrower");
    assertThat(borrowed("gpus", GPU)).isZero();
    assertThat(borrowed("gpus", CPU)).isZero();
  }

  @Test
  void guaranteeOfCpus_coversNoGpus_ofWhichOtherQueuesAreGuaranteedSome() {
    queue("gpus", Map.of(GPU, 6L), Map.of());
    queue("cpus", Map.of(CPU, 18_000L), Map.of(ResourceAmounts.PODS, 50L));
    running(pod("cpus", "plain", 1_000, 0));
    running(pod("cpus", "with-gpu", 1_000, 1));

    assertThat(borrowed("cpus", CPU)).isEqualTo(1_000);
    assertThat(borrowed("cpus", GPU)).isEqualTo(1);
  }

  @Test
  void guaranteeOfGpus_coversNoPodWithoutAny() {
    queue("gpus", Map.of(GPU, 6L), Map.of());
    queue("cpus", Map.of(CPU, 18_000L), Map.of());
    running(pod("gpus", "plain", 1_000, 0));

    assertThat(borrowed("gpus", CPU)).isEqualTo(1_000);
  }

  @Test
  void guaranteeOfAParent_coversPodsOfItsParts_whateverOtherQueuesName() {
    queue("whole", Map.of(GPU, 4L), Map.of());
    queue("one", "whole", Map.of(GPU, 1L), Map.of());
    queue("two", "whole", Map.of(), Map.of());
    queue("cpus", Map.of(CPU, 18_000L), Map.of());
    running(pod("one", "own", 1_000, 1));
    running(pod("one", "of-parent", 1_000, 1));
    running(pod("two", "of-sibling", 1_000, 2));
    running(pod("two", "borrowed", 1_000, 1));

    assertThat(borrowed("one", GPU)).isEqualTo(1);
    assertThat(borrowed("whole", GPU)).isEqualTo(1);
    assertThat(borrowed("whole", CPU)).isEqualTo(1_000);
  }

  @Test
  void cardsThatAreCountedInTwoWays_areGuaranteedByEitherName() {
    queue("whole", Map.of(GPU, 1L), Map.of());
    queue("thousandths", Map.of(PodCards.MILLI_GPU, 1_000L), Map.of());
    running(pod("whole", "w1", 100, 1));
    running(pod("whole", "w2", 100, 1));
    running(pod("thousandths", "t1", 100, 1));
    running(pod("thousandths", "t2", 100, 1));
    running(
        pod("whole", "share", 100, 0).cards(PodCards.of(CardRequest.share("main", 300, 4_096))));

    assertThat(borrowed("whole", GPU)).isEqualTo(1);
    assertThat(borrowed("whole", PodCards.MILLI_GPU)).isEqualTo(1_300);
    assertThat(borrowed("thousandths", GPU)).isEqualTo(1);
    assertThat(borrowed("thousandths", PodCards.MILLI_GPU)).isEqualTo(1_000);
  }

  @Test
  void podThatIsNeverEvicted_starts_ifItRequestsNothingThatIsCounted() {
    queue("gpus", Map.of(GPU, 6L), Map.of());
    cluster.apply(
        new ClusterEvent.PriorityClassUpserted(
            PriorityClassModel.of("kept", 0).asNonPreemptible(OptionalInt.empty()),
            Optional.empty()));
    create(pod("gpus", "plain", 1_000, 0).priorityClass("kept"));

    assertThat(cluster.placed().pod().name()).isEqualTo("plain");
  }

  private void borrowedAll() {
    queue("a", Map.of(), Map.of());
    queue("b", Map.of(GPU, 4L), Map.of(GPU, 5L));
    running(pod("a", "borrower", 0, 8));
  }

  @Test
  void guarantee_isNotMet_whileNodesHaveNoRoomForAPodThatItCovers() {
    borrowedAll();
    create(pod("b", "owed", 100, 4).neverPreempts(true));
    cluster.unschedulable();

    assertThat(state("b").guaranteeMet()).isFalse();
  }

  @Test
  void guarantee_isMet_ifAPodWaitsForItsLimit() {
    borrowedAll();
    queue("b", Map.of(GPU, 4L), Map.of(GPU, 3L));
    create(pod("b", "held", 100, 4));
    cluster.unschedulable();

    assertThat(state("b").guaranteeMet()).isTrue();
  }

  @Test
  void guarantee_isMet_ifPodsOfLowerPriorityUseIt() {
    queue("a", Map.of(), Map.of());
    queue("b", Map.of(GPU, 4L), Map.of());
    running(pod("a", "borrower", 0, 4));
    running(pod("b", "low", 0, 4));
    create(pod("b", "high", 100, 4).priority(10).neverPreempts(true));
    cluster.unschedulable();

    assertThat(state("b").guaranteeMet()).isTrue();
  }

  @Test
  void guarantee_isMet_ifAPodSelectsNodesThatDoNotExist() {
    queue("b", Map.of(GPU, 4L), Map.of());
    create(
        pod("b", "elsewhere", 100, 4)
            .nodes(new NodeSelection(Map.of("zone", "x"), Optional.empty(), List.of())));
    Decision.Unschedulable waits = cluster.unschedulable();

    assertThat(state("b").guaranteeMet()).as(waits.message()).isTrue();
  }
}
