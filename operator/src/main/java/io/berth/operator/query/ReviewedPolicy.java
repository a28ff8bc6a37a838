package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingPolicy;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/** The policy of a review, which does not have to exist. */
record ReviewedPolicy(SchedulingPolicy object, CompiledPolicy compiled) {
  /** The name under which it is compiled; no policy can have it. */
  static final String NAME = "(of the review)";

  private static final PolicyCompiler COMPILER = new PolicyCompiler();
  private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

  /**
   * Compiles a policy.
   *
   * @param kind the kind of the review, for messages
   * @throws ApiException with 422 if it is invalid
   */
  static ReviewedPolicy of(String kind, JsonNode policySpec) throws ApiException {
    ObjectNode policy = JsonNodeFactory.instance.objectNode();
    policy.put("apiVersion", "sched.cloud.ctrip.com/v1").put("kind", "SchedulingPolicy");
    policy.putObject("metadata");
    policy.set("spec", policySpec);
    try {
      SchedulingPolicy object = SERIALIZATION.convertValue(policy, SchedulingPolicy.class);
      return switch (COMPILER.compile(NAME, "review", object.getSpec())) {
        case PolicyCompilation.Compiled(CompiledPolicy compiled) ->
            new ReviewedPolicy(object, compiled);
        case PolicyCompilation.Invalid(var problems) ->
            throw ApiException.invalid(
                kind, "spec.policy." + problems.getFirst().path(), problems.getFirst().message());
      };
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid(kind, "spec.policy.spec", String.valueOf(e.getMessage()));
    }
  }
}
