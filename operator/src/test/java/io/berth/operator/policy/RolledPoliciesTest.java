package io.berth.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.operator.feed.EventReceipt;
import io.berth.webhook.rollout.SpecHash;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The revisions of policies that serve while a change is rolled out, as far as they are known. */
class RolledPoliciesTest {
  private static final String A = "percentageOfNodesToScore: 90";
  private static final String B = "percentageOfNodesToScore: 80";
  private static final String C = "percentageOfNodesToScore: 70, sharedNodes: Verify";

  private final List<String> served = new ArrayList<>();
  private final ServedPolicies policies = new ServedPolicies(this::receive);

  @BeforeEach
  void begin() {
    served.clear();
  }

  private void receive(ClusterEvent event, Consumer<EventReceipt> receipt) {
    if (event instanceof ClusterEvent.PolicyServed policy && !policy.policy().name().isEmpty()) {
      served.add(
          policy.policy().revision()
              + policy
                  .canary()
                  .map(it -> " beside " + it.policy().revision() + " at " + it.percent())
                  .orElse(""));
    } else if (event instanceof ClusterEvent.PolicyRemoved) {
      served.add("removed");
    }
  }

  private static SchedulingPolicy policy(int generation, String spec, String rollout) {
    return Serialization.unmarshal(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: batch, uid: u, generation: %d, resourceVersion: "%d%d", creationTimestamp: "2026-01-01T00:00:00Z"}
        spec: {rollout: {steps: [{percent: 50, hold: 1h}]}, %s}
        status: {rollout: %s}
        """
            .formatted(generation, generation, rollout.length(), spec, rollout),
        SchedulingPolicy.class);
  }

  private void update(int generation, String spec, String rollout) {
    policies.update(List.of(PolicySources.of(policy(generation, spec, rollout))));
  }

  private static SchedulingPolicySpec spec(String spec) {
    return policy(1, spec, "null").getSpec();
  }

  private static String status(String phase, int generation, String spec, String more) {
    return "{phase: %s, revision: '%d', specHash: %s, step: 1, progress: x, percent: %d%s}"
        .formatted(
            phase, generation, SpecHash.of(spec(spec)), phase.equals("Progressing") ? 50 : 0, more);
  }

  private static String over(int generation, String spec) {
    return ", stableRevision: '%d', stableSpecHash: %s"
        .formatted(generation, SpecHash.of(spec(spec)));
  }

  private void stored(int generation, String spec) {
    policies.stored(
        Map.of(
            "batch",
            new GoodRevision(
                String.valueOf(generation),
                spec(spec),
                new OwnerReferenceBuilder().withUid("u").build())));
  }

  @Test
  void aReplicaThatMissedACompletion_doesNotRollBack() {
    update(1, A, status("Complete", 1, A, ""));
    update(3, C, status("Complete", 2, B, ""));
    assertThat(policies.lacksRevisions("batch")).isTrue();
    assertThat(policies.good("batch")).as("an old revision is never stored as the last").isEmpty();
    assertThat(policies.stable("batch")).isEmpty();

    stored(2, B);
    assertThat(policies.lacksRevisions()).isFalse();
    assertThat(policies.stable("batch").orElseThrow().revision()).isEqualTo("2");
    update(3, C, status("Progressing", 3, C, over(2, B)));
    assertThat(served).containsExactly("1", "1", "2", "2 beside 3 at 50");
  }

  @Test
  void aTermThatBeginsWithAnOlderStoredRevision_keepsTheObservedOne() {
    update(1, A, status("Complete", 1, A, ""));
    update(2, B, status("Progressing", 2, B, over(1, A)));
    update(2, B, status("Complete", 2, B, ""));
    update(3, C, status("Complete", 2, B, ""));
    served.clear();
    policies.beginTerm(
        Map.of(
            "batch",
            new GoodRevision("1", spec(A), new OwnerReferenceBuilder().withUid("u").build())),
        Map.of());
    assertThat(served).containsExactly("2");
  }

  @Test
  void aWithdrawnRevisionIsNotServed_alsoIfTheStoredOneDoesNotCompileAnyMore() {
    update(2, B, status("Aborted", 2, B, over(1, A)));
    stored(1, "predicates: [{name: NoSuchPredicate}]");
    assertThat(served).isEmpty();
    assertThat(policies.lacksRevisions()).isTrue();

    stored(1, A);
    assertThat(served).containsExactly("1");
  }

  @Test
  void aCanaryIsNotCompletedByAStoredRevisionThatDoesNotCompileAnyMore() {
    stored(1, "predicates: [{name: NoSuchPredicate}]");
    update(2, B, status("Progressing", 2, B, over(1, A)));
    assertThat(policies.stable("batch")).as("it serves, but is not complete").isEmpty();
    assertThat(policies.lacksRevisions()).isTrue();
    assertThat(served).containsExactly("2");
  }

  @Test
  void aRevisionThatServedUnconfirmedIsRemovedWhenItIsWithdrawn() {
    update(2, B, status("Progressing", 2, B, over(1, A)));
    update(2, B, status("Aborted", 2, B, over(1, A)));
    assertThat(served).containsExactly("2", "removed");
    stored(1, A);
    assertThat(served).containsExactly("2", "removed", "1");
  }

  @Test
  void aRevisionThatWasCompleteWithoutStepsIsNotRolledBackToAnOlderStoredOne() {
    policies.update(List.of(PolicySources.of(withoutSteps(2, B))));
    update(3, C, "null");
    served.clear();
    stored(1, A);
    assertThat(served).isEmpty();
    assertThat(policies.stable("batch").orElseThrow().revision()).isEqualTo("2");
  }

  private static SchedulingPolicy withoutSteps(int generation, String spec) {
    return Serialization.unmarshal(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: batch, uid: u, generation: %d, resourceVersion: "w%d", creationTimestamp: "2026-01-01T00:00:00Z"}
        spec: {%s}
        """
            .formatted(generation, generation, spec),
        SchedulingPolicy.class);
  }

  @Test
  void theNodesOfPodsOfEitherRevisionAreVerified() {
    update(1, A, status("Complete", 1, A, ""));
    assertThat(policies.verifiesSharedNodes("batch")).isFalse();
    update(2, C, status("Progressing", 2, C, over(1, A)));
    assertThat(policies.verifiesSharedNodes("batch")).isTrue();
    update(2, C, status("Aborted", 2, C, over(1, A)));
    assertThat(policies.verifiesSharedNodes("batch")).isFalse();
  }
}
