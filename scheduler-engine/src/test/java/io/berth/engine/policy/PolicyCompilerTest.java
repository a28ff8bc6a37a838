package io.berth.engine.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.framework.Plugin;
import io.berth.engine.plugins.InterPodAffinity;
import io.berth.engine.plugins.NodeResourcesFit;
import io.berth.engine.plugins.ScoringStrategy;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What becomes of policies, good and bad. */
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
    assertThat(policy.filters()).hasSize(12);
    assertThat(weights(policy))
        .containsEntry("TaintToleration", 3L)
        .containsEntry("NodeAffinity", 2L)
        .containsEntry("PodTopologySpread", 2L)
        .containsEntry("ImageLocality", 1L)
        .hasSize(7);
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
        .containsExactly("NodeName", "NodeAffinity", "NodePorts", "NodeResourcesFit");
    assertThat(policy.scores()).hasSize(1);
    assertThat(((NodeResourcesFit) policy.scores().getFirst().plugin()).strategy())
        .isInstanceOf(ScoringStrategy.MostAllocated.class);
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
        .contains("did you mean ImageLocality?");
  }

  @Test
  void unknownArgument_isRefusedWithWhatIsAccepted() {
    assertThat(
            problems(
                "{'priorities':[{'name':'NodeResourcesFit','args':{'scoringStrategy':"
                    + "{'type':'MostAlocated'},'strategy':'x'}}]}"))
        .contains("spec.priorities[0].args.scoringStrategy.type: \"MostAlocated\" is not known")
        .contains("did you mean MostAllocated?")
        .contains("spec.priorities[0].args.strategy: unknown field; accepted: ");
  }

  @Test
  void everyProblemIsTold() {
    assertThat(
            List.of(
                problems(
                        "{'percentageOfNodesToScore':101,'extenders':[{'urlPrefix':'http://x'}],"
                            + "'priorities':[{'name':'WaterLevel'},"
                            + "{'name':'InterPodAffinity','args':{'hardPodAffinityWeight':101}}]}")
                    .split("\n")))
        .hasSize(4);
  }
}
