package io.berth.operator.group;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.GroupState;
import io.berth.engine.api.GroupState.Phase;
import io.berth.engine.api.GroupState.Pods;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.operator.feed.FedPods;
import io.berth.operator.group.StatusChange.News;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The status of a group's object, depending on its current status and the engine's report. */
class StatusOfDialectsTest {
  private static final Instant NOW = Instant.parse("2026-03-01T10:00:00.5Z");
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final PodPhases NO_PODS = PodPhases.of(GroupDialect.VOLCANO, Stream.of());

  private final GroupStatus kubernetes = new KubernetesStatus();
  private final GroupStatus volcano = new VolcanoStatus();

  private static StatusView object(String status) {
    return object("scheduling.k8s.io/v1alpha2", status);
  }

  private static StatusView object(String apiVersion, String status) {
    return StatusView.of(
        Serialization.unmarshal(
            """
            apiVersion: %s
            kind: PodGroup
            metadata: {name: train, namespace: team, uid: u, resourceVersion: "7", generation: 3}
            status: %s
            """
                .formatted(apiVersion, status),
            GenericKubernetesResource.class));
  }

  private static GroupRef ref(GroupDialect dialect) {
    return new GroupRef(dialect, "team", "train");
  }

  private static GroupState state(
      GroupDialect dialect, int existing, int placed, Phase phase, String message, Pods pods) {
    return new GroupState(
        ref(dialect),
        Optional.of(GroupModel.of(ref(dialect), 3)),
        existing,
        placed,
        0,
        Math.max(0, 3 - placed),
        phase,
        message,
        pods);
  }

  private static GroupState waiting(GroupDialect dialect, String because) {
    return state(dialect, 3, 0, Phase.WAITING, because, new Pods(3, true, true, true, false));
  }

  private static GroupState gated(GroupDialect dialect, int existing) {
    return state(
        dialect,
        existing,
        0,
        Phase.INCOMPLETE,
        "waits for more",
        new Pods(existing, true, true, true, false));
  }

  private static GroupState placed(GroupDialect dialect) {
    return state(dialect, 3, 3, Phase.PLACED, "", new Pods(0, true, true, false, false));
  }

  private Optional<StatusChange> kubernetes(String status, GroupState report) {
    return kubernetes.change(object(status), report, NO_PODS, NOW);
  }

  private Optional<StatusChange> volcano(String status, GroupState report, String... phases) {
    return volcano.change(object(status), report, pods(phases), NOW);
  }

  private static PodPhases pods(String... phases) {
    KubeEvents events = new KubeEvents();
    return PodPhases.of(
        GroupDialect.VOLCANO,
        IntStream.range(0, phases.length)
            .mapToObj(
                i -> {
                  Pod pod =
                      new PodBuilder()
                          .withNewMetadata()
                          .withNamespace("team")
                          .withName("p" + i)
                          .withUid("uid-" + i)
                          .addToAnnotations("scheduling.k8s.io/group-name", "train")
                          .endMetadata()
                          .withNewSpec()
                          .withNodeName("n")
                          .endSpec()
                          .withNewStatus()
                          .withPhase(phases[i])
                          .endStatus()
                          .build();
                  ClusterEvent event = events.upserted(pod);
                  return FedPods.of(pod, event);
                }));
  }

