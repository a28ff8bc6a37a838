package io.berth.webhook.admission;

import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.resource;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.rollout.SpecHash;
import io.fabric8.kubernetes.client.CustomResource;
import java.time.InstantSource;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Pods into which the newer revision of a config is rendered that is rolled out. */
class RolledConfigTest {
  private static final String SMALL = "tolerations: [{key: a, operator: Exists}]";
  private static final String TWO_TERMS =
      """
      nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
        {matchExpressions: [{key: x, operator: In, values: [a]}]},
        {matchExpressions: [{key: y, operator: In, values: [b]}]}]}}
      """;

  private final LiveCatalog catalog = new LiveCatalog("berth-system");
  private final PodMutator mutator = new PodMutator(ConfigLookup.nothing(), InstantSource.system());

  private static HasStatus config(int generation, String spec) {
    return new HasStatus(generation, spec);
  }

  /** A config with the state of its rollout. */
  private record HasStatus(int generation, String spec) {
    CustomResource<?, ?> with(String rollout) {
      return (CustomResource<?, ?>)
          resource(
              """
              kind: NodeSchedulerConfig
              metadata: {name: zone, uid: u, generation: %d, resourceVersion: "%d%d"}
              spec: {rollout: {steps: [{percent: 100, hold: 1h}]}, %s}
              status: {rollout: %s}
              """
                  .formatted(generation, generation, rollout.length(), spec.strip(), rollout));
    }

    String hash() {
      return SpecHash.of(with("null").getSpec());
    }
  }

  private void rollOut(String before, String after) {
    HasStatus first = config(1, before);
    HasStatus second = config(2, after);
    catalog.put(first.with("null"));
    catalog.put(
        second.with(
            "{phase: Progressing, revision: '2', specHash: %s, step: 1, progress: x, percent: 100, stableRevision: '1', stableSpecHash: %s}"
                .formatted(second.hash(), first.hash())));
  }

  private static JsonNode pod(int terms) {
    String own =
        IntStream.range(0, terms)
            .mapToObj("{matchExpressions: [{key: k%s, operator: Exists}]}"::formatted)
            .collect(Collectors.joining(", "));
    return yaml(
        """
        metadata: {name: p, annotations: {scb.sched.cloud.ctrip.com/nsc: zone}}
        spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [%s]}}}}
        """
            .formatted(own));
  }

  private String applied(JsonNode pod) {
    PodVerdict verdict = mutator.mutate("team", pod, catalog.get());
    assertThat(verdict).isInstanceOf(PodVerdict.Admitted.class);
    return ((PodVerdict.Admitted) verdict).patch().toString().replace("\\", "");
  }

  @Test
  void aPodThatCanTakeTheNewerRevisionGetsIt() {
    rollOut(SMALL, TWO_TERMS);
    assertThat(applied(pod(2))).contains("zone@2").doesNotContain("refused");
  }

  @Test
  void aPodThatWouldGetTooManyTerms_getsTheLastCompleteRevision_andAMark() {
    rollOut(SMALL, TWO_TERMS);
    assertThat(applied(pod(33)))
        .as("33 terms of the pod and 2 of the config would be 66, and the limit is 64")
        .contains("configs\":[\"zone@1\"]")
        .contains("refused\":[\"zone@2\"]");
  }

  @Test
  void aPodThatWouldGetTooManyTermsOfTheLastCompleteRevision_isDeniedAsWithoutARollout() {
    rollOut(TWO_TERMS, TWO_TERMS.replace("[b]", "[c]"));
    assertThat(mutator.mutate("team", pod(33), catalog.get()))
        .isInstanceOf(PodVerdict.Denied.class);
  }

  @Test
  void aConfigIsNotBlamedForABindingThatIsSetAside() {
    catalog.put(config(1, TWO_TERMS).with("null"));
    catalog.put(binding("team", "all", "2026-01-01T00:00:00Z", "nodeConfigs: [{name: zone}]"));
    HasStatus first = config(1, "topologySpreadConstraints: [%s]".formatted(spread("a")));
    HasStatus second = config(2, "topologySpreadConstraints: [%s]".formatted(spread("b")));
    catalog.put(spreading(first, "null"));
    catalog.put(
        spreading(
            second,
            "{phase: Progressing, revision: '2', specHash: %s, step: 1, progress: x, percent: 100, stableRevision: '1', stableSpecHash: %s}"
                .formatted(
                    SpecHash.of(spreading(second, "null").getSpec()),
                    SpecHash.of(spreading(first, "null").getSpec()))));
    JsonNode pod = pod(33);
    ((ObjectNode) pod.path("metadata"))
        .putObject("annotations")
        .put("scb.sched.cloud.ctrip.com/psc", "spread");

    assertThat(applied(pod))
        .as("the binding's 2 terms do not fit beside the pod's 33, the constraint does")
        .contains("spread@2")
        .doesNotContain("refused");
  }

  private static String spread(String key) {
    return "{maxSkew: 1, topologyKey: %s, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: w}}}"
        .formatted(key);
  }

  private static CustomResource<?, ?> spreading(HasStatus config, String rollout) {
    return (CustomResource<?, ?>)
        resource(
            """
            kind: PodSchedulerConfig
            metadata: {name: spread, uid: v, generation: %d, resourceVersion: "%d%d"}
            spec: {rollout: {steps: [{percent: 100, hold: 1h}]}, %s}
            status: {rollout: %s}
            """
                .formatted(
                    config.generation(),
                    config.generation(),
                    rollout.length(),
                    config.spec(),
                    rollout));
  }
}
