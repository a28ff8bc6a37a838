package io.berth.operator.schedule;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;

/** Policies, nodes, and pods of tests that feed an engine. */
final class LoopObjects {
  private LoopObjects() {}

  /** Returns a policy with the defaults. */
  static CompiledPolicy policy(String name) {
    return switch (new PolicyCompiler().compile(name, "1", SchedulingPolicySpec.defaults())) {
      case PolicyCompilation.Compiled compiled -> compiled.policy();
      case PolicyCompilation.Invalid invalid ->
          throw new IllegalStateException(invalid.problems().toString());
    };
  }

  /** Returns a node with 4 CPU. */
  static Node node(String name, Map<String, String> labels) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .withUid("uid-" + name)
        .withResourceVersion("1")
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .withNewStatus()
        .withAllocatable(Map.of("cpu", new Quantity("4"), "pods", new Quantity("110")))
        .endStatus()
        .build();
  }

  /** Returns a pending pod of the namespace {@code team} without requests. */
  static Pod pod(String name) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("team")
        .withUid("uid-" + name)
        .withResourceVersion("1")
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .addNewContainer()
        .withName("c")
        .withImage("image")
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  /** Returns a pending pod of the namespace {@code team} that requests CPU. */
  static Pod pod(String name, String cpu) {
    return new PodBuilder(pod(name))
        .editSpec()
        .editFirstContainer()
        .withNewResources()
        .addToRequests("cpu", new Quantity(cpu))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }
}
