package io.berth.webhook.admission;

import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.policy;
import static io.berth.webhook.Resources.resource;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.binding.OwnerLookup;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.binding.PolicyServing;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.validation.ConfigValidator;
import io.berth.webhook.validation.ValidationResult;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** References to policies that were stored although the engine cannot use them. */
class BrokenPolicyTest {
  private static final String CREATED = "2026-01-01T00:00:00Z";
  private static final Problem FLAW =
      new Problem(ErrorCode.POLICY_INVALID, "spec.predicates[0].name", "unknown algorithm");

  private final Set<String> broken = new HashSet<>();
  private final Set<String> lastGood = new HashSet<>();
  private final LiveCatalog catalog =
      new LiveCatalog(
          "berth-system",
          OwnerLookup.byName(),
          new PolicyServing() {
            @Override
            public Optional<Problem> flaw(HasMetadata policy) {
              return broken.contains(policy.getMetadata().getName())
                  ? Optional.of(FLAW)
                  : Optional.empty();
            }

            @Override
            public boolean hasLastGood(String uid) {
              return lastGood.contains(uid);
            }
          });

  private final PodMutator mutator = new PodMutator(ConfigLookup.nothing(), InstantSource.system());

  @Test
  void aBindingToAPolicyThatNeverWasGoodGivesNothingAndSaysSo() {
    broken.add("batch");
    put("batch", "");
    catalog.put(binding("team-a", "spark", CREATED, "schedulingPolicy: batch"));

    PodVerdict.Admitted admitted = admitted("{metadata: {name: p}, spec: {}}");

    assertThat(admitted.patch()).as("the pod keeps its scheduler").isEmpty();
    assertThat(texts(admitted.warnings()))
        .containsExactly(
            "BERTH-1709 at SchedulerConfigBinding team-a/spark:"
                + " spec.schedulingPolicy names SchedulingPolicy \"batch\", which is invalid, and"
                + " no earlier revision of it can be used (BERTH-1804 at spec.predicates[0].name);"
                + " the pod is admitted without this binding");
    assertThat(admitted.mistakes()).hasSize(1);
  }

  @Test
  void theConfigsOfSuchABinding_areLeftOutTooAndOtherBindingsAreNot() {
    broken.add("batch");
    put("batch", "");
    catalog.put(
        resource(
            """
            kind: NodeSchedulerConfig
            metadata: {name: of-the-binding, generation: 1}
            spec: {tolerations: [{key: gpu, operator: Exists}]}
            """));
    catalog.put(
        resource(
            """
            kind: PodSchedulerConfig
            metadata: {name: of-another, generation: 1}
            spec:
              topologySpreadConstraints:
              - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}
            """));
    catalog.put(
        binding(
            "team-a",
            "spark",
            CREATED,
            "schedulingPolicy: batch, nodeConfigs: [{name: of-the-binding}]"));
    catalog.put(binding("team-a", "spread", CREATED, "podConfigs: [{name: of-another}]"));

    String patch = admitted("{metadata: {name: p}, spec: {}}").patch().toString();

    assertThat(patch).contains("of-another").doesNotContain("of-the-binding", "berth\"");
  }

  @Test
  void podsThatComeAfterThePolicy_wasMendedGetIt() {
    broken.add("batch");
    put("batch", "");
    catalog.put(binding("team-a", "spark", CREATED, "schedulingPolicy: batch"));
    assertThat(admitted("{metadata: {name: p}, spec: {}}").patch()).isEmpty();

    broken.clear();
    put("batch", "alwaysCheckAllPredicates: true");

    assertThat(admitted("{metadata: {name: p}, spec: {}}").patch().toString())
        .contains("/spec/schedulerName", "batch");
  }

  @Test
  void aPolicyWhoseLastGoodRevisionServes_isGivenAsBefore() {
    broken.add("batch");
    lastGood.add("uid-of-batch");
    put("batch", "");
    catalog.put(binding("team-a", "spark", CREATED, "schedulingPolicy: batch"));

    PodVerdict.Admitted admitted = admitted("{metadata: {name: p}, spec: {}}");

    assertThat(admitted.patch().toString()).contains("/spec/schedulerName", "batch");
    assertThat(admitted.warnings()).isEmpty();
  }

  @Test
  void aPodThatNamesSuchAPolicyItself_waitsForItAndIsWarned() {
    broken.add("batch");
    put("batch", "");

    PodVerdict.Admitted admitted =
        admitted("{metadata: {annotations: {sched.cloud.ctrip.com/policy: batch}}, spec: {}}");

    assertThat(admitted.patch().toString()).contains("/spec/schedulerName");
    assertThat(texts(admitted.warnings()))
        .containsExactly(
            "BERTH-1709 at metadata.annotations[sched.cloud.ctrip.com/policy]: SchedulingPolicy"
                + " \"batch\" is invalid, and no earlier revision of it can be used (BERTH-1804 at"
                + " spec.predicates[0].name), so the pod stays pending until the policy is valid");
  }

  @Test
  void aBindingThatNamesSuchAPolicy_isWarnedAboutWhenItIsApplied() {
    broken.add("batch");
    put("batch", "");

    ValidationResult findings =
        new ConfigValidator((name, spec) -> List.of())
            .validate(
                "SchedulerConfigBinding",
                "team-a",
                "spark",
                yaml("{metadata: {name: spark}, spec: {schedulingPolicy: batch}}"),
                catalog.get());

    assertThat(findings.problems()).isEmpty();
    assertThat(findings.warnings())
        .extracting(Problem::code)
        .containsExactly(ErrorCode.POLICY_BROKEN);
  }

  @Test
  void aDenyBindingToSuchAPolicy_holdsNoPod() {
    broken.add("batch");
    put("batch", "");
    catalog.put(binding("team-a", "spark", CREATED, "podOverrides: Deny, schedulingPolicy: batch"));

    assertThat(
            catalog
                .get()
                .held()
                .policy(
                    PodSubject.of("team-a", yaml("{metadata: {name: p}, spec: {}}")),
                    Optional.of(new BindingKey("team-a", "spark"))))
        .isEmpty();
  }

  @Test
  void aBrokenDefault_isPassedOver() {
    broken.add("older");
    put("older", "default: true");
    put("younger", "default: true");

    assertThat(catalog.get().defaultPolicy().orElseThrow().name()).isEqualTo("younger");
  }

  private void put(String name, String spec) {
    HasMetadata policy = policy(name, CREATED, spec);
    policy.getMetadata().setUid("uid-of-" + name);
    policy.getMetadata().setGeneration((long) spec.length());
    catalog.put(policy);
  }

  private PodVerdict.Admitted admitted(String pod) {
    return (PodVerdict.Admitted) mutator.mutate("team-a", yaml(pod), catalog.get());
  }

  private static List<String> texts(List<Problem> problems) {
    return problems.stream().map(Problem::text).toList();
  }
}
