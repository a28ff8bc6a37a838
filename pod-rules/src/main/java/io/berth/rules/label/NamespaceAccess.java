package io.berth.rules.label;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The namespaces that may use an object: all, or those with some names or labels. */
public final class NamespaceAccess {
  private static final NamespaceAccess EVERYWHERE = new NamespaceAccess(true, Set.of(), List.of());
  private static final NamespaceAccess NOWHERE = new NamespaceAccess(false, Set.of(), List.of());

  private final boolean all;
  private final Set<String> names;
  private final List<Predicate<Map<String, String>>> selectors;

  private NamespaceAccess(
      boolean all, Set<String> names, List<Predicate<Map<String, String>>> selectors) {
    this.all = all;
    this.names = names;
    this.selectors = selectors;
  }

  /** Returns access for every namespace. */
  public static NamespaceAccess everywhere() {
    return EVERYWHERE;
  }

  /** Returns access for no namespace. */
  public static NamespaceAccess nowhere() {
    return NOWHERE;
  }

  /**
   * Returns access for the namespaces with these names, and for those that a selector selects.
   *
   * @param selector decides by the labels of a namespace
   */
  public static NamespaceAccess of(
      Collection<String> names, Optional<Predicate<Map<String, String>>> selector) {
    return new NamespaceAccess(false, Set.copyOf(names), selector.stream().toList());
  }

  /** Returns access for the namespaces that have this access or the other. */
  public NamespaceAccess or(NamespaceAccess other) {
    Set<String> both = new HashSet<>(names);
    both.addAll(other.names);
    List<Predicate<Map<String, String>>> either = new ArrayList<>(selectors);
    either.addAll(other.selectors);
    return new NamespaceAccess(all || other.all, Set.copyOf(both), List.copyOf(either));
  }

  /** Returns whether the access depends on labels of namespaces. */
  public boolean readsLabels() {
    return !selectors.isEmpty();
  }

  /** Returns whether a namespace with this name and these labels may use the object. */
  public boolean allows(String namespace, Map<String, String> labels) {
    if (all || names.contains(namespace)) {
      return true;
    }
    for (Predicate<Map<String, String>> selector : selectors) {
      if (selector.test(labels)) {
        return true;
      }
    }
    return false;
  }
}
