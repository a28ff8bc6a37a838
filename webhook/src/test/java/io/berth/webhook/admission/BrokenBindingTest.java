package io.berth.webhook.admission;

import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.policy;
import static io.berth.webhook.Resources.resource;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.webhook.binding.BindingReport;
import io.berth.webhook.binding.HeldPolicy;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.error.Problem;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A binding that is wrong in one field contributes nothing, and what it overrode counts again. */
class BrokenBindingTest {
  private static final String OLDER = "2026-01-01T00:00:00Z";
  private static final String YOUNGER = "2026-02-01T00:00:00Z";
  private static final String OWN_POLICY =
      "{metadata: {name: own, annotations: {sched.cloud.ctrip.com/policy: online}}, spec: {}}";
  private static final String PLAIN = "{metadata: {name: plain}, spec: {}}";

  private final LiveCatalog catalog = new LiveCatalog("berth-system");
  private final PodMutator mutator = new PodMutator(ConfigLookup.nothing(), InstantSource.system());
  private List<String> warnings = List.of();

  @BeforeEach
  void serve() {
    catalog.put(policy("online", OLDER, ""));
    catalog.put(policy("batch", OLDER, ""));
    catalog.put(
        resource(
            """
            kind: NodeSchedulerConfig
            metadata: {name: tolerant, generation: 1}
            spec: {tolerations: [{key: gpu, operator: Exists}]}
            """));
  }

  private void bind(String name, String created, String spec) {
    catalog.put(binding("team", name, created, spec));
  }

  private JsonNode created(String pod) {
    JsonNode json = yaml(pod);
    PodVerdict.Admitted admitted =
        (PodVerdict.Admitted) mutator.mutate("team", json, catalog.get());
    warnings = admitted.warnings().stream().map(Problem::text).toList();
    return JsonPatch.apply(json, admitted.patch());
  }

  private static String scheduler(JsonNode pod) {
    return pod.at("/spec/schedulerName").asText();
  }

