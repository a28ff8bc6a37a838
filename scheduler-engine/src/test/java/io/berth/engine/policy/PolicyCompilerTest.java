package io.berth.engine.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.AlgorithmNames;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.Plugin;
import io.berth.engine.framework.Shadow;
import io.berth.engine.plugins.InterPodAffinity;
import io.berth.engine.plugins.MostAvailable;
import io.berth.engine.plugins.NodeResourcesFit;
import io.berth.engine.plugins.ScoringStrategy;
import io.berth.engine.plugins.WaterLevel;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compilation of valid and invalid policies. */
class PolicyCompilerTest {
  private static PolicyCompilation compile(String spec) {
    try {
      return new PolicyCompiler()
          .compile(
              "p",
              "1",
              new ObjectMapper().readValue(spec.replace('\'', '"'), SchedulingPolicySpec.class));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(spec, e);
    }
  }

  private static CompiledPolicy good(String spec) {
    PolicyCompilation compilation = compile(spec);
    assertThat(compilation).isInstanceOf(PolicyCompilation.Compiled.class);
    return ((PolicyCompilation.Compiled) compilation).policy();
  }

  private static String problems(String spec) {
    PolicyCompilation compilation = compile(spec);
    assertThat(compilation).isInstanceOf(PolicyCompilation.Invalid.class);
    return ((PolicyCompilation.Invalid) compilation)
        .problems().stream()
            .map(problem -> problem.path() + ": " + problem.message())
            .collect(Collectors.joining("\n"));
  }

  private static Map<String, Long> weights(CompiledPolicy policy) {
    return policy.scores().stream()
        .collect(
            Collectors.toMap(score -> score.plugin().name(), CompiledPolicy.WeightedScore::weight));
  }

  @Test
  void emptyPolicy_isTheDefaultSetWithItsWeights() {
    CompiledPolicy policy = good("{}");
    assertThat(policy.filters()).hasSize(16);
    assertThat(weights(policy))
        .containsEntry("TaintToleration", 3L)
        .containsEntry("NodeAffinity", 2L)
        .containsEntry("PodTopologySpread", 2L)
        .containsEntry("ImageLocality", 1L)
        .containsEntry("DynamicResources", 2L)
        .containsEntry("VolumeBinding", 1L)
        .hasSize(9);
  }

  @Test
  void entriesReplaceTheirNamesakes_andWeightZeroRemoves() {
    CompiledPolicy policy =
        good(
            "{'priorities':[{'name':'ImageLocality','weight':0},{'name':'NodeAffinity','weight':50}]}");
    assertThat(weights(policy))
        .doesNotContainKey("ImageLocality")
        .containsEntry("NodeAffinity", 50L);
  }

  @Test
  void withoutInheritance_whatTheKubeletChecksStays() {
    CompiledPolicy policy =
        good(
            "{'inheritDefaults':false,'priorities':[{'name':'MostRequestedPriority','weight':2}]}");
    assertThat(policy.filters().stream().map(Plugin::name))
        .containsExactly(
            "NodeName",
            "NodeAffinity",
            "NodePorts",
            "NodeResourcesFit",
            "GpuCards",
            "DynamicResources");
    assertThat(policy.scores()).hasSize(1);
    assertThat(((NodeResourcesFit) policy.scores().getFirst().plugin()).strategy())
        .isInstanceOf(ScoringStrategy.MostAllocated.class);
  }

  @Test
  void gpu_bringsTheScoreThatKeepsCardsUsable_unlessCardsAreSpread() {
    assertThat(weights(good("{'gpu':{}}"))).containsEntry("GpuFragmentation", 1_000_000L);
    assertThat(weights(good("{'gpu':{'cardChoice':'Topology'}}"))).containsKey("GpuFragmentation");
    assertThat(weights(good("{'gpu':{'cardChoice':'Spread'}}")))
        .doesNotContainKey("GpuFragmentation");
    assertThat(weights(good("{'gpu':{},'priorities':[{'name':'GpuFragmentation','weight':7}]}")))
        .containsEntry("GpuFragmentation", 7L);
    assertThat(weights(good("{'gpu':{},'priorities':[{'name':'GpuFragmentation','weight':0}]}")))
        .doesNotContainKey("GpuFragmentation");
  }

