package io.berth.sandbox.release;

import java.util.Arrays;
import java.util.Optional;

/**
 * A Kubernetes version that the embedded API server can emulate. Each version lacks the fields that
 * {@link NewerFields} lists for later ones, and the behavior that {@link ServerFeature} lists.
 * Otherwise, the server behaves like {@link #standard()}.
 */
public enum KubernetesVersion {
  V1_30(30),
  V1_31(31),
  V1_32(32),
  V1_33(33),
  V1_34(34),
  V1_35(35),
  V1_36(36, 2),
  V1_37(37);

  private final int minor;
  private final int patch;

  KubernetesVersion(int minor) {
    this(minor, 0);
  }

  KubernetesVersion(int minor, int patch) {
    this.minor = minor;
    this.patch = patch;
  }

  /**
   * Returns the version that a server emulates unless another is chosen: the one whose binaries the
   * server was compared with.
   */
  public static KubernetesVersion standard() {
    return V1_36;
  }

  /** Parses a version such as {@code 1.30}; empty if it is not supported. */
  public static Optional<KubernetesVersion> parse(String text) {
    return Arrays.stream(values()).filter(version -> version.toString().equals(text)).findFirst();
  }

  /** Returns the minor version, for example 30. */
  public int minor() {
    return minor;
  }

  /** Returns the release reported by {@code /version} and by nodes. */
  public String release() {
    return "v" + this + "." + patch;
  }

  /** Returns whether this version is the same as or later than the other. */
  public boolean isAtLeast(KubernetesVersion other) {
    return compareTo(other) >= 0;
  }

  @Override
  public String toString() {
    return "1." + minor();
  }
}
