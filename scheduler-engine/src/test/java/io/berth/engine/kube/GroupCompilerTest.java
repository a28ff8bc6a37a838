package io.berth.engine.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.model.GroupAdmission;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupDisruption;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.GroupTopology;
import io.berth.engine.model.MatchPolicy;
import io.berth.engine.model.ResourceAmounts;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** PodGroups of each dialect, as their API servers store them. */
class GroupCompilerTest {
  private final KubeEvents events = new KubeEvents();

  private static final Instant CREATED = Instant.parse("2026-03-01T10:00:00Z");

  private static GenericKubernetesResource podGroup(String spec) {
    return Serialization.unmarshal(
        "{\"metadata\": {\"name\": \"workers\", \"namespace\": \"team\"}, \"spec\": " + spec + "}",
        GenericKubernetesResource.class);
  }

  private GroupModel model(GroupDialect dialect, String spec) {
    if (events.groupUpserted(dialect, podGroup(spec))
        instanceof ClusterEvent.PodGroupUpserted group) {
      return group.group();
    }
    throw new AssertionError("refused");
  }

  @Test
  void gangOfKubernetes_hasMinimumTopologyDisruptionAndPriority() {
    assertThat(
            model(
                GroupDialect.KUBERNETES,
                """
                {"schedulingPolicy": {"gang": {"minCount": 4}}, "disruptionMode": "PodGroup",
                 "schedulingConstraints": {"topology": [{"key": "rack"}]}, "priority": 7}
                """))
        .isEqualTo(
            new GroupModel(
                new GroupRef(GroupDialect.KUBERNETES, "team", "workers"),
                4,
                Map.of(),
                GroupModel.DEFAULT_TIMEOUT,
                Optional.of(new GroupTopology("rack", true)),
                GroupDisruption.GROUP,
                Optional.of(7),
                "",
                MatchPolicy.WAITING_AND_RUNNING,
                ResourceAmounts.none(),
                "",
                GroupAdmission.NOT_NEEDED));
  }

  /** Since 1.37, the mode is an object with one of two fields. */
  @Test
  void disruptionModeOfKubernetes137_isAllOrSingle() {
    String gang = "{\"schedulingPolicy\": {\"gang\": {\"minCount\": 4}}, \"disruptionMode\": {%s}}";

    assertThat(model(GroupDialect.KUBERNETES, gang.formatted("\"all\": {}")).disruption())
        .isEqualTo(GroupDisruption.GROUP);
    assertThat(model(GroupDialect.KUBERNETES, gang.formatted("\"single\": {}")).disruption())
        .isEqualTo(GroupDisruption.POD);
  }

  @Test
  void basicGroupOfKubernetes_hasNoMinimum() {
    assertThat(
            model(GroupDialect.KUBERNETES, "{\"schedulingPolicy\": {\"basic\": {}}}").minMember())
        .isZero();
  }

  @Test
  void podGroupOfSchedulerPlugins_hasMinimumAndTimeout() {
    GroupModel group =
        model(GroupDialect.SCHEDULER_PLUGINS, "{\"minMember\": 3, \"scheduleTimeoutSeconds\": 60}");

    assertThat(group.minMember()).isEqualTo(3);
    assertThat(group.timeout()).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void podGroupOfVolcano_hasAMinimumPerTask() {
    GroupModel group =
        model(
            GroupDialect.VOLCANO,
            "{\"minMember\": 3, \"minTaskMember\": {\"ps\": 1, \"worker\": 2}}");

    assertThat(group.minMember()).isEqualTo(3);
    assertThat(group.minPerRole()).isEqualTo(Map.of("ps", 1, "worker", 2));
  }

  @Test
  void podGroupOfVolcano_mayNameAPriorityClass() {
    assertThat(model(GroupDialect.VOLCANO, "{\"priorityClassName\": \"high\"}").priorityClass())
        .isEqualTo("high");
    assertThat(model(GroupDialect.VOLCANO, "{}").priorityClass()).isEmpty();
  }

  @Test
  void minResources_areReadInBothDialects() {
    String spec =
        "{\"minResources\": {\"cpu\": 1.5, \"memory\": \"2Gi\", \"pods\": 3, \"count/pods\": 3}}";
    for (GroupDialect dialect : List.of(GroupDialect.SCHEDULER_PLUGINS, GroupDialect.VOLCANO)) {
      assertThat(model(dialect, spec).minResources())
          .isEqualTo(ResourceAmounts.of(Map.of("cpu", 1_500L, "memory", 2L << 30, "pods", 3L)));
    }
  }

  @Test
  void podGroupOfVolcano_isAdmittedOnceItsPhaseIsNotPending() {
    for (String phase : List.of("", "\"status\": {}, ", "\"status\": {\"phase\": \"Pending\"}, ")) {
      assertThat(admission(phase)).isEqualTo(new GroupAdmission(CREATED, false));
    }
    assertThat(admission("\"status\": {\"phase\": \"Inqueue\"}, "))
        .isEqualTo(new GroupAdmission(CREATED, true));
  }

  private GroupAdmission admission(String status) {
    GenericKubernetesResource group =
        Serialization.unmarshal(
            """
            {%s "metadata": {"name": "workers", "namespace": "team",
             "creationTimestamp": "2026-03-01T10:00:00Z"}}
            """
                .formatted(status),
            GenericKubernetesResource.class);
    return events.groupUpserted(GroupDialect.VOLCANO, group)
            instanceof ClusterEvent.PodGroupUpserted upserted
        ? upserted.group().admission()
        : GroupAdmission.NOT_NEEDED;
  }

  @Test
  void minResourcesThatAreNoQuantities_areRefused() {
    assertThat(
            events.groupUpserted(
                GroupDialect.VOLCANO, podGroup("{\"minResources\": {\"cpu\": \"much\"}}")))
        .isInstanceOfSatisfying(
            ClusterEvent.Malformed.class,
            malformed ->
                assertThat(malformed.refusal().reason()).startsWith("spec.minResources.cpu: "));
  }

  @Test
  void podGroupThatCannotBeRead_isRefused() {
    ClusterEvent event =
        events.groupUpserted(GroupDialect.VOLCANO, podGroup("{\"minMember\": \"many\"}"));

    assertThat(event)
        .isInstanceOfSatisfying(
            ClusterEvent.Malformed.class,
            malformed ->
                assertThat(malformed.refusal().reason())
                    .isEqualTo("spec.minMember is many: must be an integer of at least 0"));
  }

  @Test
  void podGroupThatIsGone_isForgotten() {
    assertThat(events.groupRemoved(GroupDialect.VOLCANO, podGroup("{}")))
        .isEqualTo(
            new ClusterEvent.PodGroupRemoved(
                new GroupRef(GroupDialect.VOLCANO, "team", "workers")));
  }
}
