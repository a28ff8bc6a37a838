package io.berth.operator.bind;

import java.util.Optional;

/** A source of the versions of resource claims up to which the engine has been informed. */
@FunctionalInterface
public interface ClaimVersions {
  /**
   * Returns the resourceVersion of a claim in the last event about it that was passed to the
   * engine; empty if there is no such claim as far as the engine knows.
   */
  Optional<String> of(String namespace, String name);
}
