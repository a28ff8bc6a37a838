package io.berth.webhook.rollout;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import org.jspecify.annotations.Nullable;

/**
 * A revision of an object.
 *
 * @param revision its generation
 * @param hash the hash of its spec, of {@link SpecHash}
 */
public record SpecRevision(String revision, String hash) {

  /** Returns the revision of an object. */
  public static SpecRevision of(CustomResource<?, ?> object) {
    return new SpecRevision(nameOf(object), SpecHash.of(object.getSpec()));
  }

  /** Returns the generation of an object as the name of a revision; 0 if it has none. */
  public static String nameOf(HasMetadata object) {
    Long generation = object.getMetadata().getGeneration();
    return String.valueOf(generation == null ? 0 : generation);
  }

  /** Returns the name of a revision as a generation; null for a text that is none. */
  public static @Nullable Long generation(String revision) {
    try {
      return Long.valueOf(revision);
    } catch (NumberFormatException e) {
      return null; // not a number, as documented
    }
  }

  /** Returns whether this revision is that of a generation or a later one. */
  boolean isFrom(String generation) {
    return number(revision) >= number(generation);
  }

  /** Returns whether this revision is one of those from one generation to another, inclusive. */
  public static boolean isBetween(String revision, String first, String last) {
    long number = number(revision);
    return number >= number(first) && number <= number(last);
  }

  /** Returns a generation as a number; -1 for a text that is none. */
  private static long number(String revision) {
    Long generation = generation(revision);
    return generation == null ? -1 : generation;
  }
}
