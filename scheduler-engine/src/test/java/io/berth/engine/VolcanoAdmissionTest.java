package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.GroupState;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.GroupAdmission;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.QueueRef;
import io.berth.engine.model.ResourceAmounts;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** PodGroups of Volcano that wait for their queue before their pods are created. */
class VolcanoAdmissionTest {
  private static final String GPU = "nvidia.com/gpu";

  private final TestCluster cluster = new TestCluster();
  private final Map<String, GroupModel> groups = new HashMap<>();

  @BeforeEach
  void serve() {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node("n")
                .milliCpu(1_000_000)
                .memoryBytes(1L << 40)
                .allocatable(GPU, 64)
                .build()));
    cluster.apply(new ClusterEvent.GroupDialectServed(GroupDialect.VOLCANO));
    cluster.apply(new ClusterEvent.QueueDialectServed(QueueDialect.VOLCANO));
  }

  private static String key(String queue) {
    return new QueueRef(QueueDialect.VOLCANO, queue).key();
  }

  private void queue(String name, String parent, long limit, boolean open) {
    cluster.apply(
        new ClusterEvent.QueueUpserted(
            new QueueModel(
                QueueDialect.VOLCANO,
                key(name),
                parent.isEmpty() ? "" : key(parent),
                ResourceAmounts.none(),
                ResourceAmounts.of(Map.of(GPU, limit)),
                1,
                0,
                Duration.ZERO,
                Set.of(),
                LabelSelector.nothing(),
                open,
                true)));
  }

  private static GroupRef ref(String name) {
    return new GroupRef(GroupDialect.VOLCANO, "team", name);
  }

  private void put(GroupModel group) {
    groups.put(group.ref().name(), group);
    cluster.apply(new ClusterEvent.PodGroupUpserted(group));
  }

  private void group(String name, String queue, int priority, int createdAt, long gpus) {
    put(
        GroupModel.of(ref(name), 1)
            .inQueue(queue)
            .ofPriority(priority)
            .withMinResources(ResourceAmounts.of(Map.of(GPU, gpus)))
            .admitted(new GroupAdmission(Instant.EPOCH.plusSeconds(createdAt), false)));
  }

  /** Shows the engine that the group was admitted. */
  private void admitted(String name) {
    GroupModel group = groups.get(name);
    put(group.admitted(new GroupAdmission(group.admission().createdAt(), true)));
  }

  private void pod(String group, long gpus) {
    cluster.apply(
        new ClusterEvent.PodUpserted(
            Pods.pod(group + "-0")
                .ref(new PodRef("team", group + "-0", "uid-" + group))
                .memberOf(ref(group))
                .asks(GPU, gpus)
                .build()));
  }

  private void decide() {
    cluster.decideAll(
        20,
        decision -> {
          if (decision instanceof Decision.Placed placed) {
            cluster.apply(new ClusterEvent.BindingConfirmed(placed.pod()));
          }
        });
  }

  private Optional<String> heldBack(String name) {
    return cluster.engine.groups().stream()
        .filter(state -> state.group().equals(ref(name)))
        .findFirst()
        .orElseThrow()
        .heldBack();
  }

  private List<String> admissible() {
    return cluster.engine.groups().stream()
        .filter(state -> state.heldBack().isEmpty())
        .map(state -> state.group().name())
        .sorted()
        .toList();
  }

  @Test
  void group_waitsUntilItFitsBesideWhatItsQueueUses() {
    queue("train", "", 8, true);
    group("a", "train", 0, 1, 6);
    admitted("a");
    pod("a", 6);
    decide();
    group("b", "train", 0, 2, 4);

    assertThat(heldBack("b"))
        .contains(
            "queue volcano/train uses 6 of 8 nvidia.com/gpu, and the group requests at least 4"
                + " more. Its pods are created when enough pods of the queue have ended");

    cluster.apply(new ClusterEvent.PodRemoved(new PodRef("team", "a-0", "uid-a")));
    cluster.apply(new ClusterEvent.PodGroupRemoved(ref("a")));
    assertThat(heldBack("b")).isEmpty();
  }

  @Test
  void admission_countsUntilThePodsExistAndWereTried() {
    queue("train", "", 8, true);
    group("a", "train", 0, 1, 6);
    admitted("a");
    group("b", "train", 0, 2, 4);

    assertThat(heldBack("b").orElseThrow())
        .startsWith(
            "queue volcano/train uses 0 of 8 nvidia.com/gpu and has promised 6 to other groups,"
                + " and the group requests at least 4 more.");

    pod("a", 1_000); // more than there is, so it waits, but not for its queue
    assertThat(heldBack("b")).isPresent();
    decide();
    assertThat(heldBack("b")).isEmpty();
  }

  @Test
  void groupsWithoutMinResources_orWithPods_orThatWereAdmitted_doNotWait() {
    queue("train", "", 0, true);
    put(
        GroupModel.of(ref("plain"), 1)
            .inQueue("train")
            .admitted(new GroupAdmission(Instant.EPOCH, false)));
    group("there", "train", 0, 1, 4);
    pod("there", 4);
    group("before", "train", 0, 1, 4);
    admitted("before");
    group("waits", "train", 0, 1, 4);

    assertThat(admissible()).containsExactly("before", "plain", "there");
  }

  @Test
  void withoutAVolcanoQueue_groupsDoNotWait() {
    group("nowhere", "", 0, 1, 4);
    group("missing", "gone", 0, 1, 4);
    assertThat(admissible()).containsExactly("missing", "nowhere");

    queue("train", "", 8, true);
    assertThat(admissible()).containsExactly("nowhere");
    assertThat(heldBack("missing").orElseThrow()).startsWith("queue \"gone\" of Volcano does not");
  }

  @Test
  void closedQueue_admitsNoGroup() {
    queue("train", "", 8, false);
    group("a", "train", 0, 1, 1);

    assertThat(heldBack("a").orElseThrow()).startsWith("queue volcano/train is closed");
  }

  @Test
  void groups_areAdmittedByPriority_thenByAge_andALargeOneHoldsBackNoOther() {
    queue("all", "", 8, true);
    queue("a", "all", 100, true);
    queue("b", "all", 100, true);
    group("large", "a", 9, 1, 50);
    group("young", "a", 0, 3, 5);
    group("old", "b", 0, 2, 5);
    group("small", "b", 0, 4, 3);
    assertThat(admissible()).containsExactly("old", "small");
    assertThat(heldBack("young").orElseThrow()).startsWith("queue volcano/all uses 0 of 8");

    group("important", "a", 1, 5, 8);
    assertThat(admissible()).containsExactly("important");
  }

  @Test
  void hugeMinResources_doNotOverflow() {
    queue("train", "", 8, true);
    group("a", "train", 0, 1, Long.MAX_VALUE);
    group("b", "train", 0, 2, Long.MAX_VALUE);
    admitted("a");
    assertThat(admissible()).containsExactly("a");
  }

  @Test
  void limitOnPods_countsTheMinimumOfTheGroup() {
    cluster.apply(
        new ClusterEvent.QueueUpserted(
            new QueueModel(
                QueueDialect.VOLCANO,
                key("train"),
                "",
                ResourceAmounts.none(),
                ResourceAmounts.of(Map.of(ResourceAmounts.PODS, 3L)),
                1,
                0,
                Duration.ZERO,
                Set.of(),
                LabelSelector.nothing(),
                true,
                true)));
    put(
        GroupModel.of(ref("a"), 4)
            .inQueue("train")
            .withMinResources(ResourceAmounts.of(Map.of(GPU, 1L)))
            .admitted(new GroupAdmission(Instant.EPOCH, false)));

    assertThat(heldBack("a").orElseThrow()).contains("uses 0 of 3 pods, and the group requests");
  }

  /** Whatever is admitted in turns, its sum stays within all limits. */
  @RepeatedTest(20)
  void admittedGroups_neverExceedALimit(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    Map<String, Long> limits = new HashMap<>();
    Map<String, String> parents = new HashMap<>();
    for (String name : List.of("root", "x", "y", "x1", "x2")) {
      String parent = name.equals("root") ? "" : name.length() == 1 ? "root" : "x";
      limits.put(name, (long) random.nextInt(4, 30));
      parents.put(name, parent);
      queue(name, parent, limits.get(name), true);
    }
    Map<String, Long> reserved = new HashMap<>();
    for (int i = 0; i < 40; i++) {
      String queue = List.of("y", "x1", "x2").get(random.nextInt(3));
      group("g" + i, queue, random.nextInt(3), i, random.nextInt(1, 9));
      for (GroupState state : cluster.engine.groups()) {
        GroupModel model = state.model().orElseThrow();
        if (state.heldBack().isEmpty() && !model.admission().admitted() && random.nextBoolean()) {
          admitted(model.ref().name());
          for (String at = model.queue(); !at.isEmpty(); at = parents.get(at)) {
            reserved.merge(at, model.minResources().amountOf(GPU), Long::sum);
          }
        }
      }
      assertThat(reserved)
          .allSatisfy((name, sum) -> assertThat(sum).isLessThanOrEqualTo(limits.get(name)));
    }
    assertThat(reserved).isNotEmpty();
  }
}
