package io.berth.engine.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.model.GroupAdmission;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupDisruption;
import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.GroupTopology;
import io.berth.engine.model.MatchPolicy;
import io.berth.engine.model.ResourceAmounts;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Group membership in each dialect. */
class GroupReadingTest {
  private static final String OWN = "sched.cloud.ctrip.com/";
  private static final String KOORDINATOR = "gang.scheduling.koordinator.sh/";

  private static Pod pod(Map<String, String> annotations, Map<String, String> labels) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("worker-0")
        .withNamespace("team")
        .withUid("uid-0")
        .withAnnotations(annotations)
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .addNewContainer()
        .withName("c")
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  private static Optional<GroupMembership> groupOf(Pod pod) {
    ClusterEvent event = new KubeEvents().upserted(pod);
    if (event instanceof ClusterEvent.PodUpserted upserted) {
      return upserted.pod().group();
    }
    throw new AssertionError("refused: " + event);
  }

  private static String refusal(Map<String, String> annotations) {
    ClusterEvent event = new KubeEvents().upserted(pod(annotations, Map.of()));
    if (event instanceof ClusterEvent.Malformed malformed) {
      return malformed.refusal().reason();
    }
    throw new AssertionError("taken: " + event);
  }

  private static GroupModel declared(Pod pod) {
    return groupOf(pod).orElseThrow().declared().orElseThrow();
  }

  @Test
  void podWithoutAGroup_isMemberOfNone() {
    assertThat(groupOf(pod(Map.of(), Map.of()))).isEmpty();
  }

  @Test
  void emptyGroup_isNone_whateverOtherDialectsSay() {
    Map<String, String> labels =
        Map.of(
            "scheduling.x-k8s.io/pod-group", "g",
            "pod-group.scheduling.sigs.k8s.io/name", "g",
            "pod-group.scheduling.sigs.k8s.io/min-available", "2");
    Map<String, String> others =
        Map.of(
            "scheduling.k8s.io/group-name",
            "g",
            KOORDINATOR + "name",
            "g",
            KOORDINATOR + "min-available",
            "2");
    Pod grouped = pod(others, labels);
    grouped.getSpec().setAdditionalProperty("schedulingGroup", Map.of("podGroupName", "g"));
    assertThat(groupOf(grouped)).isPresent();

    Map<String, String> none = new HashMap<>(others);
    none.put(OWN + "group", "");
    Pod ungrouped = pod(none, labels);
    ungrouped.getSpec().setAdditionalProperty("schedulingGroup", Map.of("podGroupName", "g"));

    assertThat(groupOf(ungrouped)).isEmpty();
  }

  @Test
  void ownAnnotations_describeTheWholeGroup() {
    Pod pod =
        pod(
            Map.of(
                OWN + "group", "train",
                OWN + "group-min", "8",
                OWN + "group-topology", "topology.kubernetes.io/rack",
                OWN + "group-topology-mode", "Required",
                OWN + "group-disruption", "Group",
                OWN + "group-timeout", "90s"),
            Map.of());

    assertThat(declared(pod))
        .isEqualTo(
            new GroupModel(
                new GroupRef(GroupDialect.BERTH, "team", "train"),
                8,
                Map.of(),
                Duration.ofSeconds(90),
                Optional.of(new GroupTopology("topology.kubernetes.io/rack", true)),
                GroupDisruption.GROUP,
                Optional.empty(),
                "",
                MatchPolicy.WAITING_AND_RUNNING,
                ResourceAmounts.none(),
                "",
                GroupAdmission.NOT_NEEDED));
  }

  @Test
  void ownAnnotations_needNoMoreThanAName() {
    assertThat(declared(pod(Map.of(OWN + "group", "train"), Map.of())).minMember()).isEqualTo(1);
  }

  @Test
  void valueThatIsWrong_isRefused_sayingWhatIsExpected() {
    assertThat(refusal(Map.of(OWN + "group", "train", OWN + "group-min", "all")))
        .isEqualTo(
            "sched.cloud.ctrip.com/group-min is \"all\": must be an integer from 1 to 999999");
    assertThat(
            refusal(
                Map.of(
                    OWN + "group", "train",
                    OWN + "group-topology", "rack",
                    OWN + "group-topology-mode", "always")))
        .contains("group-topology-mode is \"always\": must be Required or Preferred");
    assertThat(refusal(Map.of(OWN + "group", "train", OWN + "group-disruption", "x")))
        .contains("must be Pod or Group");
    assertThat(refusal(Map.of(OWN + "group", "train", OWN + "group-timeout", "x")))
        .contains("must be a duration such as 10m");
  }

