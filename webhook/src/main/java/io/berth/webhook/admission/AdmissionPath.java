package io.berth.webhook.admission;

import java.util.Arrays;
import java.util.Optional;

/** The paths that the webhook configurations name. */
public enum AdmissionPath {
  /** Mutating: pods, CREATE. */
  MUTATE_PODS("/mutate/pods"),
  /** Validating: Berth's four kinds, CREATE and UPDATE. */
  VALIDATE_CONFIGS("/validate/configs"),
  /** Validating, though it only warns: workloads with a pod template, CREATE and UPDATE. */
  WARN_WORKLOADS("/validate/workloads");

  private final String path;

  AdmissionPath(String path) {
    this.path = path;
  }

  /** The path of the URL, beginning with a slash. */
  public String path() {
    return path;
  }

  /** The constant of a URL's path. */
  public static Optional<AdmissionPath> of(String path) {
    return Arrays.stream(values()).filter(each -> each.path.equals(path)).findFirst();
  }
}
