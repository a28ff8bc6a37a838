package io.berth.sandbox.patch;

import java.util.Optional;

/** The four patch types with their media types. */
public enum PatchType {
  JSON("application/json-patch+json"),
  MERGE("application/merge-patch+json"),
  STRATEGIC("application/strategic-merge-patch+json"),
  APPLY("application/apply-patch+yaml");

  private final String mediaType;

  PatchType(String mediaType) {
    this.mediaType = mediaType;
  }

  /** Returns the media type, without parameters. */
  public String mediaType() {
    return mediaType;
  }

  /**
   * Returns the patch type for a Content-Type header, ignoring its parameters; empty if it is not a
   * patch type.
   */
  public static Optional<PatchType> of(String contentType) {
    int end = contentType.indexOf(';');
    String bare = (end < 0 ? contentType : contentType.substring(0, end)).trim();
    for (PatchType type : values()) {
      if (type.mediaType.equals(bare)) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }
}
