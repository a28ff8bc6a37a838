package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.ResourceAmounts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pods of queues that cluster autoscalers shall buy nodes for, where no node has room. */
class QueueNodeRequestsTest {
  private static final String GPU = "nvidia.com/gpu";
  private static final Duration TURN = Duration.ofMinutes(15);

  private final TestCluster cluster = new TestCluster();
  private final Map<String, Decision.Unschedulable> waiting = new TreeMap<>();
  private final Map<String, String> placed = new TreeMap<>();
  private int created;

  @BeforeEach
  void putNodeWithoutGpu() {
    node("cpu-only", 0);
  }

  private void queue(String name, String parent, long limit) {
    cluster.apply(
        new ClusterEvent.QueueUpserted(
            queue(
                name,
                parent,
                ResourceAmounts.none(),
                limit < 0 ? ResourceAmounts.none() : gpus(limit))));
  }

  private static QueueModel queue(
      String name, String parent, ResourceAmounts guarantee, ResourceAmounts limit) {
    return new QueueModel(
        name, parent, guarantee, limit, 1, 0, Duration.ZERO, Set.of(name), LabelSelector.nothing());
  }

  private static ResourceAmounts gpus(long number) {
    return ResourceAmounts.of(Map.of(GPU, number));
  }

  /** Puts a queue for whose borrowed use no nodes are requested. */
  private void queueThatBorrowsNoNodes(String name, String parent, long guarantee) {
    cluster.apply(
        new ClusterEvent.QueueUpserted(
            queue(name, parent, gpus(guarantee), ResourceAmounts.none()).withScaleUp(false)));
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

  private Pods pod(String namespace, String name) {
    return Pods.pod(name)
        .ref(new PodRef(namespace, name, "uid-" + name))
        .createdAt(cluster.now().plusMillis(created++))
        .asks(GPU, 1);
  }

  private PodModel create(Pods pod) {
    PodModel model = pod.build();
    cluster.apply(new ClusterEvent.PodUpserted(model));
    return model;
  }

  private void create(String namespace, int pods) {
    for (int i = 0; i < pods; i++) {
      create(pod(namespace, namespace + "-" + i));
    }
  }

  /** Takes all decisions, and records the last one about each waiting pod. */
  private void decide() {
    cluster.decideAll(
        1_000,
        decision -> {
          if (decision instanceof Decision.Unschedulable unschedulable) {
            waiting.put(decision.pod().name(), unschedulable);
          } else if (decision instanceof Decision.Placed where) {
            waiting.remove(decision.pod().name());
            placed.put(decision.pod().name(), where.nodeName());
            cluster.apply(new ClusterEvent.BindingConfirmed(decision.pod()));
          }
        });
  }

  private Set<String> waitingFor(WaitCause cause) {
    Set<String> names = new TreeSet<>();
    waiting.forEach(
        (name, decision) -> {
          if (decision.cause() == cause) {
            names.add(name);
          }
        });
    return names;
  }

  @Test
  void podsRequestNodes_asFarAsTheLimitOfTheirQueueAdmitsThem() {
    queue("team", "", 3);
    create("team", 5);

    decide();

    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("team-0", "team-1", "team-2");
    assertThat(waitingFor(WaitCause.HELD_BY_QUEUE)).containsExactly("team-3", "team-4");
    assertThat(waiting.get("team-3").message())
        .isEqualTo(
            "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: 0/1 nodes are"
                + " available: 1 Preemption is not helpful for scheduling. No node is requested for"
                + " it: pods of queue team that wait for nodes already use the rest of its limit");
  }

  @Test
  void podTakesThePlaceOfOneThatIsDeleted() {
    queue("team", "", 2);
    create("team", 4);
    decide();

    cluster.apply(new ClusterEvent.PodRemoved(pod("team", "team-1").build().ref()));
    waiting.remove("team-1");
    cluster.later(Duration.ofSeconds(30));
    decide();

    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("team-0", "team-2");
    assertThat(waitingFor(WaitCause.HELD_BY_QUEUE)).containsExactly("team-3");
  }

  @Test
  void podsThatArePlaced_countOnce() {
    queue("team", "", 3);
    create("team", 4);
    decide();

    node("bought", 2);
    cluster.later(Duration.ofSeconds(30));
    decide();

    assertThat(placed.values()).containsExactly("bought", "bought");
    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("team-2");
    assertThat(waitingFor(WaitCause.HELD_BY_QUEUE)).containsExactly("team-3");
  }

  @Test
  void podsThatRunInTheQueue_leaveTheRestOfItsLimit() {
    node("full", 2);
    queue("team", "", 3);
    create(pod("team", "running-0").on("full"));
    create(pod("team", "running-1").on("full"));
    create("team", 2);

    decide();

    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("team-0");
    assertThat(waitingFor(WaitCause.HELD_BY_QUEUE)).containsExactly("team-1");
  }

  @Test
  void podOfHigherPriority_requestsNodes_besideThoseOfLowerPriority() {
    queue("team", "", 2);
    create("team", 3);
    decide();

    create(pod("team", "urgent").priority(10));
    decide();

    assertThat(waitingFor(WaitCause.NO_ROOM)).contains("urgent");
  }

  @Test
  void queueWithoutALimit_requestsNodesForAllPods() {
    queue("team", "", -1);
    create("team", 5);

    decide();

    assertThat(waitingFor(WaitCause.NO_ROOM)).hasSize(5);
  }

  @Test
  void podsOfAnotherQueueUnderTheSameLimit_areNotKeptFromRequestingNodes() {
    queue("all", "", 3);
    queue("hopeless", "all", -1);
    queue("other", "all", -1);
    create("hopeless", 5);
    decide();

    create("other", 2);
    decide();

    assertThat(waitingFor(WaitCause.NO_ROOM))
        .containsExactly("hopeless-0", "hopeless-1", "hopeless-2", "other-0", "other-1");
  }

  @Test
  void podThatRequestsNodesInVain_givesWayToOthers_afterItsTurn() {
    queue("team", "", 1);
    create("team", 2);
    decide();
    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("team-0");

    for (Duration past = Duration.ZERO;
        past.compareTo(TURN) < 0;
        past = past.plus(Duration.ofMinutes(1))) {
      assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("team-0");
      cluster.later(Duration.ofMinutes(1));
      decide();
    }
    assertThat(waiting.get("team-0").cause()).isEqualTo(WaitCause.HELD_BY_QUEUE);
    assertThat(waiting.get("team-0").message())
        .contains("it has waited for one for 15 minutes, and other pods of queue team take");
    cluster.later(Duration.ofSeconds(30));
    decide();
    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("team-1");

    cluster.later(Duration.ofMinutes(5));
    decide();
    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("team-1");
    assertThat(waiting.get("team-0").message()).contains("use the rest of its limit");
  }

  @Test
  void podThatRequestsNodesInVain_goesOn_ifNoOtherWaits() {
    queue("team", "", 1);
    create("team", 1);
    decide();

    for (int minutes = 0; minutes < 60; minutes += 5) {
      cluster.later(Duration.ofMinutes(5));
      decide();
    }

    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("team-0");
  }

  @Test
  void group_requestsNodes_ifTheLimitAdmitsAllThatItLacks() {
    queue("team", "", 3);
    for (String name : List.of("first", "second")) {
      for (int i = 0; i < 2; i++) {
        create(
            pod("team", name + "-" + i)
                .memberOf(GroupModel.of(new GroupRef(GroupDialect.BERTH, "team", name), 2)));
      }
    }

    decide();

    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("first-0", "first-1");
    assertThat(waitingFor(WaitCause.HELD_BY_QUEUE)).containsExactly("second-0", "second-1");
    assertThat(waiting.get("second-0").message()).contains("No node is requested for it");
  }

  @Test
  void podsThatTheGuaranteeDoesNotCover_requestNoNodes_ifTheQueueDoesNotScaleUp() {
    queueThatBorrowsNoNodes("team", "", 2);
    create("team", 3);

    decide();

    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("team-0", "team-1");
    assertThat(waitingFor(WaitCause.HELD_BY_QUEUE)).containsExactly("team-2");
    assertThat(waiting.get("team-2").message())
        .endsWith(
            "No node is requested for it: no guarantee covers it, and borrowing.scaleUp of queue"
                + " team is false");
  }

  @Test
  void podsThatBorrow_areStillPlacedOnNodesThatExist() {
    node("n", 5);
    queueThatBorrowsNoNodes("team", "", 1);
    create("team", 3);

    decide();

    assertThat(placed).hasSize(3);
  }

  @Test
  void podRequestsANode_whenTheGuaranteeCoversItAgain() {
    node("full", 2);
    queueThatBorrowsNoNodes("team", "", 2);
    PodModel running = create(pod("team", "running-0").on("full"));
    create(pod("team", "running-1").on("full"));
    create("team", 1);
    decide();
    assertThat(waitingFor(WaitCause.HELD_BY_QUEUE)).containsExactly("team-0");

    node("full", 1); // it has shrunk, so there is no room when a pod ends
    cluster.apply(new ClusterEvent.PodRemoved(running.ref()));
    cluster.later(Duration.ofSeconds(30));
    decide();

    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("team-0");
  }

  @Test
  void queuesBelowOneThatDoesNotScaleUp_doNotEither() {
    queueThatBorrowsNoNodes("all", "", 1);
    queue("part", "all", -1);
    create("part", 2);

    decide();

    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("part-0");
    assertThat(waiting.get("part-1").message()).contains("borrowing.scaleUp of queue all is false");
  }

  @Test
  void groupThatHasBecomeIncomplete_leavesItsPlaceToOthers() {
    queue("team", "", 2);
    GroupModel gang = GroupModel.of(new GroupRef(GroupDialect.BERTH, "team", "gang"), 2);
    create(pod("team", "gang-0").memberOf(gang));
    PodModel leaving = create(pod("team", "gang-1").memberOf(gang));
    decide();
    create("team", 1);
    decide();
    assertThat(waitingFor(WaitCause.HELD_BY_QUEUE)).containsExactly("team-0");

    cluster.apply(new ClusterEvent.PodRemoved(leaving.ref()));
    waiting.remove("gang-1");
    cluster.later(Duration.ofSeconds(30));
    decide();

    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("team-0");
  }

  @Test
  void podThatNoGuaranteeCanEverCover_takesNoTurnOfOthers() {
    queueThatBorrowsNoNodes("team", "", 1);
    create("team", 1);
    create(pod("team", "large").asks(GPU, 5));
    decide();

    for (int minutes = 0; minutes < 60; minutes += 5) {
      cluster.later(Duration.ofMinutes(5));
      decide();
      assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("team-0");
    }
  }

  @Test
  void changeOfOtherQueues_leavesPlacesAsTheyAre() {
    queue("team", "", 2);
    create("team", 3);
    decide();

    queue("other", "", 5);
    cluster.later(Duration.ofSeconds(30));
    decide();

    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("team-0", "team-1");
    assertThat(waitingFor(WaitCause.HELD_BY_QUEUE)).containsExactly("team-2");
  }

  @Test
  void podOfHigherPriority_thatHasHadItsTurn_leavesThePlaceToTheOther() {
    queue("team", "", 1);
    create(pod("team", "high").priority(10));
    create(pod("team", "low"));
    decide();
    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("high");

    for (int minutes = 0; minutes < 20; minutes += 5) {
      cluster.later(Duration.ofMinutes(5));
      decide();
    }
    cluster.later(Duration.ofSeconds(30));
    decide();

    assertThat(waitingFor(WaitCause.NO_ROOM)).containsExactly("low");
    assertThat(waitingFor(WaitCause.HELD_BY_QUEUE)).containsExactly("high");
  }

  @Test
  void podThatIsNominated_doesNotCountTwice() {
    node("n", 1);
    queue("team", "", 3);
    create(pod("team", "running").on("n"));
    PodModel urgent = create(pod("team", "urgent").priority(10));
    assertThat(cluster.nominated().pod()).isEqualTo(urgent.ref());
    node("n", 0); // it is tried again, and stays nominated while its victim leaves
    cluster.later(Duration.ofSeconds(30));
    decide();

    create("team", 1);
    decide();

    assertThat(waiting.get("team-0").cause()).isEqualTo(WaitCause.NO_ROOM);
  }
}
