package io.berth.operator;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The features that need rights which most installations do not. Each is off by default, and has a
 * value in the chart and a file in {@code deploy/features}, which grant what it needs.
 */
public enum Feature {
  /** Assigns the cards of nodes that HAMi manages, which are locked by an annotation. */
  HAMI,

  /**
   * Writes the labels of a Binding to the pod, on API servers before 1.35, which do not copy them.
   */
  LEGACY_BINDING,

  /** Reads the queues of Volcano, KAI, Koordinator, and scheduler-plugins. */
  OTHER_QUEUES,

  /** Serves decisions and what-if reviews as an API group, through an APIService. */
  QUERY_API,

  /** Recreates pods that were admitted unrendered, if a binding requests it. */
  REPAIR,

  /** Restores the webhook configurations if somebody deletes them. */
  WEBHOOK_RESTORE;

  /** Returns the name on the command line and of the file in {@code deploy/features}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the feature with a label; empty if there is none. */
  public static Optional<Feature> of(String label) {
    return Stream.of(values()).filter(feature -> feature.label().equals(label)).findFirst();
  }
}
