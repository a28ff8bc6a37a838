package io.berth.operator.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Configuration files of kube-scheduler become SchedulingPolicies. */
class ConvertCommandTest {

  @TempDir Path folder;

  private CommandRun convert(String text, String... more) throws IOException {
    Path file = Files.writeString(folder.resolve("scheduler.yaml"), text);
    String[] arguments = new String[more.length + 2];
    arguments[0] = "convert";
    arguments[1] = file.toString();
    System.arraycopy(more, 0, arguments, 2, more.length);
    return CommandRun.of(arguments);
  }

  /** Checks the printed manifests, as a user would before applying them. */
  private void assertAccepted(CommandRun run) throws IOException {
    Path file = Files.writeString(folder.resolve("converted.yaml"), run.out());
    CommandRun check = CommandRun.of("check", "--strict", "-f", file.toString());
    assertThat(check.exitCode()).as(run.out() + check.out()).isZero();
  }

  @Test
  void profile_becomesAPolicyThatSaysOnlyWhatDiffersFromTheDefaultSet() throws IOException {
    CommandRun run =
        convert(
            """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: true}
            profiles:
            - schedulerName: packing
              percentageOfNodesToScore: 40
              plugins:
                score:
                  disabled: [{name: NodeResourcesBalancedAllocation}, {name: NodeResourcesFit}]
                  enabled: [{name: NodeResourcesFit, weight: 10}]
                multiPoint: {disabled: [{name: ImageLocality}]}
                filter: {disabled: [{name: VolumeZone}]}
                postFilter: {disabled: [{name: "*"}]}
              pluginConfig:
              - name: NodeResourcesFit
                args:
                  apiVersion: kubescheduler.config.k8s.io/v1
                  kind: NodeResourcesFitArgs
                  ignoredResources: [example.com/a]
                  scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}
            """);

    assertThat(run.out())
        .contains("# - leaderElection: Berth elects a leader with --leader-elect")
        .doesNotContain("Without equivalent")
        .endsWith(
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulingPolicy
            metadata:
              name: packing
            spec:
              predicates:
              - name: NodeResourcesFit
                args:
                  ignoredResources:
                  - example.com/a
              - name: VolumeZone
                enabled: false
              priorities:
              - name: NodeResourcesFit
                weight: 10
                args:
                  scoringStrategy:
                    type: MostAllocated
                    resources:
                    - name: cpu
                      weight: 1
              - name: NodeResourcesBalancedAllocation
                enabled: false
              - name: ImageLocality
                enabled: false
              percentageOfNodesToScore: 40
              preemption:
                enabled: false
            """);
    assertThat(run.exitCode()).isZero();
    assertAccepted(run);
  }

  @Test
  void everyProfile_becomesAPolicy_andTheSearchStaysAsBroadAsItWas() throws IOException {
    CommandRun run =
        convert(
            """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - {}
            - schedulerName: no-scoring
              plugins:
                preScore: {disabled: [{name: "*"}]}
                score: {disabled: [{name: "*"}]}
            """);

    assertThat(run.out())
        .contains("name: default-scheduler", "name: no-scoring", "percentageOfNodesToScore: 0")
        .contains("- name: TaintToleration\n    enabled: false");
    assertThat(run.exitCode()).isZero();
    assertAccepted(run);
  }

  @Test
  void argumentsOfOnePlugin_areSharedOutBetweenFilterAndScore() throws IOException {
    CommandRun run =
        convert(
            """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - pluginConfig:
              - name: PodTopologySpread
                args:
                  defaultingType: List
                  defaultConstraints:
                  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}
                  - {maxSkew: 2, topologyKey: rack, whenUnsatisfiable: DoNotSchedule}
              - name: NodeAffinity
                args:
                  addedAffinity:
                    requiredDuringSchedulingIgnoredDuringExecution:
                      nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: Exists}]}]
              - name: VolumeBinding
                args:
                  bindTimeoutSeconds: 600
                  shape: [{utilization: 0, score: 7}]
            """);

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertAccepted(run);
    String filters =
        run.out().substring(run.out().indexOf("predicates"), run.out().indexOf("priorities"));
    assertThat(filters).contains("rack", "gpu").doesNotContain("zone", "score: 7");
    assertThat(run.out().substring(run.out().indexOf("priorities")))
        .contains("zone", "score: 7")
        .doesNotContain("rack", "gpu");
  }

  @Test
  void whatHasNoEquivalent_isListedWithItsPlace_andTheExitCodeSaysSo() throws IOException {
    CommandRun run =
        convert(
            """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            podMaxBackoffSeconds: 60
            profiles:
            - plugins:
                multiPoint: {enabled: [{name: Coscheduling}]}
                filter: {disabled: [{name: NodePorts}]}
                preFilter: {disabled: [{name: NodeAffinity}]}
              pluginConfig:
              - {name: VolumeBinding, args: {bindTimeoutSeconds: 10}}
              - {name: DefaultPreemption, args: {minCandidateNodesPercentage: 10}}
            """);

    assertThat(run.out())
        .contains("# Without equivalent in Berth:")
        .contains("# - podMaxBackoffSeconds: is always 10 in Berth")
        .contains("# - profiles[0].plugins.multiPoint.enabled[0]: Berth has no plugin Coscheduling")
        .contains("NodePorts cannot be disabled in Berth")
        .contains("# - profiles[0].plugins.preFilter.disabled[0]: NodeAffinity")
        .contains("# - profiles[0].pluginConfig[0].args.bindTimeoutSeconds: has no equivalent")
        .doesNotContain("minCandidateNodesPercentage");
    assertThat(run.exitCode()).isEqualTo(1);
    assertAccepted(run);
  }

  @Test
  void extenders_areTakenOver_andACertificateThatIsNotCheckedIsNamed() throws IOException {
    CommandRun run =
        convert(
            """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            extenders:
            - urlPrefix: https://gpu-share.kube-system:8888/scheduler
              filterVerb: filter
              prioritizeVerb: prioritize
              weight: 3
              enableHTTPS: true
              httpTimeout: 10s
              nodeCacheCapable: true
              managedResources: [{name: example.com/card, ignoredByScheduler: true}]
            """);

    assertThat(run.out())
        .contains("# - extenders[0]: it has enableHTTPS and names no authority")
        .doesNotContain("Without equivalent")
        .contains(
            """
              extenders:
              - urlPrefix: https://gpu-share.kube-system:8888/scheduler
                filterVerb: filter
                prioritizeVerb: prioritize
                weight: 3
                enableHTTPS: true
                tlsConfig:
                  insecure: true
                httpTimeout: 10s
                nodeCacheCapable: true
                managedResources:
                - name: example.com/card
                  ignoredByScheduler: true
            """);
    assertThat(run.exitCode()).isZero();
    assertAccepted(run);
  }

  @Test
  void legacyPolicyFile_becomesAPolicyOfTheGivenName() throws IOException {
    CommandRun run =
        convert(
            """
            {"kind": "Policy", "apiVersion": "v1",
             "predicates": [{"name": "PodFitsResources"}, {"name": "PodToleratesNodeTaints"}],
             "priorities": [{"name": "LeastRequestedPriority", "weight": 5}]}
            """,
            "--name",
            "old");

    assertThat(run.out()).contains("name: old", "weight: 5", "type: LeastAllocated");
    assertThat(run.exitCode()).isZero();
    assertAccepted(run);
  }

  @Test
  void legacyPredicateWithoutEqual_isListed_andTheRestConverted() throws IOException {
    CommandRun run =
        convert(
            """
            kind: Policy
            predicates:
            - name: PodFitsResources
            - name: CheckServiceAffinity
            """);

    assertThat(run.out())
        .contains("# - predicates[1].name: CheckServiceAffinity has no equivalent")
        .contains("kind: SchedulingPolicy");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void oldVersion_keepsTheWeightsThatWereItsDefaults() throws IOException {
    for (String version : List.of("v1alpha2", "v1beta1", "v1beta2")) {
      CommandRun run =
          convert(
              """
              apiVersion: kubescheduler.config.k8s.io/%s
              kind: KubeSchedulerConfiguration
              """
                  .formatted(version));

      assertThat(run.out())
          .contains(
              """
                priorities:
                - name: TaintToleration
                  weight: 1
                - name: NodeAffinity
                  weight: 1
                - name: InterPodAffinity
                  weight: 1
              """);
      assertThat(run.exitCode()).isZero();
      assertAccepted(run);
    }
  }

  @Test
  void formerScoresOfResources_becomeAStrategy() throws IOException {
    CommandRun run =
        convert(
            """
            apiVersion: kubescheduler.config.k8s.io/v1beta1
            kind: KubeSchedulerConfiguration
            profiles:
            - schedulerName: packed
              plugins:
                score:
                  disabled: [{name: NodeResourcesLeastAllocated}, {name: SelectorSpread}, {name: Mine}]
                  enabled: [{name: NodeResourcesMostAllocated, weight: 2}]
                filter:
                  enabled: [{name: EBSLimits}, {name: GCEPDLimits}]
            - schedulerName: ratio
              plugins:
                score:
                  disabled: [{name: NodeResourcesLeastAllocated}]
                  enabled: [{name: RequestedToCapacityRatio, weight: 5}]
              pluginConfig:
              - name: RequestedToCapacityRatio
                args:
                  shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]
                  resources: [{name: cpu, weight: 3}]
            - schedulerName: spreading
              pluginConfig:
              - name: NodeResourcesLeastAllocated
                args: {resources: [{name: memory, weight: 1}]}
            """);

    assertThat(run.out())
        .contains("# - profiles[0].plugins.score.disabled[1]: SelectorSpread is a part of")
        .contains("# - profiles[0].plugins.score.disabled[2]: Berth has no plugin Mine")
        .contains(
            """
              - name: NodeResourcesFit
                weight: 2
                args:
                  scoringStrategy:
                    type: MostAllocated
            """)
        .contains(
            """
              - name: NodeResourcesFit
                weight: 5
                args:
                  scoringStrategy:
                    type: RequestedToCapacityRatio
                    resources:
                    - name: cpu
                      weight: 3
                    requestedToCapacityRatio:
                      shape:
            """)
        .contains("type: LeastAllocated\n        resources:\n        - name: memory");
    assertThat(run.exitCode()).as(run.out()).isZero();
    assertAccepted(run);
  }

  @Test
  void strategiesSideBySide_areListed() throws IOException {
    CommandRun run =
        convert(
            """
            apiVersion: kubescheduler.config.k8s.io/v1beta1
            kind: KubeSchedulerConfiguration
            profiles:
            - plugins: {score: {enabled: [{name: NodeResourcesMostAllocated}]}}
            """);

    assertThat(run.out()).contains("side by side", "type: MostAllocated");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void firstVersion_isOneProfile() throws IOException {
    CommandRun run =
        convert(
            """
            apiVersion: kubescheduler.config.k8s.io/v1alpha1
            kind: KubeSchedulerConfiguration
            schedulerName: my-scheduler
            algorithmSource: {provider: ClusterAutoscalerProvider}
            hardPodAffinitySymmetricWeight: 10
            disablePreemption: true
            bindTimeoutSeconds: 600
            plugins:
              score: {disabled: [{name: SelectorSpread}, {name: NodePreferAvoidPods}]}
            """);

    assertThat(run.out())
        .contains("name: my-scheduler", "hardPodAffinitySymmetricWeight: 10")
        .contains("preemption:\n    enabled: false")
        .contains("type: MostAllocated", "defaultingType: List")
        .doesNotContain("Without equivalent");
    assertThat(run.exitCode()).isZero();
    assertAccepted(run);
  }

  @Test
  void namesThatNoTwoPoliciesCanHave_areRefused() throws IOException {
    CommandRun twins =
        convert(
            """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles: [{schedulerName: a}, {schedulerName: a}]
            """);
    CommandRun replaced =
        convert(
            """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles: [{schedulerName: My_Scheduler}, {schedulerName: profile-0}]
            """);
    CommandRun bad = convert("{kind: Policy}", "--name", "Bad Name");

    assertThat(twins.err()).contains("profiles[1].schedulerName: another profile is called a too");
    assertThat(twins.exitCode()).isEqualTo(2);
    assertThat(replaced.out()).contains("name: profile-0\n", "name: profile-0-1\n");
    assertThat(bad.err()).contains("--name \"Bad Name\" cannot be the name of a policy");
    assertThat(bad.exitCode()).isEqualTo(2);
  }

  @Test
  void unknownVersion_isRefusedWithThoseThatExist() throws IOException {
    CommandRun run =
        convert("{apiVersion: kubescheduler.config.k8s.io/v2, kind: KubeSchedulerConfiguration}");

    assertThat(run.err()).contains("kubescheduler.config.k8s.io/v1beta3").hasLineCount(1);
    assertThat(run.exitCode()).isEqualTo(2);
  }

  @Test
  void defaultListsOfAPolicyFile_areTaken_withACommentOnWhatIsGone() throws IOException {
    CommandRun run =
        convert(
            """
            kind: Policy
            priorities:
            - {name: SelectorSpreadPriority, weight: 1}
            - {name: InterPodAffinityPriority, weight: 1}
            - {name: LeastRequestedPriority, weight: 1}
            - {name: BalancedResourceAllocation, weight: 1}
            - {name: NodePreferAvoidPodsPriority, weight: 10000}
            - {name: NodeAffinityPriority, weight: 1}
            - {name: TaintTolerationPriority, weight: 1}
            - {name: ImageLocalityPriority, weight: 1}
            - {name: EvenPodsSpreadPriority, weight: 2}
            - {name: EqualPriority, weight: 1}
            """);

    assertThat(run.out())
        .contains("# - priorities[4]: NodePreferAvoidPodsPriority has no equivalent in Berth")
        .contains("# - priorities[8]: and an earlier priority both correspond to PodTopologySpread")
        .contains("# - priorities[9]: EqualPriority gives every node the same score")
        .contains("percentageOfNodesToScore: 0");
    assertThat(run.exitCode()).isEqualTo(1);
    assertAccepted(run);
  }

  @Test
  void fileOfAnotherKind_isRefused() throws IOException {
    CommandRun run = convert("{kind: Pod, apiVersion: v1}");

    assertThat(run.err()).contains("its kind is Pod", "KubeSchedulerConfiguration").hasLineCount(1);
    assertThat(run.exitCode()).isEqualTo(2);
  }
}