  @Test
  void targetWorkload_isCheckedShapeByShape() {
    assertThat(
            problems(
                "{'gpu':{'targetWorkload':[{'cards':1,'milliGpu':500},"
                    + "{'cards':2,'milliGpu':500},{'cards':65},{'cards':1,'milliCpu':-1}]}}"))
        .isEqualTo(
            "spec.gpu.targetWorkload[1].milliGpu: must be 1000 unless cards is 1: only single cards"
                + " can be shared\n"
                + "spec.gpu.targetWorkload[2].cards: must be 0 to 64, not 65\n"
                + "spec.gpu.targetWorkload[3].milliCpu: must be 0 or more, not -1");
  }

  @Test
  void hardPodAffinityWeight_reachesTheScore() {
    CompiledPolicy policy = good("{'hardPodAffinitySymmetricWeight':7}");
    assertThat(policy.scores().stream().map(CompiledPolicy.WeightedScore::plugin).toList())
        .contains(new InterPodAffinity(7, false));
  }

  @Test
  void filterThatTheKubeletChecks_cannotBeRemoved() {
    assertThat(problems("{'predicates':[{'name':'PodFitsResources','enabled':false}]}"))
        .contains("spec.predicates[0].enabled")
        .contains("NodeResourcesFit cannot be removed");
  }

  @Test
  void unknownName_isRefusedWithTheNearest() {
    assertThat(problems("{'priorities':[{'name':'ImageLocalty'}]}"))
        .startsWith("spec.priorities[0].name: unknown algorithm \"ImageLocalty\"; accepted: ")
        .contains("did you mean \"ImageLocality\"?");
  }

  @Test
  void unknownArgument_isRefusedWithWhatIsAccepted() {
    assertThat(
            problems(
                "{'priorities':[{'name':'NodeResourcesFit','args':{'scoringStrategy':"
                    + "{'type':'MostAlocated'},'strategy':'x'}}]}"))
        .contains("spec.priorities[0].args.scoringStrategy.type: \"MostAlocated\" is not supported")
        .contains("did you mean \"MostAllocated\"?")
        .contains("spec.priorities[0].args.strategy: unknown field; accepted: ");
  }

  @Test
  void waterLevelArguments_areCheckedWhereTheyAreWritten() {
    assertThat(
            problems(
                    "{'priorities':[{'name':'WaterLevel','args':{'packAbove':0.5,'spreadBelow':0.6,"
                        + "'scope':{'nodeLabel':'a b'}}}]}")
                .split("\n"))
        .containsExactlyInAnyOrder(
            "spec.priorities[0].args.spreadBelow: must not be greater than packAbove, which is 0.5,"
                + " but is 0.6",
            "spec.priorities[0].args.scope.nodeLabel: \"a b\" must be the key of a node label, such"
                + " as cloud.example.com/pool");
    assertThat(problems("{'priorities':[{'name':'WaterLevel','args':{'packAbove':85}}]}"))
        .isEqualTo("spec.priorities[0].args.packAbove: must be a number from 0 to 1, not 85");
    assertThat(good("{'priorities':[{'name':'WaterLevel','weight':2}]}").scores())
        .contains(new CompiledPolicy.WeightedScore(new WaterLevel(), 2));
  }

  @Test
  void mostAvailableArguments_areCheckedWhereTheyAreWritten() {
    assertThat(
            problems(
                "{'priorities':[{'name':'MostAvailable','args':{'maxAge':'2h','floor':{'cpu':'much'}}}]}"))
        .contains("spec.priorities[0].args.maxAge: must be a duration from 1 s to 3600 s")
        .contains("spec.priorities[0].args.floor.cpu: ");
    assertThat(
            good("{'priorities':[{'name':'MostAvailable','weight':2,'args':{'maxAge':'3m'}}]}")
                .scores())
        .contains(new CompiledPolicy.WeightedScore(new MostAvailable(), 2));
  }

  @Test
  void everyProblemIsReported() {
    assertThat(
            List.of(
                problems(
                        "{'percentageOfNodesToScore':101,'extenders':[{'urlPrefix':'http://x'}],"
                            + "'priorities':[{'name':'NoSuchScore'},"
                            + "{'name':'InterPodAffinity','args':{'hardPodAffinityWeight':101}}]}")
                    .split("\n")))
        .hasSize(4);
  }

