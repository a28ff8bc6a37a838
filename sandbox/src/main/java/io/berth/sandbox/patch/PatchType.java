package io.berth.sandbox.patch;

import java.util.Optional;

/** The four ways to patch, each with its media type. */
public enum PatchType {
  JSON("application/json-patch+json"),
  MERGE("application/merge-patch+json"),
  STRATEGIC("application/strategic-merge-patch+json"),
  APPLY("application/apply-patch+yaml");

  private final String mediaType;

  PatchType(String mediaType) {
    this.mediaType = mediaType;
  }

  /** The Content-Type of such a patch, without parameters. */
  public String mediaType() {
    return mediaType;
  }

  /** The type of a Content-Type, whose parameters are ignored. */
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
