package io.berth.demo.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.sandbox.schema.StructuralSchemaCompiler;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Mistakes that are rejected by the schemas alone, without the webhook. */
class SchemaRefusalTest {

  private Definitions definitions;

  @BeforeEach
  void read() throws IOException {
    definitions = Definitions.read();
  }

  @Test
  void everyDefinition_isTakenByAnApiServer() {
    definitions
        .schemas()
        .forEach(
            (kind, schema) ->
                assertThat(new StructuralSchemaCompiler().check(schema, kind)).as(kind).isEmpty());
    assertThat(definitions.schemas()).hasSize(5);
  }

  @ParameterizedTest(name = "{1} {2}")
  @MethodSource("mistakes")
  void mistake_isRefusedWithItsPlaceAndWords(String kind, String field, String words, String spec)
      throws IOException {
    String manifest =
        "apiVersion: sched.cloud.ctrip.com/v1\nkind: %s\nmetadata: {name: x}\nspec: %s\n"
            .formatted(kind, spec);

    assertThat(definitions.problems(Definitions.manifest(manifest)))
        .anySatisfy(problem -> assertThat(problem).startsWith(field).contains(words));
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(
        binding("spec", "this binding has no effect", "{priority: 3}"),
        binding("spec", "this binding has no effect", "{nodeConfigs: [], podConfigs: []}"),
        binding(
            "spec",
            "a DryRun binding changes nothing",
            "{schedulingPolicy: a, enforcement: DryRun, repair: Recreate}"),
        binding("spec.enforcement", "Enforce", "{schedulingPolicy: a, enforcement: Sometimes}"),
        binding("spec.rollout.percent", "100", "{schedulingPolicy: a, rollout: {percent: 101}}"),
        binding("spec.schedulingPolicy", "should match", "{schedulingPolicy: Not A Name}"),
        binding("spec.nodeConfigs[1]", "uplicate", "{nodeConfigs: [{name: a}, {name: a}]}"),
        binding("spec.podSelectors", "unknown field", "{schedulingPolicy: a, podSelectors: {}}"),
        nodeConfig("spec", "this config has no effect", "{parameters: [{name: A}]}"),
        nodeConfig(
            "spec.parameters[0].type",
            "stringList",
            "{tolerations: [], parameters: [{name: A, type: float}]}"),
        nodeConfig(
            "spec.parameters[0]",
            "minimum must not be greater than maximum",
            "{tolerations: [], parameters: [{name: A, type: integer, minimum: 3, maximum: 2}]}"),
        nodeConfig(
            "spec.parameters[0]",
            "minimum and maximum are for parameters of type integer",
            "{tolerations: [], parameters: [{name: A, minimum: 3}]}"),
        nodeConfig(
            "spec.parameters[0].name",
            "should match",
            "{tolerations: [], parameters: [{name: a-b}]}"),
        nodeConfig(
            "spec.tolerations[0].effect",
            "should match",
            "{tolerations: [{effect: NoScheduling}]}"),
        nodeConfig(
            "spec.allowedNamespaces",
            "remove allowedNamespaces to allow all namespaces",
            "{tolerations: [], allowedNamespaces: {}}"),
        podConfig("spec", "this config has no effect", "{}"),
        podConfig(
            "spec.topologySpreadConstraints[0].maxSkew",
            "equired",
            "{topologySpreadConstraints: [{topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}"),
        policy(
            "spec.hardPodAffinitySymmetricWeight", "100", "{hardPodAffinitySymmetricWeight: 101}"),
        policy("spec.priorities[0].weight", "0", "{priorities: [{name: A, weight: -1}]}"),
        policy("spec.extenders[0]", "never called", "{extenders: [{urlPrefix: 'http://a'}]}"),
        policy(
            "spec.extenders[0]",
            "needs a weight of at least 1",
            "{extenders: [{urlPrefix: 'http://a', prioritizeVerb: p, weight: 0}]}"),
        policy(
            "spec.gpu.targetWorkload[0]",
            "only single cards can be shared",
            "{gpu: {targetWorkload: [{cards: 2, milliGpu: 500}]}}"));
  }

  private static Arguments binding(String field, String words, String spec) {
    return Arguments.of("SchedulerConfigBinding", field, words, spec);
  }

  private static Arguments nodeConfig(String field, String words, String spec) {
    return Arguments.of("NodeSchedulerConfig", field, words, spec);
  }

  private static Arguments podConfig(String field, String words, String spec) {
    return Arguments.of("PodSchedulerConfig", field, words, spec);
  }

  private static Arguments policy(String field, String words, String spec) {
    return Arguments.of("SchedulingPolicy", field, words, spec);
  }
}