  @Test
  void legacyNames_standForPluginsThatExist_andTheDefaultSetIsTheRegistry() {
    assertThat(PluginRegistry.standard().filterNames())
        .containsExactlyElementsOf(AlgorithmNames.DEFAULT_FILTERS);
    assertThat(PluginRegistry.standard().scoreNames())
        .containsExactlyElementsOf(
            Stream.concat(
                    AlgorithmNames.DEFAULT_WEIGHTS.keySet().stream(),
                    Stream.of("WaterLevel", "MostAvailable", AlgorithmNames.GPU_FRAGMENTATION))
                .toList());
    assertThat(AlgorithmNames.legacyFilterNames())
        .allSatisfy(
            name ->
                assertThat(PluginRegistry.standard().filterNames())
                    .containsAll(AlgorithmNames.filtersOf(name)));
    assertThat(AlgorithmNames.legacyScoreNames())
        .allSatisfy(
            name ->
                assertThat(PluginRegistry.standard().scoreNames())
                    .contains(AlgorithmNames.scoreOf(name).orElseThrow()));
  }

  @Test
  void everyLegacyName_isTaken_alone() {
    for (String name : AlgorithmNames.legacyFilterNames()) {
      good("{'predicates':[{'name':'" + name + "'}]}");
    }
    for (String name : AlgorithmNames.legacyScoreNames()) {
      good("{'priorities':[{'name':'" + name + "','weight':1}]}");
    }
  }

  /** Accepts the names in the example of the Kubernetes 1.22 tree. */
  @Test
  void legacyExample_isTakenWithItsNames() {
    CompiledPolicy policy =
        good(
            "{'inheritDefaults':false,'predicates':[{'name':'PodFitsHostPorts'},"
                + "{'name':'PodFitsResources'},{'name':'NoDiskConflict'},"
                + "{'name':'NoVolumeZoneConflict'},{'name':'MatchNodeSelector'},"
                + "{'name':'HostName'}],'priorities':[{'name':'LeastRequestedPriority','weight':1},"
                + "{'name':'BalancedResourceAllocation','weight':1},"
                + "{'name':'ServiceSpreadingPriority','weight':1},"
                + "{'name':'EqualPriority','weight':1}]}");
    assertThat(weights(policy))
        .containsOnlyKeys(
            "NodeResourcesFit", "NodeResourcesBalancedAllocation", "PodTopologySpread");
  }

