package io.berth.operator.record;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Counts the nodes that offer an extended resource by a device plugin and have a ResourceSlice of
 * their own, of any driver, where a DeviceClass names the resource: their devices may be offered
 * twice.
 */
public final class CountedNodes {
  private CountedNodes() {}

  /**
   * Returns the number of such nodes by the name of the resource, for each that a class names.
   *
   * @param nodeOf finds a node by its name
   */
  public static Map<String, Long> of(
      Collection<DeviceClass> classes,
      Collection<ResourceSlice> slices,
      Function<String, Optional<Node>> nodeOf) {
    Map<String, Long> counts = new TreeMap<>();
    for (DeviceClass named : classes) {
      if (named.getSpec() != null && named.getSpec().getExtendedResourceName() != null) {
        counts.put(named.getSpec().getExtendedResourceName(), 0L);
      }
    }
    if (counts.isEmpty()) {
      return counts;
    }
    Set<String> names = new HashSet<>();
    slices.forEach(slice -> names.add(slice.getSpec().getNodeName()));
    names.remove(null);
    for (String name : names) {
      nodeOf
          .apply(name)
          .ifPresent(node -> counts.replaceAll((of, count) -> count + (offers(node, of) ? 1 : 0)));
    }
    return counts;
  }

  private static boolean offers(Node node, String resource) {
    if (node.getStatus() == null || node.getStatus().getAllocatable() == null) {
      return false;
    }
    Quantity allocatable = node.getStatus().getAllocatable().get(resource);
    return allocatable != null && allocatable.getNumericalAmount().signum() > 0;
  }
}