  @Test
  void schedulingGroup_namesAPodGroupOfKubernetes() {
    Pod pod = pod(Map.of(), Map.of());
    pod.getSpec().setAdditionalProperty("schedulingGroup", Map.of("podGroupName", "workers"));

    assertThat(groupOf(pod))
        .contains(
            new GroupMembership(
                new GroupRef(GroupDialect.KUBERNETES, "team", "workers"), "", Optional.empty()));
  }

  @Test
  void labelOfSchedulerPlugins_namesAPodGroup() {
    assertThat(groupOf(pod(Map.of(), Map.of("scheduling.x-k8s.io/pod-group", "workers"))))
        .contains(
            new GroupMembership(
                new GroupRef(GroupDialect.SCHEDULER_PLUGINS, "team", "workers"),
                "",
                Optional.empty()));
  }

  @Test
  void annotationsOfVolcano_nameAPodGroupAndATask() {
    assertThat(
            groupOf(
                pod(
                    Map.of("scheduling.k8s.io/group-name", "job-1", "volcano.sh/task-spec", "ps"),
                    Map.of())))
        .contains(
            new GroupMembership(
                new GroupRef(GroupDialect.VOLCANO, "team", "job-1"), "ps", Optional.empty()));
  }

  @Test
  void annotationsOfKoordinator_describeAGang() {
    GroupModel gang =
        declared(
            pod(
                Map.of(
                    KOORDINATOR + "name", "gang-a",
                    KOORDINATOR + "min-available", "4",
                    KOORDINATOR + "waiting-time", "300s"),
                Map.of()));

    assertThat(gang.ref()).isEqualTo(new GroupRef(GroupDialect.KOORDINATOR, "team", "gang-a"));
    assertThat(gang.minMember()).isEqualTo(4);
    assertThat(gang.timeout()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void matchPolicy_saysWhatCountsTowardsTheMinimum() {
    Map<String, MatchPolicy> policies =
        Map.of(
            "only-waiting", MatchPolicy.ONLY_WAITING,
            "waiting-and-running", MatchPolicy.WAITING_AND_RUNNING,
            "once-satisfied", MatchPolicy.ONCE_SATISFIED,
            "", MatchPolicy.ONCE_SATISFIED);
    for (String key :
        List.of(KOORDINATOR + "match-policy", "pod-group.scheduling.sigs.k8s.io/match-policy")) {
      policies.forEach(
          (text, policy) ->
              assertThat(
                      declared(pod(Map.of(KOORDINATOR + "name", "gang-a", key, text), Map.of()))
                          .matchPolicy())
                  .isEqualTo(policy));
    }
    assertThat(declared(pod(Map.of(KOORDINATOR + "name", "gang-a"), Map.of())).matchPolicy())
        .isEqualTo(MatchPolicy.ONCE_SATISFIED);
    assertThat(
            refusal(Map.of(KOORDINATOR + "name", "gang-a", KOORDINATOR + "match-policy", "once")))
        .isEqualTo(
            "gang.scheduling.koordinator.sh/match-policy is \"once\": must be only-waiting,"
                + " waiting-and-running, or once-satisfied");
  }

  @Test
  void olderLabels_describeAGangToo() {
    GroupModel gang =
        declared(
            pod(
                Map.of(),
                Map.of(
                    "pod-group.scheduling.sigs.k8s.io/name", "gang-a",
                    "pod-group.scheduling.sigs.k8s.io/min-available", "4")));

    assertThat(gang.minMember()).isEqualTo(4);
  }

  @Test
  void gangsThatAreTied_areRolesOfOneGroup() {
    GroupMembership membership =
        groupOf(
                pod(
                    Map.of(
                        KOORDINATOR + "name", "gang-b",
                        KOORDINATOR + "min-available", "4",
                        KOORDINATOR + "groups", "[\"team/gang-b\", \"team/gang-a\"]"),
                    Map.of()))
            .orElseThrow();

    assertThat(membership.group().name()).isEqualTo("team/gang-a,team/gang-b");
    assertThat(membership.role()).isEqualTo("team/gang-b");
    assertThat(membership.declared().orElseThrow().minPerRole())
        .isEqualTo(Map.of("team/gang-a", 1, "team/gang-b", 4));
  }

  @Test
  void gangThatIsNotStrict_isPlacedPodByPod() {
    assertThat(
            groupOf(
                pod(
                    Map.of(KOORDINATOR + "name", "gang-a", KOORDINATOR + "mode", "NonStrict"),
                    Map.of())))
        .isEmpty();
  }
}
