package io.berth.demo.autoscaler;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pods and nodes with the resources of GPU cards under other names. Berth's engine then sees mere
 * numbers in them, as autoscalers do.
 */
final class CountedResources {
  private static final String COUNTED = "counted.";

  private CountedResources() {}

  static Pod in(Pod pod) {
    return new PodBuilder(pod)
        .editSpec()
        .withContainers(pod.getSpec().getContainers().stream().map(CountedResources::in).toList())
        .endSpec()
        .build();
  }

  private static Container in(Container container) {
    if (container.getResources() == null) {
      return container;
    }
    return new ContainerBuilder(container)
        .withResources(
            new ResourceRequirementsBuilder(container.getResources())
                .withRequests(renamed(container.getResources().getRequests()))
                .withLimits(renamed(container.getResources().getLimits()))
                .build())
        .build();
  }

  static Node in(Node node) {
    if (node.getStatus() == null) {
      return node;
    }
    return new NodeBuilder(node)
        .editMetadata()
        .withAnnotations(Map.of())
        .endMetadata()
        .editStatus()
        .withCapacity(renamed(node.getStatus().getCapacity()))
        .withAllocatable(renamed(node.getStatus().getAllocatable()))
        .endStatus()
        .build();
  }

  private static Map<String, Quantity> renamed(@Nullable Map<String, Quantity> amounts) {
    Map<String, Quantity> renamed = new HashMap<>();
    if (amounts != null) {
      amounts.forEach(
          (name, amount) -> renamed.put(name.contains("/") ? COUNTED + name : name, amount));
    }
    return renamed;
  }
}
