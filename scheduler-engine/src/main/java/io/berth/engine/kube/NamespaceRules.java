package io.berth.engine.kube;

import io.berth.crds.AllowedNamespaces;
import io.berth.engine.framework.PolicyNamespaces;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the namespaces that may use a policy. */
public final class NamespaceRules {
  private NamespaceRules() {}

  /**
   * Reads the field {@code allowedNamespaces}; if it is absent, all namespaces are allowed.
   *
   * @param refused receives the reason if the selector is invalid
   */
  public static Optional<PolicyNamespaces> read(
      @Nullable AllowedNamespaces allowed, Consumer<String> refused) {
    if (allowed == null) {
      return Optional.of(PolicyNamespaces.everywhere());
    }
    try {
      return Optional.of(
          new PolicyNamespaces(
              false,
              Set.copyOf(allowed.names()),
              Selectors.labelSelector(allowed.selector(), "the selector")));
    } catch (RefusedException e) {
      refused.accept(String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }
}
