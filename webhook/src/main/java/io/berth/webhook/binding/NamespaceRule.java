package io.berth.webhook.binding;

import io.berth.crds.AllowedNamespaces;
import io.berth.crds.queue.QueueNamespaces;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The namespaces that may use a config, policy, or queue. */
public final class NamespaceRule {
  private final boolean all;
  private final Set<String> names;
  private final Optional<Selector> selector;

  private NamespaceRule(boolean all, Set<String> names, Optional<Selector> selector) {
    this.all = all;
    this.names = names;
    this.selector = selector;
  }

  /** Reads the field {@code allowedNamespaces}; if absent, all namespaces are allowed. */
  public static NamespaceRule of(@Nullable AllowedNamespaces allowed) {
    return allowed == null
        ? new NamespaceRule(true, Set.of(), Optional.empty())
        : new NamespaceRule(
            false,
            Set.copyOf(allowed.names()),
            Optional.ofNullable(allowed.selector()).map(Selector::of));
  }

  /** Reads the namespaces of a queue; if absent, none is allowed. */
  public static NamespaceRule of(@Nullable QueueNamespaces admitted) {
    return admitted == null
        ? new NamespaceRule(false, Set.of(), Optional.empty())
        : new NamespaceRule(
            false,
            Set.copyOf(admitted.names()),
            Optional.ofNullable(admitted.selector()).map(Selector::of));
  }

  /** Returns whether the rule selects namespaces by label. */
  boolean readsLabels() {
    return selector.isPresent();
  }

  /** Returns whether a namespace with this name and these labels may use the object. */
  public boolean allows(String namespace, Map<String, String> labels) {
    return all
        || names.contains(namespace)
        || selector.map(each -> each.matches(labels)).orElse(false);
  }
}
