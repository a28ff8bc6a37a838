package io.berth.sandbox.release;

import java.util.Arrays;
import java.util.Optional;

/**
 * A Kubernetes version that the embedded API server can emulate. Older versions lack the fields
 * listed in {@link NewerFields} and the behavior listed in {@link ServerFeature}. Otherwise, the
 * server behaves like the newest version.
 */
public enum KubernetesVersion {
  V1_30(30),
  V1_31(31),
  V1_32(32),
  V1_33(33),
  V1_34(34),
  V1_35(35),
  V1_36(36);

  private final int minor;

  KubernetesVersion(int minor) {
    this.minor = minor;
  }

  /** Returns the version from which the API types were generated. */
  public static KubernetesVersion newest() {
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
    return this == newest() ? ApiTypes.RELEASE : "v" + this + ".0";
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
