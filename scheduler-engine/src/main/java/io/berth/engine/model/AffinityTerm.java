package io.berth.engine.model;

import java.util.Set;

/**
 * Pods that a pod should be placed near to, or far from.
 *
 * @param namespaces the names of namespaces whose pods count; the pod's own if its term has neither
 *     namespaces nor a namespace selector
 * @param namespaceSelector selects further namespaces by their labels; selects nothing if absent
 * @param selector selects the pods of those namespaces
 * @param topologyKey the node label that defines domains: nodes with equal values are near
 */
public record AffinityTerm(
    Set<String> namespaces,
    LabelSelector namespaceSelector,
    LabelSelector selector,
    String topologyKey) {
  public AffinityTerm {
    namespaces = Set.copyOf(namespaces);
  }
}
