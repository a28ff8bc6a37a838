package io.berth.webhook.rollout;

import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * A revision of an object.
 *
 * @param revision its generation
 * @param hash the hash of its spec, of {@link SpecHash}
 */
public record SpecRevision(String revision, String hash) {

  /** Returns the revision of an object with this spec. */
  public static SpecRevision of(HasMetadata object, Object spec) {
    Long generation = object.getMetadata().getGeneration();
    return new SpecRevision(String.valueOf(generation == null ? 0 : generation), SpecHash.of(spec));
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
  private static long number(String generation) {
    try {
      return Long.parseLong(generation);
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
