package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.QueueState;
import io.berth.engine.api.WaitCause;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.Controller;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.ResourceAmounts;
import io.berth.rules.label.LabelOperator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Queues of tenants: limits, guarantees, shares, and who gives way, as in docs/queues.md. */
class QueuesTest {
  private static final String GPU = "nvidia.com/gpu";

  private final TestCluster cluster = new TestCluster();
  private int created;

  private void queue(String name, long guarantee, long limit, int weight, int priority) {
    queue(name, "", guarantee, limit, weight, priority, Duration.ZERO);
  }

  private void queue(
      String name,
      String parent,
      long guarantee,
      long limit,
      int weight,
      int priority,
      Duration minRunTime) {
    cluster.apply(
        new ClusterEvent.QueueUpserted(
            new QueueModel(
                name,
                parent,
                ResourceAmounts.of(Map.of(GPU, guarantee)),
                limit < 0 ? ResourceAmounts.none() : ResourceAmounts.of(Map.of(GPU, limit)),
                weight,
                priority,
                minRunTime,
                Set.of(name),
                LabelSelector.nothing())));
  }

  private void node(String name, long gpus) {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node(name)
                .milliCpu(1_000_000)
                .memoryBytes(1L << 40)
                .allocatable(GPU, gpus)
                .build()));
  }

  private Pods pod(String namespace, String name, long gpus, int priority) {
    return Pods.pod(name)
        .ref(new PodRef(namespace, name, "uid-" + name))
        .createdAt(cluster.now().plusMillis(created++))
        .priority(priority)
        .asks(GPU, gpus);
  }

  private PodModel create(String namespace, String name, long gpus) {
    return create(pod(namespace, name, gpus, 0));
  }

  private PodModel create(Pods pod) {
    PodModel model = pod.build();
    cluster.apply(new ClusterEvent.PodUpserted(model));
    return model;
  }

  /** Creates a pod that runs on a node since now. */
  private PodModel running(String namespace, String name, long gpus, int priority) {
    cluster.later(Duration.ofSeconds(1));
    return create(
        pod(namespace, name, gpus, priority).on("n").startedAt(Optional.of(cluster.now())));
  }

  private List<String> placedNames(int most) {
    List<String> names = new ArrayList<>();
    cluster.decideAll(
        most,
        decision -> {
          if (decision instanceof Decision.Placed placed) {
            names.add(placed.pod().name());
            cluster.apply(new ClusterEvent.BindingConfirmed(placed.pod()));
          }
        });
    return names;
  }

  private QueueState state(String queue) {
    return cluster.engine.queues().stream()
        .filter(state -> state.name().equals(queue))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void pod_isHeldWithNumbers_aboveTheLimitOfItsQueue() {
    node("n", 100);
    queue("training", 0, 64, 1, 0);
    running("training", "a", 60, 0);
    create("training", "b", 8);
    create("training", "c", 4);

    Decision.Unschedulable held = cluster.unschedulable();
    assertThat(held.pod().name()).isEqualTo("b");
    assertThat(held.cause()).isEqualTo(WaitCause.HELD_BY_QUEUE);
    assertThat(held.message())
        .isEqualTo(
            "queue training uses 60 of 64 nvidia.com/gpu, and the pod requests 8 more; 1 other pod"
                + " or group of the queue with the same or a higher priority waits, too. It starts"
                + " when enough pods of the queue have ended");
    assertThat(cluster.placed().pod().name()).isEqualTo("c");
    assertThat(state("training").pending().firstWaits()).contains("64 of 64 nvidia.com/gpu");
  }

  @Test
  void heldPod_saysHowManyOthersWait() {
    node("n", 100);
    queue("org", 0, 8, 1, 0);
    queue("team", "org", 0, 4, 1, 0, Duration.ZERO);
    queue("other", "org", 0, -1, 1, 0, Duration.ZERO);
    running("team", "a", 4, 0);
    create(pod("team", "low", 1, 0));
    create(pod("team", "first", 1, 10));
    create(pod("team", "second", 1, 10));
    create(pod("team", "third", 1, 20));
    Map<String, String> messages = new HashMap<>();
    for (int i = 0; i < 4; i++) {
      Decision.Unschedulable held = cluster.unschedulable();
      messages.put(held.pod().name(), held.message());
    }

    assertThat(messages.get("third")).contains("the pod requests 1 more. It starts");
    assertThat(messages.get("first"))
        .contains(
            "requests 1 more; 2 other pods or groups of the queue with the same or a"
                + " higher priority wait, too. It starts");
    assertThat(messages.get("second"))
        .contains(
            "requests 1 more; 2 other pods or groups of the queue with the same or a"
                + " higher priority wait, too. It starts");
    assertThat(messages.get("low"))
        .contains(
            "requests 1 more; 3 other pods or groups of the queue with the same or a"
                + " higher priority wait, too. It starts");

    running("other", "b", 4, 0);
    create(pod("other", "c", 1, 50));
    assertThat(cluster.unschedulable().message())
        .startsWith(
            "queue org uses 8 of 8 nvidia.com/gpu, and the pod requests 1 more; 4 other pods or"
                + " groups of the queue wait, too. It starts");
    for (int i = 0; i < 101; i++) {
      create(pod("other", "d" + i, 1, 50));
    }
    assertThat(cluster.unschedulable().message())
        .contains("; more than 100 other pods or groups of the queue wait, too. It starts");
  }

  /** Otherwise, the status of a queue would be written after each attempt. */
  @Test
  void reasonInTheStatus_isThatOfTheSamePod_whicheverWasTriedLast() {
    node("n", 4);
    queue("a", 0, -1, 1, 0);
    create("a", "large", 8);
    create(
        pod("a", "misplaced", 1, 0)
            .nodes(new NodeSelection(Map.of("zone", "none"), Optional.empty(), List.of())));
    cluster.decideAll(10, decision -> {});
    String reason = state("a").pending().firstWaits();
    assertThat(reason).contains("NodeResourcesFit");

    cluster.later(Duration.ofMinutes(6)); // waiting pods are tried again
    assertThat(cluster.unschedulable().pod().name()).isEqualTo("large");

    assertThat(state("a").pending().firstWaits()).isEqualTo(reason);
  }

  @Test
  void heldPod_isTriedAgain_whenAPodOfTheQueueEnds() {
    node("n", 100);
    queue("training", 0, 8, 1, 0);
    PodModel first = running("training", "a", 8, 0);
    create("training", "b", 8);
    assertThat(cluster.unschedulable().cause()).isEqualTo(WaitCause.HELD_BY_QUEUE);

    cluster.apply(new ClusterEvent.PodRemoved(first.ref()));

    assertThat(cluster.placed().pod().name()).isEqualTo("b");
  }

  /** Only as many are woken as there is room for: here one, which waits for its backoff. */
  @Test
  void heldPod_isTried_whenTheOneThatWasWokenIsDeletedBeforeItsTurn() {
    node("n", 100);
    queue("training", 0, 8, 1, 0);
    PodModel first = running("training", "a", 8, 0);
    PodModel woken = create("training", "b", 8);
    create("training", "c", 8);
    assertThat(placedNames(10)).isEmpty();

    cluster.apply(new ClusterEvent.PodRemoved(first.ref()));
    cluster.apply(new ClusterEvent.PodRemoved(woken.ref()));
    cluster.later(Duration.ofSeconds(20));

    assertThat(placedNames(10)).containsExactly("c");
  }

  @Test
  void limit_holdsForAllPartsTogether() {
    node("n", 100);
    queue("all", "", 0, 10, 1, 0, Duration.ZERO);
    queue("one", "all", 0, -1, 1, 0, Duration.ZERO);
    queue("two", "all", 0, -1, 1, 0, Duration.ZERO);
    create("one", "a", 6);
    create("two", "b", 6);

    assertThat(cluster.placed().pod().name()).isEqualTo("a");
    assertThat(cluster.unschedulable().message()).startsWith("queue all uses 6 of 10");
  }

  @Test
  void terminatingPod_countsAgainstTheLimit_butNotAsUse() {
    node("n", 100);
    queue("training", 0, 8, 1, 0);
    PodModel leaving = running("training", "a", 8, 0);
    cluster.apply(new ClusterEvent.PodUpserted(Pods.from(leaving).terminating(true).build()));
    create("training", "b", 8);

    assertThat(cluster.unschedulable().cause()).isEqualTo(WaitCause.HELD_BY_QUEUE);
    assertThat(state("training").used().amountOf(GPU)).isZero();
  }

  @Test
  void queueWithinItsGuarantee_isNext_whateverThePrioritiesOfPods() {
    node("n", 100);
    queue("a", 10, -1, 1, 0);
    queue("b", 10, -1, 1, 0);
    running("a", "a0", 10, 1_000);
    create(pod("a", "a1", 1, 1_000));
    create(pod("b", "b1", 1, 0));

    assertThat(placedNames(10)).containsExactly("b1", "a1");
  }

  @Test
  void queuesWithoutGuarantee_takeTurnsByWeightedShare() {
    node("n", 6);
    queue("a", 0, -1, 1, 0);
    queue("b", 0, -1, 2, 0);
    for (int i = 0; i < 6; i++) {
      create("a", "a" + i, 1);
      create("b", "b" + i, 1);
    }

    assertThat(placedNames(100).subList(0, 6)).containsExactly("b0", "a0", "b1", "b2", "a1", "b3");
  }

  @Test
  void queueOfHigherPriority_isNextBeyondGuarantees() {
    node("n", 2);
    queue("a", 0, -1, 1, 0);
    queue("b", 0, -1, 1, 1);
    create("a", "a0", 1);
    create("b", "b0", 1);
    create("b", "b1", 1);

    assertThat(placedNames(100).subList(0, 2)).containsExactly("b0", "b1");
  }

  @Test
  void guarantee_comesBackFromABorrower_evenOfHigherPriority() {
    node("n", 4);
    queue("a", 2, -1, 1, 0);
    queue("b", 2, -1, 1, 0);
    for (int i = 0; i < 4; i++) {
      running("a", "a" + i, 1, 1_000);
    }
    create("b", "b0", 1);

    Decision.Nominated nominated = cluster.nominated();
    assertThat(nominated.victims()).extracting(PodRef::name).containsExactly("a3");
    assertThat(state("a").used().amountOf(GPU)).isEqualTo(3);
    assertThat(state("b").used().amountOf(GPU)).isEqualTo(1);
  }

  @Test
  void coveredPod_isNotEvicted_forAPodOfAnotherQueue() {
    node("n", 4);
    queue("a", 4, -1, 1, 0);
    queue("b", 4, -1, 1, 5);
    for (int i = 0; i < 4; i++) {
      running("a", "a" + i, 1, 0);
    }
    create(pod("b", "b0", 1, 1_000));

    assertThat(cluster.unschedulable().cause()).isEqualTo(WaitCause.NO_ROOM);
  }

  @Test
  void queueWithNineTenthsOfTheShareOfAnother_takesOneMore() {
    node("n", 38);
    queue("a", 0, -1, 1, 0);
    queue("b", 0, -1, 1, 0);
    running("a", "large", 19, 0);
    running("a", "small", 1, 0);
    running("b", "other", 18, 0);

    create("b", "next", 1);

    assertThat(evictedNames()).containsExactly("small"); // 18 is exactly nine tenths of 20
  }

  @Test
  void queueWithMoreThanNineTenthsOfTheShareOfAnother_takesNothingFromIt() {
    node("n", 77);
    queue("a", 0, -1, 1, 0);
    queue("b", 0, -1, 1, 0);
    running("a", "large", 39, 0);
    running("a", "small", 1, 0);
    running("b", "other", 37, 0);

    create("b", "next", 1);

    assertThat(evictedNames()).isEmpty(); // although 38 of 39 would be closer than 37 of 40
  }

  @Test
  void shares_moveUntilTheyAreEqual_andNoFurther() {
    node("n", 10);
    queue("a", 2, -1, 1, 0);
    queue("b", 0, -1, 1, 0);
    for (int i = 0; i < 10; i++) {
      running("a", "a" + i, 1, 0);
    }
    for (int i = 0; i < 10; i++) {
      create("b", "b" + i, 1);
    }

    assertThat(evictedNames()).containsExactly("a9", "a8", "a7", "a6");
    assertThat(state("a").share()).isEqualTo(state("b").share());
  }

  private void past(String queue, double share) {
    cluster.apply(
        new ClusterEvent.QueueUpserted(
            new QueueModel(
                    queue,
                    "",
                    ResourceAmounts.of(Map.of(GPU, 0L)),
                    ResourceAmounts.none(),
                    1,
                    0,
                    Duration.ZERO,
                    Set.of(queue),
                    LabelSelector.nothing())
                .withPastShare(share)));
  }

  @Test
  void queueThatBorrowedLessInThePast_isNext_untilItsShareMakesUpForIt() {
    node("n", 10);
    past("a", 0.25);
    past("b", 0);
    for (int i = 0; i < 6; i++) {
      create("a", "a" + i, 1);
      create("b", "b" + i, 1);
    }

    assertThat(placedNames(100).subList(0, 6)).containsExactly("b0", "b1", "b2", "a0", "b3", "a1");
  }

  @Test
  void pastShareThatChanges_countsForTheNextPod() {
    node("n", 3);
    past("a", 0.5);
    past("b", 0);
    create("a", "a0", 1);
    create("b", "b0", 1);
    assertThat(cluster.placed().pod().name()).isEqualTo("b0");
    create("b", "b1", 1);

    past("b", 0.9);

    assertThat(cluster.placed().pod().name()).isEqualTo("a0");
  }

  /** Otherwise, it would take back what the other queue is served first. */
  @Test
  void queueThatBorrowedMoreInThePast_takesLessByItsShare() {
    node("n", 10);
    past("a", 0);
    past("b", 0.4);
    for (int i = 0; i < 10; i++) {
      running("a", "a" + i, 1, 0);
    }
    for (int i = 0; i < 10; i++) {
      create("b", "b" + i, 1);
    }

    assertThat(evictedNames()).containsExactly("a9", "a8", "a7");
  }

  /** The past holds back, and never gives a right. */
  @Test
  void queueThatBorrowedLessInThePast_takesNoMoreThanAnEqualShare() {
    node("n", 10);
    past("a", 0.4);
    past("b", 0);
    for (int i = 0; i < 10; i++) {
      running("a", "a" + i, 1, 0);
    }
    for (int i = 0; i < 10; i++) {
      create("b", "b" + i, 1);
    }

    assertThat(evictedNames()).containsExactly("a9", "a8", "a7", "a6", "a5");
    assertThat(state("b").share()).isEqualTo(state("a").share());
  }

  private List<String> evictedNames() {
    List<String> evicted = new ArrayList<>();
    cluster.decideAll(
        200,
        decision -> {
          if (decision instanceof Decision.Nominated nominated) {
            nominated
                .victims()
                .forEach(
                    victim -> {
                      evicted.add(victim.name());
                      cluster.apply(new ClusterEvent.PodRemoved(victim));
                    });
          }
        });
    return evicted;
  }

  @Test
  void rejectedEviction_countsAsUseAgain() {
    node("n", 2);
    queue("a", 0, -1, 1, 0);
    queue("b", 1, -1, 1, 0);
    running("a", "a0", 1, 0);
    running("a", "a1", 1, 0);
    create("b", "b0", 1);
    PodRef victim = cluster.nominated().victims().getFirst();
    assertThat(state("a").used().amountOf(GPU)).isEqualTo(1);

    cluster.apply(new ClusterEvent.EvictionFailed(victim, "429"));

    assertThat(state("a").used().amountOf(GPU)).isEqualTo(2);
    assertThat(state("b").used().amountOf(GPU)).isZero();
  }

  @Test
  void minRunTimeOfAQueue_protectsItsPods_untilItIsOver() {
    node("n", 1);
    queue("a", "", 0, -1, 1, 0, Duration.ofMinutes(10));
    queue("b", 1, -1, 1, 0);
    running("a", "a0", 1, 0);
    create("b", "b0", 1);
    assertThat(cluster.decision()).isInstanceOf(Decision.Unschedulable.class);

    cluster.later(Duration.ofMinutes(11));

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("a0");
  }

  @Test
  void priority_decidesWithinAQueue() {
    node("n", 1);
    queue("a", 0, -1, 1, 0);
    running("a", "a0", 1, 0);
    create(pod("a", "a1", 1, 10));

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("a0");
  }

  @Test
  void systemPod_belongsToNoQueue_andDisplacesByPriority() {
    node("n", 1);
    queue("a", 1, -1, 1, 0);
    running("a", "a0", 1, 0);
    create(pod("a", "system", 1, 2_000_000_000));

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("a0");
    assertThat(state("a").pods()).isZero();
  }

  @Test
  void podOfADaemonSet_isNotEvicted_forAPodOfAQueue() {
    node("n", 1);
    queue("a", 1, -1, 1, 0);
    create(
        pod("b", "daemon", 1, 0)
            .controller(new Controller("apps/v1", "DaemonSet", "d"))
            .nodes(onlyOn("n"))
            .on("n"));
    create(pod("a", "a0", 1, 1_000));

    assertThat(cluster.decision()).isInstanceOf(Decision.Unschedulable.class);
  }

  private static NodeSelection onlyOn(String node) {
    Requirement name = new Requirement("metadata.name", LabelOperator.IN, List.of(node));
    return new NodeSelection(
        Map.of(), Optional.of(List.of(new NodeTerm(List.of(), List.of(name), false))), List.of());
  }

  @Test
  void labelOfAPod_selectsAQueueThatAdmitsItsNamespace_only() {
    node("n", 4);
    queue("a", 0, -1, 1, 0);
    create(pod("b", "b0", 1, 0).label(QueueModel.LABEL, "a"));

    Decision.Unschedulable held = cluster.unschedulable();
    assertThat(held.cause()).isEqualTo(WaitCause.HELD_BY_QUEUE);
    assertThat(held.message()).contains("does not admit namespace \"b\"");

    create(pod("a", "a0", 1, 0).label(QueueModel.LABEL, "a"));
    assertThat(placedNames(10)).containsExactly("a0");
    assertThat(state("a").pods()).isEqualTo(1);
  }

  @Test
  void reservedRoom_isNotTaken_byAPodOfHigherPriorityOfAnotherQueue() {
    node("n", 1);
    queue("a", 0, -1, 1, 0);
    queue("b", 1, -1, 1, 0);
    PodModel running = running("a", "a0", 1, 0);
    create("b", "b0", 1);
    cluster.nominated();
    create(pod("a", "a1", 1, 1_000));
    cluster.apply(new ClusterEvent.PodRemoved(running.ref()));

    assertThat(placedNames(20)).containsExactly("b0");
  }

  @Test
  void deletedQueue_leavesItsPodsToTheDefaultQueue_andTheLastOneToPriorities() {
    node("n", 2);
    queue("a", 1, -1, 1, 0);
    queue("b", 1, -1, 1, 0);
    running("a", "a0", 1, 0);
    cluster.apply(new ClusterEvent.QueueRemoved("a"));
    assertThat(state(QueueModel.DEFAULT).pods()).isEqualTo(1);

    cluster.apply(new ClusterEvent.QueueRemoved("b"));
    assertThat(cluster.engine.queues()).isEmpty();
    running("a", "a2", 1, 0);
    create(pod("b", "b0", 1, 5));
    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("a2");
  }

  /** Without a bound, objects that name each other in a row could exhaust the stack. */
  @Test
  void queues_areAtMostOneHundredLevelsDeep() {
    node("n", 8);
    queue("q0", 0, -1, 1, 0);
    for (int i = 1; i < 250; i++) {
      queue("q" + i, "q" + (i - 1), 0, -1, 1, 0, Duration.ZERO);
    }
    running("q249", "deep", 1, 0);

    assertThat(state("q99").parent()).isEqualTo("q98");
    assertThat(state("q100").parent()).as("at the top").isEmpty();
    assertThat(state("q200").pods()).isEqualTo(1);
    assertThat(state("q199").pods()).isZero();
  }

  @Test
  void state_saysWhatIsLent_andWhatWouldBeFair() {
    node("n", 100);
    queue("a", 50, -1, 1, 0);
    queue("b", 30, -1, 1, 0);
    queue("c", 20, 25, 1, 0);
    for (int i = 0; i < 10; i++) {
      running("a", "a" + i, 9, 0);
    }
    assertThat(gpus(state("b").lent())).as("30 are guaranteed, and 10 are free").isEqualTo(20);
    assertThat(gpus(state("c").lent())).as("20 are guaranteed, and 10 are free").isEqualTo(10);
    assertThat(gpus(state("a").lent())).isZero();
    assertThat(gpus(state("a").fairShare())).as("nobody else asks").isEqualTo(90);
    assertThat(gpus(state("b").fairShare())).isZero();

    for (int i = 0; i < 4; i++) {
      create("b", "b" + i, 10);
      create("c", "c" + i, 10);
    }

    // All have their guarantees, and nothing is left.
    assertThat(gpus(state("a").fairShare())).isEqualTo(50);
    assertThat(gpus(state("b").fairShare())).isEqualTo(30);
    assertThat(gpus(state("c").fairShare())).isEqualTo(20);
    assertThat(state("b").pending())
        .isEqualTo(
            new QueueState.Pending(
                4, 0, ResourceAmounts.of(Map.of(GPU, 40L)), "it is tried next or again soon"));

    node("m", 30);

    // Of 30 more, b takes the 10 that it still asks for, c stops at its limit, and a has the rest.
    assertThat(gpus(state("a").fairShare())).isEqualTo(65);
    assertThat(gpus(state("b").fairShare())).isEqualTo(40);
    assertThat(gpus(state("c").fairShare())).isEqualTo(25);
  }

  @Test
  void fairShare_goesByPriorityThenWeight_fromTheTopDown() {
    node("n", 26);
    queue("first", 0, -1, 1, 5);
    queue("org", 0, -1, 1, 0);
    queue("one", "org", 0, -1, 1, 0, Duration.ZERO);
    queue("three", "org", 0, -1, 3, 0, Duration.ZERO);
    queue("small", "org", 0, -1, 1, 0, Duration.ZERO);
    create("first", "f", 4);
    create("small", "s", 2);
    for (int i = 0; i < 30; i++) {
      create("one", "o" + i, 1);
      create("three", "t" + i, 1);
    }

    assertThat(gpus(state("first").fairShare())).isEqualTo(4);
    assertThat(gpus(state("org").fairShare())).isEqualTo(22);
    assertThat(gpus(state("small").fairShare())).isEqualTo(2);
    assertThat(gpus(state("one").fairShare())).isEqualTo(5);
    assertThat(gpus(state("three").fairShare())).isEqualTo(15);
  }

  /** Otherwise, the pods of one tenant would make what is shown to all others absurd. */
  @Test
  void fairShare_staysWithinTheCapacity_whenPodsRequestAbsurdAmounts() {
    node("n", 10);
    queue("a", 4, -1, 1, 0);
    queue("b", 4, -1, 1, 0);
    for (int i = 0; i < 3; i++) {
      create("a", "a" + i, Long.MAX_VALUE);
    }
    create("b", "b", 8);

    assertThat(gpus(state("a").fairShare())).isEqualTo(5);
    assertThat(gpus(state("b").fairShare())).isEqualTo(5);
    assertThat(gpus(state("a").pending().requested())).isPositive();
  }

  @Test
  void fairShare_ofAQueue_coversTheGuaranteesOfItsParts() {
    node("n", 10);
    queue("dept", 0, -1, 1, 0);
    queue("team", "dept", 8, -1, 1, 0, Duration.ZERO);
    queue("x", 0, -1, 3, 0);
    create("team", "t", 10);
    create("x", "x", 10);

    assertThat(gpus(state("dept").fairShare())).isEqualTo(8);
    assertThat(gpus(state("team").fairShare())).isEqualTo(8);
    assertThat(gpus(state("x").fairShare())).isEqualTo(2);
  }

  /** A parent lends to other parents, and its parts to each other. */
  @Test
  void lentAmount_isWhatOthersBorrowBesideTheQueue() {
    node("n", 20);
    queue("x", 10, -1, 1, 0);
    queue("x1", "x", 6, -1, 1, 0, Duration.ZERO);
    queue("x2", "x", 0, -1, 1, 0, Duration.ZERO);
    queue("y", 10, -1, 1, 0);
    running("x2", "in-x", 10, 0);
    running("y", "in-y", 10, 0);

    assertThat(gpus(state("x").lent())).as("its parts use the guarantee").isZero();
    assertThat(gpus(state("x1").lent())).as("x2 borrows it").isEqualTo(6);
    assertThat(gpus(state("y").lent())).isZero();
  }

  private static long gpus(ResourceAmounts amounts) {
    return amounts.amountOf(GPU);
  }

  @Test
  void unmetGuarantee_isReported_whileAPodWaitsForIt() {
    node("n", 1);
    queue("a", 1, -1, 1, 0);
    queue("b", 1, -1, 1, 0);
    running("a", "a0", 1, 0);
    create("b", "b0", 1);
    cluster.unschedulable();

    assertThat(state("b").guaranteeMet()).isFalse();
    assertThat(state("b").pending().pods()).isEqualTo(1);
    assertThat(state("a").guaranteeMet()).isTrue();
  }
}
