package io.berth.webhook.binding;

import static io.berth.webhook.Resources.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.webhook.rollout.SpecHash;
import io.berth.webhook.template.InvalidTemplate;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The revisions of rolled-out objects that the catalog serves. */
class RolledObjectsTest {
  private static final String A = "tolerations: [{key: a, operator: Exists}]";
  private static final String B = "tolerations: [{key: b, operator: Exists}]";
  private static final String C = "tolerations: [{key: c, operator: Exists}]";
  private static final String BROKEN = "tolerations: [{key: \"${Missing\", operator: Exists}]";
  private static final String STEPS = "rollout: {steps: [{percent: 50, hold: 1h}]}, ";

  private final LiveCatalog catalog = new LiveCatalog("berth-system");

  private static CustomResource<?, ?> config(int generation, String spec, String rollout) {
    return (CustomResource<?, ?>)
        resource(
            """
            kind: NodeSchedulerConfig
            metadata: {name: linux, uid: u, generation: %d, resourceVersion: "%d"}
            spec: {%s}
            status: {rollout: %s}
            """
                .formatted(generation, 100 * generation + rollout.length(), spec, rollout));
  }

  private static String hash(String spec) {
    return SpecHash.of(config(1, spec, "null").getSpec());
  }

  private static String status(String phase, int generation, String spec, String more) {
    return "{phase: %s, revision: '%d', specHash: %s, step: 1, progress: x, percent: %d%s}"
        .formatted(phase, generation, hash(spec), phase.equals("Progressing") ? 50 : 0, more);
  }

  private static String over(int generation, String spec) {
    return ", stableRevision: '%d', stableSpecHash: %s".formatted(generation, hash(spec));
  }

  private ServedConfig served() {
    return catalog.get().config(TemplateKind.NODE, "linux").orElseThrow();
  }

  @Test
  void aWatchGapOverACompletion_servesTheOlderRevisionUntilTheLastOneIsRead() {
    catalog.put(config(1, STEPS + A, status("Complete", 1, A, "")));
    assertThat(catalog.lacksRevisions()).isFalse();

    catalog.put(config(3, STEPS + C, status("Progressing", 3, C, over(2, B))));
    assertThat(catalog.lacksRevisions()).isTrue();
    assertThat(served().revision()).isEqualTo("1");
    assertThat(served().newer().orElseThrow().percent()).isEqualTo(50);
    assertThat(served().isConfirmed()).isFalse();

    catalog.stored(List.of(config(2, STEPS + B, "null")));
    assertThat(catalog.lacksRevisions()).isFalse();
    assertThat(served().revision()).isEqualTo("2");
    assertThat(served().newer().orElseThrow().config().revision()).isEqualTo("3");
    assertThat(served().isConfirmed()).isTrue();
  }

  @Test
  void aWithdrawnRevisionIsNotServed_alsoIfNoOtherIsKnown() {
    catalog.put(config(2, STEPS + B, status("Aborted", 2, B, over(1, A))));
    assertThat(served().compilation()).isInstanceOf(InvalidTemplate.class);
    assertThat(catalog.lacksRevisions()).isTrue();

    catalog.stored(List.of(config(1, STEPS + A, "null")));
    assertThat(served().revision()).isEqualTo("1");
    assertThat(served().newer()).isEmpty();
  }

  @Test
  void aConfigThatDoesNotCompileIsNeverTheLastCompleteOne() {
    catalog.put(config(1, A, "null"));
    catalog.put(config(2, BROKEN, "null"));
    assertThat(served().compilation()).isInstanceOf(InvalidTemplate.class);

    catalog.put(config(3, STEPS + B, "null"));
    assertThat(served().revision()).as("the fix is rolled out from the last usable").isEqualTo("1");
    catalog.put(config(3, STEPS + B, status("Progressing", 3, B, over(1, A))));
    assertThat(served().newer().orElseThrow().config().revision()).isEqualTo("3");
  }

  @Test
  void theFixOfAConfigThatNeverCompiledAppliesAtOnce() {
    catalog.put(config(1, STEPS + BROKEN, "null"));
    catalog.put(config(2, STEPS + B, "null"));
    assertThat(served().revision()).isEqualTo("2");
    assertThat(served().newer()).isEmpty();
  }

  @Test
  void aWithdrawnWideningOfThePolicysNamespacesAdmitsNobody() {
    catalog.put(policy(1, "[team]", "null"));
    catalog.put(policy(2, "[team, other]", "null"));
    assertThat(admits("other")).as("not begun").isFalse();
    String a = policyHash("[team]");
    String b = policyHash("[team, other]");
    String begun =
        "{phase: %s, revision: '2', specHash: %s, step: 1, progress: x, percent: %d,"
            + " stableRevision: '1', stableSpecHash: %s}";
    catalog.put(policy(2, "[team, other]", begun.formatted("Progressing", b, 50, a)));
    assertThat(admits("other")).isTrue();
    catalog.put(policy(2, "[team, other]", begun.formatted("Aborted", b, 0, a)));
    assertThat(admits("other")).isFalse();
    assertThat(admits("team")).isTrue();
  }

  private boolean admits(String namespace) {
    ConfigCatalog now = catalog.get();
    return now.allows(now.policy("batch").orElseThrow().allowedNamespaces(), namespace);
  }

  private static String policyHash(String names) {
    return SpecHash.of(policy(1, names, "null").getSpec());
  }

  private static CustomResource<?, ?> policy(int generation, String names, String rollout) {
    return (CustomResource<?, ?>)
        resource(
            """
            kind: SchedulingPolicy
            metadata: {name: batch, uid: p, generation: %d, resourceVersion: "%d"}
            spec: {rollout: {steps: [{percent: 50, hold: 1h}]}, allowedNamespaces: {names: %s}}
            status: {rollout: %s}
            """
                .formatted(generation, 100 * generation + rollout.length(), names, rollout));
  }
}
