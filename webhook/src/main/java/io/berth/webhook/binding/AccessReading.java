package io.berth.webhook.binding;

import io.berth.crds.AllowedNamespaces;
import io.berth.crds.queue.QueueNamespaces;
import io.berth.rules.label.NamespaceAccess;
import io.fabric8.kubernetes.api.model.LabelSelector;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the namespaces that may use a config, policy, or queue. */
final class AccessReading {
  private AccessReading() {}

  /** Reads the field {@code allowedNamespaces}; if absent, all namespaces are allowed. */
  static NamespaceAccess of(@Nullable AllowedNamespaces allowed) {
    return allowed == null
        ? NamespaceAccess.everywhere()
        : access(allowed.names(), allowed.selector());
  }

  /** Reads the namespaces of a queue; if absent, none is allowed. */
  static NamespaceAccess of(@Nullable QueueNamespaces admitted) {
    return admitted == null
        ? NamespaceAccess.nowhere()
        : access(admitted.names(), admitted.selector());
  }

  private static NamespaceAccess access(List<String> names, @Nullable LabelSelector selector) {
    return NamespaceAccess.of(
        names, Optional.ofNullable(selector).map(Selector::of).map(read -> read::matches));
  }
}
