package io.berth.engine.model;

import java.util.Set;

/**
 * Pods that a pod wants to be near to, or far from.
 *
 * @param namespaces names of namespaces whose pods are meant; the pod's own where its term names
 *     neither namespaces nor a selector for them
 * @param namespaceSelector selects further namespaces by their labels; nothing where absent
 * @param selector which pods of those namespaces
 * @param topologyKey the node label that says what is near: nodes with an equal value
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