  @Test
  void namesWithoutEqual_areRefusedWithWhatToDoInstead() {
    assertThat(problems("{'priorities':[{'name':'NodePreferAvoidPodsPriority'}]}"))
        .isEqualTo(
            "spec.priorities[0].name: NodePreferAvoidPodsPriority does not exist in Berth: taint"
                + " the nodes with effect PreferNoSchedule");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "predicates ~ NodeResourcesFit ~ {'scoringStrategy':{'type':'MostAllocated'}} ~"
            + " scoringStrategy: has no effect in spec.predicates",
        "predicates ~ NodeResourcesFit ~ {'ignoredResources':['memory']} ~ ignoredResources:"
            + " \"memory\" cannot be ignored",
        "predicates ~ NodeResourcesFit ~ {'ignoredResources':['gpu']} ~ ignoredResources: \"gpu\""
            + " is not a resource",
        "priorities ~ NodeResourcesFit ~ {'ignoredResources':['a.b/c']} ~ ignoredResources: has no"
            + " effect in spec.priorities",
        "priorities ~ NodeResourcesFit ~"
            + " {'scoringStrategy':{'requestedToCapacityRatio':{'shape':[{'utilization':0,'score':0}]}}}"
            + " ~ scoringStrategy.requestedToCapacityRatio: has no effect if type is"
            + " LeastAllocated",
        "priorities ~ NodeResourcesFit ~ {'scoringStrategy':{'resources':[{'name':'Memory'}]}} ~"
            + " scoringStrategy.resources[0].name: \"Memory\" is not a resource",
        "priorities ~ NodeResourcesFit ~"
            + " {'scoringStrategy':{'resources':[{'name':'nvidia.com/gpu!'}]}} ~"
            + " scoringStrategy.resources[0].name: \"nvidia.com/gpu!\" is not a resource",
        "priorities ~ LeastRequestedPriority ~ {'scoringStrategy':{'type':'MostAllocated'}} ~"
            + " scoringStrategy.type: LeastRequestedPriority means LeastAllocated",
        "priorities ~ EqualPriority ~ {'a':1} ~ a: unknown field",
        "predicates ~ InterPodAffinity ~ {'hardPodAffinityWeight':3} ~ hardPodAffinityWeight:"
            + " has no effect in spec.predicates",
        "predicates ~ PodTopologySpread ~"
            + " {'defaultConstraints':[{'topologyKey':'zone','whenUnsatisfiable':'ScheduleAnyway'}]}"
            + " ~ defaultConstraints[0].whenUnsatisfiable: ScheduleAnyway has no effect in"
            + " spec.predicates",
        "priorities ~ PodTopologySpread ~"
            + " {'defaultConstraints':[{'topologyKey':'zone'},{'topologyKey':'zone','maxSkew':2}]}"
            + " ~ defaultConstraints[1].topologyKey: \"zone\" with ScheduleAnyway is a duplicate",
        "priorities ~ PodTopologySpread ~ {'defaultConstraints':[{'topologyKey':'a b'}]} ~"
            + " defaultConstraints[0].topologyKey: \"a b\" cannot be the key of a label",
        "predicates ~ NodeAffinity ~"
            + " {'addedAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[]}}}"
            + " ~ nodeSelectorTerms: must have at least one term",
        "predicates ~ NodeAffinity ~"
            + " {'addedAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{}]}}}"
            + " ~ an empty term matches no node",
        "predicates ~ NodeAffinity ~"
            + " {'addedAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'a"
            + " b','operator':'Exists'}]}]}}} ~ key: \"a b\" cannot be the key of a label",
        "predicates ~ NodeAffinity ~"
            + " {'addedAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'a','operator':'In','values':['b"
            + " c']}]}]}}} ~ values: \"b c\" ",
        "predicates ~ NodeAffinity ~"
            + " {'addedAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchFields':[{'key':'a','operator':'In','values':['b']}]}]}}}"
            + " ~ matchFields[0].key: \"a\" is not supported",
        "predicates ~ NodeAffinity ~"
            + " {'addedAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[]}} ~"
            + " preferredDuringSchedulingIgnoredDuringExecution: has no effect in spec.predicates",
        "priorities ~ NodeAffinity ~"
            + " {'addedAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{}}} ~"
            + " requiredDuringSchedulingIgnoredDuringExecution: has no effect in spec.priorities",
      })
  void argumentThatDoesNothingOrCannotBeRight_isRefused(
      String list, String name, String args, String problem) {
    assertThat(problems("{'" + list + "':[{'name':'" + name + "','args':" + args + "}]}"))
        .contains("spec." + list + "[0].args.")
        .contains(problem);
  }

  @Test
  void argumentsOfWhatIsSwitchedOff_areCheckedToo() {
    assertThat(
            List.of(
                problems(
                        "{'predicates':[{'name':'VolumeZone','enabled':false,'args':{'a':1}}],"
                            + "'priorities':[{'name':'ImageLocality','weight':0,'args':{'b':1}},"
                            + "{'name':'NodeAffinity','enabled':false,'args':{'c':1}}]}")
                    .split("\n")))
        .hasSize(3)
        .allSatisfy(problem -> assertThat(problem).contains(": unknown field"));
  }

  @Test
  void legacyName_keepsItsStrategy_whenItsResourcesAreGiven() {
    CompiledPolicy policy =
        good(
            "{'priorities':[{'name':'MostRequestedPriority','args':{'scoringStrategy':"
                + "{'resources':[{'name':'cpu'}]}}}]}");
    assertThat(policy.scores())
        .extracting(CompiledPolicy.WeightedScore::plugin)
        .filteredOn(NodeResourcesFit.class::isInstance)
        .singleElement()
        .extracting(plugin -> ((NodeResourcesFit) plugin).strategy())
        .isInstanceOf(ScoringStrategy.MostAllocated.class);
  }

  @Test
  void aShadow_namesAnotherPolicy_andAPercentage() {
    assertThat(problems("{'shadow':{'policy':'p','percent':0}}"))
        .contains(
            "spec.shadow.policy: must be another policy",
            "spec.shadow.percent: must be 1 to 100, not 0");
    assertThat(problems("{'shadow':{'percent':5}}"))
        .contains("spec.shadow.policy: must name the SchedulingPolicy to compare with");
    assertThat(good("{'shadow':{'policy':'other'}}").shadow()).contains(new Shadow("other", 10));
  }
}
