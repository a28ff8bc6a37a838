package io.berth.engine.whatif;

import java.util.List;
import java.util.Optional;

/**
 * The usage of the nodes that a pod's node selector, node affinity, and tolerations allow.
 *
 * @param nodes the number of these nodes
 * @param resources the resources that the pod requests, and {@code pods}, by name
 */
public record PoolUsage(int nodes, List<ResourceUsage> resources) {
  /** Copies the list. */
  public PoolUsage {
    resources = List.copyOf(resources);
  }

  /**
   * The usage of one resource, in its base unit: thousandths of a core for CPU, bytes, or a number.
   *
   * @param allocatable the sum over the nodes
   * @param before the requests of the pods on the nodes now
   * @param after the requests with the placements of the answer
   * @param largestFree the most that is free on one node, after the placements
   */
  public record ResourceUsage(
      String name, long allocatable, long before, long after, long largestFree) {}

  /** Returns the usage of a resource by name. */
  public Optional<ResourceUsage> of(String resource) {
    return resources.stream().filter(usage -> usage.name().equals(resource)).findFirst();
  }
}