  private static JsonNode yaml(String text) {
    try {
      return YAML.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void assertFields(Optional<StatusChange> change, String expected) {
    assertThat(change.map(it -> yaml(it.fields().toString()))).contains(yaml(expected));
  }

  // ---------------------------------------------------------------------------------- Kubernetes

  @Test
  void aKubernetesGroupThatFindsNoRoom_isUnschedulable() {
    assertFields(
        kubernetes("{}", waiting(GroupDialect.KUBERNETES, "no room")),
        """
        conditions:
        - {type: PodGroupScheduled, status: "False", reason: Unschedulable, message: no room,
           observedGeneration: 3, lastTransitionTime: "2026-03-01T10:00:00Z"}
        """);
  }

  @Test
  void aKubernetesGroupWhoseAttemptFailed_hasASchedulerError() {
    GroupState failed =
        state(
            GroupDialect.KUBERNETES,
            3,
            0,
            Phase.WAITING,
            "was undone",
            new Pods(3, true, true, true, true));

    assertThat(kubernetes("{}", failed).orElseThrow().fields().at("/conditions/0/reason").asText())
        .isEqualTo("SchedulerError");
  }

  @Test
  void aKubernetesGroupThatIsPlaced_isScheduled_andItsOtherConditionsStay() {
    assertFields(
        kubernetes(
            """
            {conditions: [{type: DisruptionTarget, status: "True"}, {type: PodGroupScheduled,
              status: "False", reason: Unschedulable, message: no room, observedGeneration: 3,
              lastTransitionTime: "2026-03-01T09:00:00Z"}]}
            """,
            placed(GroupDialect.KUBERNETES)),
        """
        conditions:
        - {type: DisruptionTarget, status: "True"}
        - {type: PodGroupScheduled, status: "True", reason: Scheduled, message: "",
           observedGeneration: 3, lastTransitionTime: "2026-03-01T10:00:00Z"}
        """);
  }

  @Test
  void aKubernetesGroupThatWasScheduled_staysSo() {
    String scheduled = "{conditions: [{type: PodGroupScheduled, status: \"True\"}]}";

    assertThat(kubernetes(scheduled, waiting(GroupDialect.KUBERNETES, "no room"))).isEmpty();
  }

  @Test
  void otherWordsForTheSame_areNotUrgent_andKeepTheTimeOfTheTransition() {
    StatusChange change =
        kubernetes(
                """
                {conditions: [{type: PodGroupScheduled, status: "False", reason: Unschedulable,
                  message: room for 2, observedGeneration: 3,
                  lastTransitionTime: "2026-03-01T09:00:00Z"}]}
                """,
                waiting(GroupDialect.KUBERNETES, "room for 1"))
            .orElseThrow();

    assertThat(change.urgent()).isFalse();
    assertThat(change.fields().at("/conditions/0/lastTransitionTime").asText())
        .isEqualTo("2026-03-01T09:00:00Z");
  }

  @Test
  void theSameAgain_isNotWritten() {
    String status =
        """
        {conditions: [{type: PodGroupScheduled, status: "False", reason: Unschedulable,
          message: no room, observedGeneration: 3, lastTransitionTime: "2026-03-01T09:00:00Z"}]}
        """;

    assertThat(kubernetes(status, waiting(GroupDialect.KUBERNETES, "no room"))).isEmpty();
  }

  @Test
  void aGroupWhoseBindingsAreUnderWay_isNotScheduledYet() {
    GroupState binding =
        state(
            GroupDialect.KUBERNETES,
            3,
            3,
            Phase.PLACED,
            "",
            new Pods(0, true, false, false, false));

    assertThat(kubernetes("{}", binding)).isEmpty();
  }

  @Test
  void aGroupOfAnotherScheduler_isLeftToIt() {
    GroupState foreign =
        state(
            GroupDialect.KUBERNETES,
            3,
            3,
            Phase.PLACED,
            "",
            new Pods(0, false, true, false, false));

    assertThat(kubernetes("{}", foreign)).isEmpty();
  }

  // ---------------------------------------------------------------------------------- Volcano

  @Test
  void aVolcanoGroupWithoutPods_isAdmitted_soThatItsControllerMakesThem() {
    GroupState empty =
        state(
            GroupDialect.VOLCANO,
            0,
            0,
            Phase.INCOMPLETE,
            "waits for 3 more pods",
            new Pods(0, false, true, false, false));

    assertFields(volcano("{phase: Pending}", empty), "phase: Inqueue");
    assertThat(volcano("{phase: Inqueue}", empty)).isEmpty();
  }

  private static GroupState withoutPods() {
    return state(
        GroupDialect.VOLCANO,
        0,
        0,
        Phase.INCOMPLETE,
        "waits for 3 more pods",
        new Pods(0, false, true, false, false));
  }

  @Test
  void aVolcanoGroupThatItsQueueHolds_staysPending_andSaysWhy() {
    GroupState held = withoutPods().heldBack("queue volcano/train uses 2 of 2 cpu");

    Optional<StatusChange> change = volcano("{phase: Pending}", held);

    assertFields(
        change,
        """
        conditions:
        - {type: Unschedulable, status: "True", reason: NotEnoughResources,
           message: queue volcano/train uses 2 of 2 cpu,
           lastTransitionTime: "2026-03-01T10:00:00Z"}
        """);
    assertThat(change.flatMap(StatusChange::news))
        .contains(new News(true, "Unschedulable", "queue volcano/train uses 2 of 2 cpu"));
    assertThat(volcano("{}", held).orElseThrow().fields().path("phase").asText())
        .isEqualTo("Pending");
  }

  @Test
  void aVolcanoGroupThatWasAdmitted_isNotHeldByAnOlderReport() {
    assertThat(volcano("{phase: Inqueue}", withoutPods().heldBack("queue is full"))).isEmpty();
  }

  @Test
  void aVolcanoGroupThatItsQueueAdmits_saysWhatElseIsMissing() {
    StatusChange change =
        volcano(
                """
                {phase: Pending, conditions: [{type: Unschedulable, status: "True",
                  reason: NotEnoughResources, message: queue is full,
                  lastTransitionTime: "2026-03-01T09:00:00Z"}]}
                """,
                withoutPods())
            .orElseThrow();

    assertThat(change.urgent()).isTrue();
    assertThat(change.fields().path("phase").asText()).isEqualTo("Inqueue");
    assertThat(change.fields().at("/conditions/0/message").asText())
        .isEqualTo("waits for 3 more pods");
  }

  @Test
  void aVolcanoGroupThatFindsNoRoom_isUnschedulable_withAnEvent() {
    Optional<StatusChange> change =
        volcano("{phase: Inqueue}", waiting(GroupDialect.VOLCANO, "no room"));

    assertFields(
        change,
        """
        conditions:
        - {type: Unschedulable, status: "True", reason: NotEnoughResources, message: no room,
           lastTransitionTime: "2026-03-01T10:00:00Z"}
        """);
    assertThat(change.flatMap(StatusChange::news))
        .contains(new News(true, "Unschedulable", "no room"));
  }

  @Test
  void aVolcanoGroupThatLacksPods_saysWhichOnes() {
    assertThat(reason(volcano("{phase: Inqueue}", gated(GroupDialect.VOLCANO, 2))))
        .isEqualTo("NotEnoughTasks");
    assertThat(reason(volcano("{phase: Inqueue}", gated(GroupDialect.VOLCANO, 3))))
        .isEqualTo("NotEnoughPodsOfTask");
  }

  private static String reason(Optional<StatusChange> change) {
    return change.orElseThrow().fields().at("/conditions/0/reason").asText();
  }

  @Test
  void aVolcanoGroupThatIsPlaced_runs_andIsUnschedulableNoLonger() {
    Optional<StatusChange> change =
        volcano(
            """
            {phase: Inqueue, conditions: [{type: Unschedulable, status: "True",
              reason: NotEnoughResources, message: no room,
              lastTransitionTime: "2026-03-01T09:00:00Z"}]}
            """,
            placed(GroupDialect.VOLCANO),
            "Running",
            "Running",
            "Pending");

    assertFields(
        change,
        """
        phase: Running
        running: 2
        conditions:
        - {type: Scheduled, status: "True", reason: tasks in gang are ready to be scheduled,
           lastTransitionTime: "2026-03-01T10:00:00Z"}
        """);
    assertThat(change.flatMap(StatusChange::news))
        .contains(new News(false, "Scheduled", "pod group is ready"));
  }

  @Test
  void aVolcanoGroupThatRuns_hasNothingWritten() {
    String running =
        """
        {phase: Running, running: 3, conditions: [{type: Scheduled, status: "True",
          reason: tasks in gang are ready to be scheduled, transitionID: x,
          lastTransitionTime: "2026-03-01T09:00:00Z"}]}
        """;

    assertThat(volcano(running, placed(GroupDialect.VOLCANO), "Running", "Running", "Running"))
        .isEmpty();
  }

  @Test
  void aVolcanoGroupAllOfWhosePodsHaveEnded_isCompleted() {
    assertThat(
            volcano("{}", placed(GroupDialect.VOLCANO), "Succeeded", "Succeeded", "Succeeded")
                .orElseThrow()
                .fields()
                .path("phase")
                .asText())
        .isEqualTo("Completed");
  }

  @Test
  void aVolcanoGroupThatHasLostPods_andCannotReplaceThem_isUnknown() {
    GroupState partly =
        state(
            GroupDialect.VOLCANO,
            3,
            2,
            Phase.WAITING,
            "full",
            new Pods(1, true, true, true, false));

    assertThat(
            volcano("{phase: Running}", partly, "Running", "Running", "Pending")
                .orElseThrow()
                .fields()
                .path("phase")
                .asText())
        .isEqualTo("Unknown");
  }

  @Test
  void groupOfKubernetes137_hasTheConditionOfThatRelease() {
    String version = "scheduling.k8s.io/v1beta1";

    StatusChange change =
        kubernetes
            .change(
                object(version, "{conditions: [{type: DisruptionTarget, status: 'True'}]}"),
                placed(GroupDialect.KUBERNETES),
                NO_PODS,
                NOW)
            .orElseThrow();

    assertThat(change.fields().path("conditions"))
        .extracting(condition -> condition.path("type").asText())
        .containsExactly("DisruptionTarget", "PodGroupInitiallyScheduled");
    assertThat(object(version, "{}").collection("team"))
        .isEqualTo("/apis/scheduling.k8s.io/v1beta1/namespaces/team/podgroups");
  }
}
