package io.berth.engine.framework;

import java.util.Set;
import java.util.stream.Collectors;

/** A reason why a pod of lower priority is not evicted. */
public enum Protection {
  /** It has not run for the {@code minRunTime} of the preemptor's policy. */
  MIN_RUN_TIME("have run for less than the minRunTime of the policy"),
  /** Its PriorityClass forbids it. */
  PRIORITY_CLASS("are NonPreemptible by their PriorityClass"),
  /** It belongs to a DaemonSet, and the policy spares these. */
  DAEMON_SET("belong to DaemonSets, which the policy does not evict"),
  /**
   * It is the mirror pod of a static pod: the kubelet runs the static pod whatever happens to it.
   */
  STATIC_POD("are static pods, which only their kubelet can stop"),
  /** The API server has rejected its eviction. */
  REJECTED_EVICTION("cannot be evicted now: the API server has rejected it");

  private final String text;

  Protection(String text) {
    this.text = text;
  }

  /** Returns the user-visible reasons; empty if there are none. */
  public static String describe(Set<Protection> protections) {
    return protections.isEmpty()
        ? ""
        : protections.stream()
            .sorted()
            .map(protection -> protection.text)
            .collect(Collectors.joining(", or ", "pods of lower priority ", ""));
  }
}
