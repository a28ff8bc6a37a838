package io.berth.engine.model;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The needs of a pod that dynamic resource allocation serves.
 *
 * @param claims its resource claims, in the order of the spec; a claim that the spec names several
 *     times is one
 * @param containers the extended resources of its init containers and containers, in order, because
 *     devices may serve them; empty if there are none
 */
public record PodDevices(List<PodClaim> claims, List<ContainerResources> containers) {
  private static final PodDevices NONE = new PodDevices(List.of(), List.of());

  public PodDevices {
    claims = withoutRepetitions(claims);
    containers = List.copyOf(containers);
  }

  /**
   * The extended resources of one container.
   *
   * @param endsEarly whether it is an init container that ends before the next container starts
   * @param amounts the requested amounts
   * @param positions the position of each resource among the names of all requests of the container
   */
  public record ContainerResources(
      boolean endsEarly, SortedMap<String, Long> amounts, SortedMap<String, Integer> positions) {
    public ContainerResources {
      amounts = new TreeMap<>(amounts);
      positions = new TreeMap<>(positions);
    }
  }

  private static List<PodClaim> withoutRepetitions(List<PodClaim> claims) {
    if (claims.size() < 2) {
      return List.copyOf(claims);
    }
    Set<PodClaim.Named> named = new HashSet<>();
    return claims.stream()
        .filter(claim -> !(claim instanceof PodClaim.Named name) || named.add(name))
        .toList();
  }

  public static PodDevices none() {
    return NONE;
  }

  /** Returns whether the pod has neither claims nor extended resources. */
  public boolean isEmpty() {
    return claims.isEmpty() && containers.isEmpty();
  }

  /** Returns the same with other claims. */
  public PodDevices withClaims(List<PodClaim> others) {
    return new PodDevices(others, containers);
  }
}
