package io.berth.engine.framework;

import io.berth.engine.model.LabelSelector;
import java.util.Map;
import java.util.Set;

/**
 * The namespaces whose pods a policy places.
 *
 * @param all whether it places pods of every namespace
 * @param names the names of namespaces
 * @param selector selects further namespaces by their labels
 */
public record PolicyNamespaces(boolean all, Set<String> names, LabelSelector selector) {
  public PolicyNamespaces {
    names = Set.copyOf(names);
  }

  /** Returns the rule that allows every namespace. */
  public static PolicyNamespaces everywhere() {
    return new PolicyNamespaces(true, Set.of(), LabelSelector.nothing());
  }

  /** Returns whether pods of the namespace with this name and these labels are placed. */
  public boolean allows(String namespace, Map<String, String> labels) {
    return all || names.contains(namespace) || selector.matches(labels);
  }
}