  private static String policyOf(JsonNode pod) {
    return pod.path("metadata").path("annotations").path("sched.cloud.ctrip.com/policy").asText();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Allow", "Deny"})
  void thePodsOwnPolicy_counts_alsoWhereTheBindingNamesTheSame(String podOverrides) {
    bind(
        "half",
        OLDER,
        "podOverrides: %s, schedulingPolicy: online, nodeConfigs: [{name: gone}]"
            .formatted(podOverrides));

    JsonNode pod = created(OWN_POLICY);

    assertThat(scheduler(pod)).isEqualTo("berth");
    assertThat(policyOf(pod)).isEqualTo("online");
    assertThat(pod.at("/metadata/annotations").toString()).contains("\\\"by\\\":\\\"pod\\\"");
    assertThat(warnings)
        .singleElement()
        .asString()
        .startsWith("BERTH-1701 at SchedulerConfigBinding team/half")
        .contains(
            "\"gone\", which does not exist, or which namespace team may not use; the pod is"
                + " admitted without this binding");
  }

  @Test
  void aDenyBinding_takesNoAnnotation_ifItGivesNothing() {
    bind(
        "strict",
        OLDER,
        "podOverrides: Deny, schedulingPolicy: batch, nodeConfigs: [{name: gone}]");

    assertThat(policyOf(created(OWN_POLICY))).isEqualTo("online");
    assertThat(warnings).singleElement().asString().startsWith("BERTH-1701");
    assertThat(created(PLAIN)).as("nothing is given").isEqualTo(yaml(PLAIN));
    assertThat(warnings).singleElement().asString().contains("SchedulerConfigBinding team/strict");
  }

  @Test
  void validFields_doNotLeak_whereThePodDecidesTheBrokenOne() {
    bind("half", OLDER, "schedulingPolicy: missing, nodeConfigs: [{name: tolerant}]");

    JsonNode pod = created(OWN_POLICY);

    assertThat(policyOf(pod)).isEqualTo("online");
    assertThat(pod.at("/spec/tolerations").isMissingNode()).isTrue();
    assertThat(warnings).singleElement().asString().startsWith("BERTH-1701");
  }

  @Test
  void aGroupOfABrokenBinding_isNotWritten_andThePodsOwnStays() {
    bind("half", OLDER, "podOverrides: Deny, group: {}, nodeConfigs: [{name: gone}]");
    String pod =
        "{metadata: {name: p, annotations: {sched.cloud.ctrip.com/group: mine}}, spec: {}}";

    assertThat(created(pod)).isEqualTo(yaml(pod));
  }

  @Test
  void anotherBindingThatDeniesOverrides_holdsInItsPlace_andOneThatAllowsThemDoesNot() {
    bind(
        "broken",
        OLDER,
        "podOverrides: Deny, schedulingPolicy: online, nodeConfigs: [{name: gone}]");
    bind("default", OLDER, "schedulingPolicy: online");
    assertThat(scheduler(created(PLAIN))).isEmpty();

    bind("strict", YOUNGER, "podOverrides: Deny, schedulingPolicy: batch");

    assertThat(policyOf(created(PLAIN))).isEqualTo("batch");
    assertThat(policyOf(created(OWN_POLICY))).isEqualTo("batch");
  }

  @Test
  void aBindingWhoseConfigIsBroken_isNamedInTheWarning() {
    catalog.put(
        resource(
            """
            kind: NodeSchedulerConfig
            metadata: {name: invalid, generation: 1}
            spec: {tolerations: [{key: "${", operator: Exists}]}
            """));
    bind("half", OLDER, "schedulingPolicy: online, nodeConfigs: [{name: invalid}]");

    assertThat(created(PLAIN)).isEqualTo(yaml(PLAIN));
    assertThat(warnings)
        .singleElement()
        .asString()
        .startsWith("BERTH-1704 at SchedulerConfigBinding team/half: spec.nodeConfigs[0] names");
  }

  @Test
  void aConfigThatCannotBeMerged_takesItsBindingWithIt_andThePodsOwnPolicyCounts() {
    catalog.put(
        resource(
            """
            kind: NodeSchedulerConfig
            metadata: {name: many, generation: 1}
            spec:
              nodeAffinity:
                requiredDuringSchedulingIgnoredDuringExecution:
                  nodeSelectorTerms: [%s]
            """
                .formatted(terms("config", 9))));
    bind("half", OLDER, "podOverrides: Deny, schedulingPolicy: batch, nodeConfigs: [{name: many}]");
    String pod =
        """
        metadata: {name: own, annotations: {sched.cloud.ctrip.com/policy: online}}
        spec:
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms: [%s]
        """
            .formatted(terms("pod", 9));

    assertThat(policyOf(created(pod))).isEqualTo("online");
    assertThat(warnings)
        .singleElement()
        .asString()
        .startsWith("BERTH-1703 at SchedulerConfigBinding team/half: BERTH-1605: ");
  }

  private static String terms(String key, int count) {
    StringBuilder terms = new StringBuilder();
    for (int i = 0; i < count; i++) {
      terms.append("{matchExpressions: [{key: %s%d, operator: Exists}]}, ".formatted(key, i));
    }
    return terms.toString();
  }

  @Test
  void aBrokenDenyBinding_holdsNoPodThatWasAdmittedWithoutIt_untilItIsMended() {
    bind(
        "strict",
        OLDER,
        "podOverrides: Deny, schedulingPolicy: batch, nodeConfigs: [{name: gone}]");
    PodSubject pod = PodSubject.of("team", yaml(OWN_POLICY));

    assertThat(catalog.get().held().policy(pod, Optional.empty())).isEmpty();

    catalog.put(
        resource(
            """
            kind: NodeSchedulerConfig
            metadata: {name: gone, generation: 1}
            spec: {tolerations: [{key: gpu, operator: Exists}]}
            """));
    assertThat(catalog.get().held().policy(pod, Optional.empty()).flatMap(HeldPolicy::policy))
        .contains("batch");
  }

  @Test
  void aBindingBehindABrokenOne_getsTheReasonWhyItDoesNotDecide() {
    bind(
        "broken",
        OLDER,
        "podOverrides: Deny, schedulingPolicy: online, nodeConfigs: [{name: gone}]");
    bind("default", OLDER, "schedulingPolicy: online");

    BindingReport report =
        BindingReport.of(catalog.get(), Map.of(PodSubject.of("team", yaml(PLAIN)), 1))
            .values()
            .stream()
            .filter(each -> !each.losesTo().isEmpty())
            .findFirst()
            .orElseThrow();

    assertThat(report.losesTo().getFirst().reason())
        .isEqualTo(
            "it denies overrides; it cannot be applied, and no binding that allows overrides takes"
                + " its place");
  }
}
