package io.berth.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.webhook.error.ErrorCode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServablePoliciesTest {

  private static final String GOOD = "{\"kind\": \"Policy\", \"apiVersion\": \"v1\"}";
  private static final String BROKEN =
      """
      {"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "NoSuchPredicate"}]}
      """;

  private final ServablePolicies servable = new ServablePolicies();

  @Test
  void policyThatCompiles_hasNoFlaw() {
    servable.kept(Map.of());

    assertThat(servable.flaw(legacy("uid-1", GOOD))).isEmpty();
    assertThat(servable.flaw(policy("uid-2", "{}", ""))).isEmpty();
  }

  @Test
  void policyThatNeverCompiled_hasNothingToServe() {
    servable.kept(Map.of());

    assertThat(servable.flaw(legacy("uid-1", BROKEN)))
        .hasValueSatisfying(
            flaw -> assertThat(flaw.path()).isEqualTo("data[policy.cfg].predicates[0].name"));
    assertThat(servable.flaw(policy("uid-2", "{predicates: [{name: Nowhere}]}", "")))
        .hasValueSatisfying(flaw -> assertThat(flaw.code()).isEqualTo(ErrorCode.POLICY_INVALID));
    assertThat(servable.hasLastGood("uid-1")).isFalse();
    assertThat(servable.hasLastGood("uid-2")).isFalse();
  }

  @Test
  void policyThatWasGood_servesOn_andOneThatTookItsNameDoesNot() {
    servable.kept(Map.of());
    assertThat(servable.flaw(legacy("uid-1", GOOD))).isEmpty();

    assertThat(servable.flaw(legacy("uid-1", BROKEN))).isPresent();
    assertThat(servable.hasLastGood("uid-1")).isTrue();

    assertThat(servable.flaw(legacy("uid-of-the-next", BROKEN))).isPresent();
    assertThat(servable.hasLastGood("uid-of-the-next")).isFalse();
  }

  @Test
  void revisionThatWasKept_isALastGoodOne() {
    servable.kept(
        Map.of(
            "batch",
            new GoodRevision(
                "configmap-7",
                SchedulingPolicySpec.defaults(),
                new OwnerReferenceBuilder().withUid("uid-1").build())));

    assertThat(servable.flaw(legacy("uid-1", BROKEN))).isPresent();
    assertThat(servable.hasLastGood("uid-1")).isTrue();
  }

  @Test
  void statusOfTheLeader_namesTheRevisionThatServes() {
    servable.kept(Map.of());

    assertThat(
            servable.flaw(
                policy("uid-1", "{predicates: [{name: Nowhere}]}", "{servingRevision: '3'}")))
        .isPresent();
    assertThat(servable.hasLastGood("uid-1")).isTrue();
  }

  @Test
  void untilTheKeptRevisionsAreRead_thereMayBeOneOfEachPolicy() {
    assertThat(servable.flaw(legacy("uid-1", BROKEN))).isPresent();
    assertThat(servable.hasLastGood("uid-1")).isTrue();

    servable.kept(Map.of());

    assertThat(servable.hasLastGood("uid-1")).isFalse();
  }

  private static ConfigMap legacy(String uid, String policy) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName("batch")
        .withUid(uid)
        .withResourceVersion("1")
        .endMetadata()
        .addToData("policy.cfg", policy)
        .build();
  }

  private static SchedulingPolicy policy(String uid, String spec, String status) {
    return Serialization.unmarshal(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: batch, uid: %s, generation: 4}
        spec: %s
        %s
        """
            .formatted(uid, spec, status.isEmpty() ? "" : "status: " + status),
        SchedulingPolicy.class);
  }
}
