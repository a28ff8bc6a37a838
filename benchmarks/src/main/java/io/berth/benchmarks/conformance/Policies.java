package io.berth.benchmarks.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;

/**
 * The policies with which the vectors are scheduled, compiled in the same way as a user's policies.
 */
final class Policies {
  /** kube-scheduler's default profile without preemption, with all filters run for every node. */
  static final String EVERY_FILTER = "every-filter";

  /** kube-scheduler's default profile. */
  static final String DEFAULT = "default";

  /** kube-scheduler's default profile without preemption. */
  static final String WITHOUT_PREEMPTION = "without-preemption";

  private static final ObjectMapper JSON = new ObjectMapper();
  private final PolicyCompiler compiler = new PolicyCompiler();

  CompiledPolicy everyFilter() {
    ObjectNode spec = JSON.createObjectNode().put("alwaysCheckAllPredicates", true);
    spec.putObject("preemption").put("enabled", false);
    return compile(EVERY_FILTER, spec);
  }

  CompiledPolicy byDefault() {
    return compile(DEFAULT, JSON.createObjectNode());
  }

  CompiledPolicy withoutPreemption() {
    ObjectNode spec = JSON.createObjectNode();
    spec.putObject("preemption").put("enabled", false);
    return compile(WITHOUT_PREEMPTION, spec);
  }

  /**
   * Returns a policy that scores with a single strategy.
   *
   * @param strategy the name of the strategy in the vectors, see {@link StrategyName}
   */
  CompiledPolicy strategy(String strategy) {
    StrategyName name = StrategyName.parse(strategy);
    ObjectNode spec = JSON.createObjectNode();
    spec.putObject("preemption").put("enabled", false);
    ArrayNode priorities = spec.putArray("priorities");
    for (String other :
        new String[] {
          "TaintToleration",
          "NodeAffinity",
          "NodeResourcesFit",
          "PodTopologySpread",
          "InterPodAffinity",
          "NodeResourcesBalancedAllocation",
          "ImageLocality"
        }) {
      if (!other.equals(name.plugin())) {
        priorities.addObject().put("name", other).put("weight", 0);
      }
    }
    ObjectNode args =
        priorities.addObject().put("name", name.plugin()).put("weight", 1).putObject("args");
    if (name.type().isEmpty()) {
      name.addResources(args.putArray("resources"));
    } else {
      ObjectNode scoring = args.putObject("scoringStrategy").put("type", name.type());
      name.addResources(scoring.putArray("resources"));
      if (!name.shape().isEmpty()) {
        name.addShape(scoring.putObject("requestedToCapacityRatio").putArray("shape"));
      }
    }
    return compile(strategy, spec);
  }

  /** Compiles a policy without the one default filter that kube-scheduler does not have. */
  private CompiledPolicy compile(String name, ObjectNode spec) {
    spec.withArray("predicates")
        .addObject()
        .put("name", "SingleDeviceSource")
        .put("enabled", false);
    try {
      SchedulingPolicySpec parsed = JSON.treeToValue(spec, SchedulingPolicySpec.class);
      return switch (compiler.compile(name, "1", parsed)) {
        case PolicyCompilation.Compiled compiled -> compiled.policy();
        case PolicyCompilation.Invalid invalid ->
            throw new IllegalStateException(name + ": " + invalid.problems());
      };
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(name + ": " + spec, e);
    }
  }
}
