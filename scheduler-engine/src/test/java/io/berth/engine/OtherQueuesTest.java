package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.QueueRef;
import io.berth.engine.model.ResourceAmounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queues of other projects: which pods belong to them, and what is special about them. */
class OtherQueuesTest {
  private static final String GPU = "nvidia.com/gpu";
  private static final GroupRef GROUP = new GroupRef(GroupDialect.VOLCANO, "team", "train");

  private final TestCluster cluster = new TestCluster();
  private int created;

  @BeforeEach
  void node() {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node("n").milliCpu(1_000_000).memoryBytes(1L << 40).allocatable(GPU, 8).build()));
  }

  private void serve(QueueDialect dialect) {
    cluster.apply(new ClusterEvent.QueueDialectServed(dialect));
  }

  private void queue(QueueDialect dialect, String name, long guarantee, long limit) {
    queue(dialect, name, guarantee, limit, true, true, Set.of());
  }

  private void queue(
      QueueDialect dialect,
      String name,
      long guarantee,
      long limit,
      boolean open,
      boolean reclaimable,
      Set<String> namespaces) {
    cluster.apply(
        new ClusterEvent.QueueUpserted(
            new QueueModel(
                dialect,
                new QueueRef(dialect, name).key(),
                "",
                ResourceAmounts.of(Map.of(GPU, guarantee)),
                ResourceAmounts.of(Map.of(GPU, limit)),
                1,
                0,
                Duration.ZERO,
                namespaces,
                LabelSelector.nothing(),
                open,
                reclaimable)));
  }

  private Pods pod(String name, long gpus) {
    return Pods.pod(name)
        .ref(new PodRef("team", name, "uid-" + name))
        .createdAt(cluster.now().plusMillis(created++))
        .asks(GPU, gpus);
  }

  private static QueueRef ref(QueueDialect dialect, String name) {
    return new QueueRef(dialect, name);
  }

  private PodModel create(Pods pod) {
    PodModel model = pod.build();
    cluster.apply(new ClusterEvent.PodUpserted(model));
    return model;
  }

  private PodModel running(Pods pod) {
    cluster.later(Duration.ofSeconds(1));
    return create(pod.on("n").startedAt(Optional.of(cluster.now())));
  }

  private List<Decision> decisions() {
    List<Decision> decisions = new ArrayList<>();
    cluster.decideAll(
        20,
        decision -> {
          decisions.add(decision);
          if (decision instanceof Decision.Placed placed) {
            cluster.apply(new ClusterEvent.BindingConfirmed(placed.pod()));
          }
        });
    return decisions;
  }

  private String onlyDecision() {
    List<Decision> decisions = decisions();
    assertThat(decisions).hasSize(1);
    return decisions.getFirst() instanceof Decision.Unschedulable waits
        ? waits.message()
        : decisions.getFirst().getClass().getSimpleName();
  }

  private int podsIn(String queue) {
    return cluster.engine.queues().stream()
        .filter(state -> state.name().equals(queue))
        .findFirst()
        .orElseThrow()
        .pods();
  }

  @Test
  void podThatNamesAQueue_countsThere_andItsLimitHolds() {
    serve(QueueDialect.KAI);
    queue(QueueDialect.KAI, "research", 0, 2);
    running(pod("a", 1).inQueues(ref(QueueDialect.KAI, "research")));

    assertThat(podsIn("kai/research")).isEqualTo(1);
    create(pod("b", 2).inQueues(ref(QueueDialect.KAI, "research")));
    assertThat(onlyDecision())
        .contains("queue kai/research uses 1 of 2 nvidia.com/gpu, and the pod requests 2 more");
  }

  @Test
  void missingQueueHoldsThePod_untilItExists() {
    serve(QueueDialect.VOLCANO);
    queue(QueueDialect.VOLCANO, "other", 0, 8);
    create(pod("a", 1).inQueues(ref(QueueDialect.VOLCANO, "train")));
    assertThat(onlyDecision())
        .contains(
            "queue \"train\" of Volcano does not exist, or has queues below it: name another queue"
                + " in the PodGroup or the annotation scheduling.volcano.sh/queue-name, or create"
                + " it");

    cluster.later(Duration.ofMinutes(1));
    queue(QueueDialect.VOLCANO, "train", 0, 8);
    assertThat(onlyDecision()).isEqualTo("Placed");
    assertThat(podsIn("volcano/train")).isEqualTo(1);
  }

  @Test
  void podWhoseAnnotationIsCorrected_isTriedAgain() {
    serve(QueueDialect.VOLCANO);
    queue(QueueDialect.VOLCANO, "train", 0, 8);
    PodModel pod = create(pod("a", 1).inQueues(ref(QueueDialect.VOLCANO, "trian")));
    assertThat(onlyDecision()).contains("does not exist");

    cluster.later(Duration.ofMinutes(1));
    create(Pods.from(pod).inQueues(ref(QueueDialect.VOLCANO, "train")));
    assertThat(onlyDecision()).isEqualTo("Placed");
  }

  @Test
  void namesOfAProjectThatIsNotServed_areIgnored_untilItIs() {
    queue(QueueDialect.BERTH, "mine", 0, 8);
    queue(QueueDialect.KAI, "research", 0, 8);
    running(pod("a", 1).inQueues(ref(QueueDialect.KAI, "research")));
    create(pod("b", 1).inQueues(ref(QueueDialect.KAI, "missing")));

    assertThat(onlyDecision()).isEqualTo("Placed");
    assertThat(podsIn("default")).isEqualTo(2);

    serve(QueueDialect.KAI);
    assertThat(podsIn("kai/research")).isEqualTo(1);
  }

  @Test
  void labelOfBerth_winsOverOtherNames() {
    serve(QueueDialect.KAI);
    queue(QueueDialect.KAI, "research", 0, 8);
    queue(QueueDialect.BERTH, "mine", 0, 8, true, true, Set.of("team"));
    create(pod("a", 1).label(QueueModel.LABEL, "mine").inQueues(ref(QueueDialect.KAI, "research")));

    assertThat(onlyDecision()).isEqualTo("Placed");
    assertThat(podsIn("mine")).isEqualTo(1);
  }

  @Test
  void queueOfAPodGroup_winsOverThePods_andMovesThem() {
    cluster.apply(new ClusterEvent.GroupDialectServed(GroupDialect.VOLCANO));
    serve(QueueDialect.VOLCANO);
    queue(QueueDialect.VOLCANO, "a", 0, 8);
    queue(QueueDialect.VOLCANO, "b", 0, 0);
    cluster.apply(new ClusterEvent.PodGroupUpserted(GroupModel.of(GROUP, 1).inQueue("a")));
    create(pod("p", 1).memberOf(GROUP).inQueues(ref(QueueDialect.VOLCANO, "b")));
    assertThat(onlyDecision()).isEqualTo("Placed");
    assertThat(podsIn("volcano/a")).isEqualTo(1);

    cluster.apply(new ClusterEvent.PodGroupUpserted(GroupModel.of(GROUP, 1).inQueue("b")));
    assertThat(podsIn("volcano/b")).isEqualTo(1);
    create(pod("q", 1).memberOf(GROUP));
    assertThat(onlyDecision()).contains("queue volcano/b uses 1 of 0");

    cluster.later(Duration.ofMinutes(1));
    cluster.apply(new ClusterEvent.PodGroupUpserted(GroupModel.of(GROUP, 1).inQueue("a")));
    assertThat(onlyDecision()).isEqualTo("Placed");
    assertThat(podsIn("volcano/a")).isEqualTo(2);

    cluster.apply(new ClusterEvent.PodGroupRemoved(GROUP));
    assertThat(podsIn("volcano/a")).isZero();
  }

  @Test
  void quotaOfANamespace_countsItsPods_afterSchedulingQueues() {
    queue(QueueDialect.SCHEDULER_PLUGINS, "team/quota", 0, 8, true, true, Set.of("team"));
    running(pod("a", 1));
    assertThat(podsIn("scheduler-plugins/team/quota")).isEqualTo(1);

    queue(QueueDialect.BERTH, "z", 0, 8, true, true, Set.of("team"));
    assertThat(podsIn("z")).isEqualTo(1);
  }

  @Test
  void missingQuotaOfKoordinator_isItsDefaultQuota() {
    serve(QueueDialect.KOORDINATOR);
    queue(QueueDialect.KOORDINATOR, "koordinator-default-quota", 0, 8);
    create(pod("a", 1).inQueues(ref(QueueDialect.KOORDINATOR, "missing")));
    create(pod("b", 1));

    assertThat(decisions())
        .hasSize(2)
        .allSatisfy(it -> assertThat(it).isInstanceOf(Decision.Placed.class));
    assertThat(podsIn("koordinator/koordinator-default-quota")).isEqualTo(2);
  }

  @Test
  void closedQueue_startsNoPods_untilItIsOpened() {
    serve(QueueDialect.VOLCANO);
    queue(QueueDialect.VOLCANO, "train", 0, 8, false, true, Set.of());
    create(pod("a", 1).inQueues(ref(QueueDialect.VOLCANO, "train")));
    assertThat(onlyDecision())
        .contains("queue volcano/train is closed: it starts no pods until it is opened in Volcano");

    cluster.later(Duration.ofMinutes(1));
    queue(QueueDialect.VOLCANO, "train", 0, 8);
    assertThat(onlyDecision()).isEqualTo("Placed");
  }

  @Test
  void podsOfAQueueThatIsNotReclaimable_stay() {
    serve(QueueDialect.VOLCANO);
    queue(QueueDialect.VOLCANO, "mine", 8, 8);
    queue(QueueDialect.VOLCANO, "kept", 0, 8, true, false, Set.of());
    for (int i = 0; i < 8; i++) {
      running(pod("r" + i, 1).inQueues(ref(QueueDialect.VOLCANO, "kept")));
    }
    create(pod("a", 1).inQueues(ref(QueueDialect.VOLCANO, "mine")));
    assertThat(decisions()).singleElement().isInstanceOf(Decision.Unschedulable.class);

    cluster.later(Duration.ofMinutes(1));
    queue(QueueDialect.VOLCANO, "kept", 0, 8);
    assertThat(decisions()).first().isInstanceOf(Decision.Nominated.class);
  }

  /** A guarantee of everything does not overflow, and covers all pods. */
  @Test
  void unlimitedGuarantee_coversAllPods() {
    serve(QueueDialect.KAI);
    queue(QueueDialect.KAI, "all", QueueModel.EVERYTHING, 8);
    for (int i = 0; i < 8; i++) {
      running(pod("r" + i, 1).inQueues(ref(QueueDialect.KAI, "all")));
    }

    assertThat(cluster.engine.queues().getFirst().borrowed().amountOf(GPU)).isZero();
    assertThat(cluster.engine.queues().getFirst().share()).isZero();
  }
}
