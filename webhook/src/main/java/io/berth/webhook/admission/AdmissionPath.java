package io.berth.webhook.admission;

import java.util.Arrays;
import java.util.Optional;

/** The URL paths of the webhook configurations. */
public enum AdmissionPath {
  /** Mutates pods on CREATE, and reviews their UPDATEs. */
  MUTATE_PODS("/mutate/pods"),
  /** Validates Berth's four kinds on CREATE and UPDATE. */
  VALIDATE_CONFIGS("/validate/configs"),
  /** Warns about workloads with a pod template on CREATE and UPDATE; never denies them. */
  WARN_WORKLOADS("/validate/workloads");

  private final String path;

  AdmissionPath(String path) {
    this.path = path;
  }

  /** Returns the URL path, with a leading slash. */
  public String path() {
    return path;
  }

  /** Returns the constant for a URL path. */
  public static Optional<AdmissionPath> of(String path) {
    return Arrays.stream(values()).filter(each -> each.path.equals(path)).findFirst();
  }
}
