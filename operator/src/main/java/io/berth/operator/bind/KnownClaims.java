package io.berth.operator.bind;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/** The resource claims as far as the engine has been informed of them. */
public interface KnownClaims {
  /** Returns a claim as the watch has shown it last; empty if the watch shows no such claim. */
  Optional<JsonNode> find(String namespace, String name);

  /**
   * Returns the resourceVersion of a claim in the last event about it that was passed to the
   * engine; empty if there is no such claim as far as the engine knows.
   */
  Optional<String> versionOf(String namespace, String name);

  /**
   * Returns which other claim has devices, or parts of devices, that it and this claim cannot both
   * have, in words, as in "ResourceClaim team/other has device example.com/node-1/gpu-0"; empty if
   * there is none.
   */
  Optional<String> conflictOf(String namespace, String name);

  /** Returns whether the engine knows this version of a claim, or a later one. */
  default boolean isKnown(String namespace, String name, String version) {
    return versionOf(namespace, name).map(known -> isAtLeast(known, version)).orElse(false);
  }

  /** Returns whether a resourceVersion is the other, or a later one of the same object. */
  private static boolean isAtLeast(String version, String other) {
    return version.length() != other.length()
        ? version.length() > other.length()
        : version.compareTo(other) >= 0;
  }
}
