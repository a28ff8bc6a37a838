package io.berth.webhook.binding;

import io.berth.crds.AllowedNamespaces;
import io.berth.crds.queue.QueueNamespaces;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The namespaces that may use a config, policy, or queue. */
public final class NamespaceRule {
  private final boolean all;
  private final Set<String> names;
  private final List<Selector> selectors;

  private NamespaceRule(boolean all, Set<String> names, List<Selector> selectors) {
    this.all = all;
    this.names = names;
    this.selectors = selectors;
  }

  /** Reads the field {@code allowedNamespaces}; if absent, all namespaces are allowed. */
  public static NamespaceRule of(@Nullable AllowedNamespaces allowed) {
    return allowed == null
        ? new NamespaceRule(true, Set.of(), List.of())
        : new NamespaceRule(
            false,
            Set.copyOf(allowed.names()),
            Optional.ofNullable(allowed.selector()).map(Selector::of).stream().toList());
  }

  /** Reads the namespaces of a queue; if absent, none is allowed. */
  public static NamespaceRule of(@Nullable QueueNamespaces admitted) {
    return admitted == null
        ? new NamespaceRule(false, Set.of(), List.of())
        : new NamespaceRule(
            false,
            Set.copyOf(admitted.names()),
            Optional.ofNullable(admitted.selector()).map(Selector::of).stream().toList());
  }

  /** Returns the rule that allows what this or the other rule allows. */
  NamespaceRule or(NamespaceRule other) {
    Set<String> both = new HashSet<>(names);
    both.addAll(other.names);
    List<Selector> either = new ArrayList<>(selectors);
    either.addAll(other.selectors);
    return new NamespaceRule(all || other.all, Set.copyOf(both), List.copyOf(either));
  }

  /** Returns whether the rule selects namespaces by label. */
  boolean readsLabels() {
    return !selectors.isEmpty();
  }

  /** Returns whether a namespace with this name and these labels may use the object. */
  public boolean allows(String namespace, Map<String, String> labels) {
    return all
        || names.contains(namespace)
        || selectors.stream().anyMatch(each -> each.matches(labels));
  }
}
