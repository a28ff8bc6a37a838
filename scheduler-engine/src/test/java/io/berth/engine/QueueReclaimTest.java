package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PriorityClassModel;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.ResourceAmounts;
import io.berth.rules.label.LabelOperator;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods that take back what other queues borrow, and the room that is reserved for them. */
class QueueReclaimTest {
  private static final String GPU = "nvidia.com/gpu";

  /** The number of units that are judged in one turn. */
  private static final int TOGETHER = 32;

  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void twoQueuesOnOneNode() {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node("n").milliCpu(1_000_000).memoryBytes(1L << 40).allocatable(GPU, 4).build()));
    queue("a", 0);
    queue("b", 4);
  }

  private void queue(String name, long guarantee) {
    queue(name, guarantee, Set.of(name));
  }

  private void queue(String name, long guarantee, Set<String> namespaces) {
    cluster.apply(
        new ClusterEvent.QueueUpserted(
            new QueueModel(
                name,
                "",
                ResourceAmounts.of(Map.of(GPU, guarantee)),
                ResourceAmounts.none(),
                1,
                0,
                Duration.ZERO,
                namespaces,
                LabelSelector.nothing())));
  }

  private Pods request(String namespace, String name, long gpus) {
    return Pods.pod(name)
        .ref(new PodRef(namespace, name, "uid-" + name))
        .createdAt(cluster.now())
        .asks(GPU, gpus);
  }

  private PodModel create(String namespace, String name, long gpus, int priority) {
    return create(request(namespace, name, gpus).priority(priority));
  }

  private PodModel create(Pods pod) {
    cluster.later(Duration.ofSeconds(1));
    PodModel model = pod.build();
    cluster.apply(new ClusterEvent.PodUpserted(model));
    return model;
  }

  private PodModel running(String namespace, String name, long gpus) {
    return create(request(namespace, name, gpus).on("n").startedAt(Optional.of(cluster.now())));
  }

  /** It is within the guarantee, which its own reservation uses up. */
  @Test
  void podThatIsNeverEvicted_startsInItsReservedRoom() {
    PodModel borrower = running("a", "borrower", 4);
    cluster.apply(
        new ClusterEvent.PriorityClassUpserted(
            PriorityClassModel.of("kept", 0).asNonPreemptible(OptionalInt.empty()),
            Optional.empty()));
    create(request("b", "kept", 4).priorityClass("kept"));
    Decision.Nominated nominated = cluster.nominated();
    assertThat(nominated.victims()).containsExactly(borrower.ref());

    cluster.apply(new ClusterEvent.PodRemoved(borrower.ref()));

    assertThat(cluster.placed().pod().name()).isEqualTo("kept");
  }

  /** The reservation, which is use already, does not count as use once more. */
  @Test
  void podWithReservedRoom_isNext_asTheGuaranteeCoversIt() {
    PodModel borrower = running("a", "borrower", 4);
    create("b", "owner", 4, 0);
    cluster.nominated();
    create("a", "other", 1, 1_000);

    cluster.apply(new ClusterEvent.PodRemoved(borrower.ref()));

    assertThat(((Decision) cluster.next()).pod().name()).isEqualTo("owner");
  }

  /** As after a change of guarantees in a cluster in which nothing else happens. */
  @Test
  void everyKindOfPod_isTriedAgain_whenItsQueueMayReclaim() {
    queue("a", 4);
    queue("b", 0);
    running("a", "borrower", 4);
    create(request("b", "elsewhere", 1).label("app", "x").nodes(onlyOn("m")));
    create(request("b", "here", 1));
    cluster.decideAll(20, decision -> {});

    queue("a", 0);
    queue("b", 4);
    List<String> nominated = new ArrayList<>();
    cluster.decideAll(
        20,
        decision -> {
          if (decision instanceof Decision.Nominated found) {
            nominated.add(found.pod().name());
          }
        });

    assertThat(nominated).containsExactly("here");
  }

  @Test
  void newPod_doesNotWaitForAllKinds_thatAreTriedAgain() {
    queue("a", 4);
    queue("b", 0);
    running("a", "borrower", 4);
    for (int i = 0; i < 100; i++) {
      create(request("b", "elsewhere-" + i, 1).milliCpu(10 + i).nodes(onlyOn("m")));
    }
    cluster.decideAll(300, decision -> {});

    cluster.later(Duration.ofSeconds(2)); // after the round of kinds that might take nothing back
    queue("a", 0);
    queue("b", 4);
    for (int i = 0; i < 3; i++) {
      cluster.next(); // of the first kinds
    }
    create(request("b", "here", 1));
    List<String> tried = new ArrayList<>();
    cluster.decideAll(300, decision -> tried.add(decision.pod().name()));

    assertThat(tried.indexOf("here")).isBetween(20, 32);
  }

  /** Of the tenant with thousands of kinds, one is tried in each turn. */
  @Test
  void queueWithThousandsOfKinds_doesNotDelayAnother() {
    queue("a", 4);
    queue("b", 0);
    queue("c", 0);
    running("a", "borrower", 4);
    createKinds("b", 2_000);
    create(request("c", "elsewhere", 1).nodes(onlyOn("m")));
    create(request("c", "here", 1));
    cluster.decideAll(5_000, decision -> {});

    cluster.later(Duration.ofSeconds(2)); // after the round of kinds that might take nothing back
    queue("a", 0);
    queue("c", 4);
    List<String> tried = new ArrayList<>();
    cluster.decideAll(5_000, decision -> tried.add(decision.pod().name()));

    // After the oldest pods of two queues, among the first 32 kinds.
    assertThat(tried.indexOf("here")).isBetween(0, 33);
  }

  /** Each change of use would begin with the first kinds again, and never reach the last ones. */
  @Test
  void thousandsOfKinds_areTriedOnce_howeverOftenUseChangesMeanwhile() {
    queue("a", 0);
    queue("b", 4);
    running("a", "borrower", 4);
    createKinds("b", 2_000);
    cluster.decideAll(5_000, decision -> {});
    cluster.later(Duration.ofSeconds(1));
    Set<String> kinds = new HashSet<>();
    int attempts = 0;
    for (int change = 0; change < 200; change++) {
      cluster.apply(
          new ClusterEvent.PodUpserted(
              request("a", "other-" + change, 0)
                  .on("n")
                  .startedAt(Optional.of(cluster.now()))
                  .build()));
      for (int i = 0; i < 40; i++) {
        if (cluster.next() instanceof Decision decision) {
          kinds.add(decision.pod().name());
          attempts++;
        }
      }
    }

    assertThat(kinds).hasSize(2_000);
    assertThat(attempts).isLessThan(2 * 2_000);
    cluster.later(Duration.ofSeconds(1));
    List<String> later = new ArrayList<>();
    cluster.decideAll(5_000, decision -> later.add(decision.pod().name()));
    assertThat(later).hasSizeGreaterThan(1_900);
  }

  /** They are judged at every change of use, and cost a turn although none of them is tried. */
  @Test
  void kindsWithoutTheRightToReclaim_areJudgedSomeAtATime_andOnceASecond() {
    queue("a", 4);
    queue("b", 0);
    running("a", "owner", 4);
    createKinds("b", 2_000);
    cluster.decideAll(5_000, decision -> {});
    cluster.later(Duration.ofSeconds(2));
    use("first");

    int turns = 0;
    while (!isIdle()) {
      turns++;
    }
    assertThat(turns).isBetween(2_000 / TOGETHER, 100);

    use("second");
    assertThat(isIdle()).as("nothing is judged again within a second").isTrue();
    cluster.later(Duration.ofSeconds(2));
    assertThat(isIdle()).as("everything is judged again later").isFalse();
  }

  private void use(String name) {
    cluster.apply(
        new ClusterEvent.PodUpserted(
            request("a", name, 0).on("n").startedAt(Optional.of(cluster.now())).build()));
  }

  private boolean isIdle() {
    return cluster.next() instanceof Idle idle && !idle.until().isReached(cluster.now());
  }

  private void createKinds(String queue, int number) {
    for (int i = 0; i < number; i++) {
      create(request(queue, "kind-" + i, 1).milliCpu(10 + i).nodes(onlyOn("m")));
    }
  }

  private static NodeSelection onlyOn(String node) {
    Requirement name = new Requirement("metadata.name", LabelOperator.IN, List.of(node));
    return new NodeSelection(
        Map.of(), Optional.of(List.of(new NodeTerm(List.of(), List.of(name), false))), List.of());
  }

  @Test
  void dryRun_namesThePodsThatAGuaranteeWouldTakeBack_andEvictsNobody() throws IOException {
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(
                TestCluster.POLICY,
                new ObjectMapper()
                    .readValue(
                        "{\"preemption\": {\"mode\": \"DryRun\"}}", SchedulingPolicySpec.class))));
    PodModel borrower = running("a", "borrower", 4);
    create("b", "owner", 1, 0);

    Decision.Unschedulable decision = cluster.unschedulable();

    assertThat(decision.wouldEvict())
        .hasValue(new Decision.WouldEvict("n", List.of(borrower.ref())));
    assertThat(decision.message())
        .contains("preemption (dry run): n would have room without 1 pod of another namespace.");
    assertThat(cluster.engine.nominations().isEmpty()).isTrue();
  }

  @Test
  void podThatIsMovedToAnotherQueue_hasTheRightsOfThatQueue() {
    queue("a", 0, Set.of("a", "shared"));
    queue("b", 4, Set.of("shared"));
    PodModel borrower = running("a", "borrower", 4);
    PodModel pod = create(request("shared", "moved", 4).label(QueueModel.LABEL, "a"));
    assertThat(cluster.unschedulable().pod()).isEqualTo(pod.ref());

    create(Pods.from(pod).label(QueueModel.LABEL, "b"));

    assertThat(cluster.nominated().victims()).containsExactly(borrower.ref());
  }
}
