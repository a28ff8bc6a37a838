package io.berth.engine.kube;

import io.berth.crds.AllowedNamespaces;
import io.berth.engine.model.LabelSelector;
import io.berth.rules.label.NamespaceAccess;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the namespaces that may use a policy. */
public final class PolicyAccess {
  private PolicyAccess() {}

  /**
   * Reads the field {@code allowedNamespaces}; if it is absent, all namespaces are allowed.
   *
   * @param refused receives the reason if the selector is invalid
   */
  public static Optional<NamespaceAccess> read(
      @Nullable AllowedNamespaces allowed, Consumer<String> refused) {
    if (allowed == null) {
      return Optional.of(NamespaceAccess.everywhere());
    }
    try {
      LabelSelector selector = Selectors.labelSelector(allowed.selector(), "the selector");
      return Optional.of(NamespaceAccess.of(allowed.names(), Optional.of(selector::matches)));
    } catch (RefusedException e) {
      refused.accept(String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }
}
