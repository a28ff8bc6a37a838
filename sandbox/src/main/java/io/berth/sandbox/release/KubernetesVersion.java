package io.berth.sandbox.release;

import java.util.Arrays;
import java.util.Optional;

/**
 * A version of Kubernetes whose API server the embedded one looks like. Versions before the newest
 * lack the fields and the behavior that came later: {@link NewerFields} and {@link ServerFeature}
 * name them. What a server does beyond that is the newest version's.
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

  /** Returns the version that the API types were generated from. */
  public static KubernetesVersion newest() {
    return V1_36;
  }

  /** Returns the version that is written as {@code 1.30}; empty if there is none. */
  public static Optional<KubernetesVersion> parse(String text) {
    return Arrays.stream(values()).filter(version -> version.toString().equals(text)).findFirst();
  }

  /** Returns the minor version, such as 30. */
  public int minor() {
    return minor;
  }

  /** Returns the release as {@code /version} and nodes show it. */
  public String release() {
    return this == newest() ? ApiTypes.RELEASE : "v" + this + ".0";
  }

  /** Returns whether this version is the other one or a later one. */
  public boolean isAtLeast(KubernetesVersion other) {
    return compareTo(other) >= 0;
  }

  @Override
  public String toString() {
    return "1." + minor();
  }
}
