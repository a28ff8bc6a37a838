package io.berth.engine.model;

/** The conventions by which pods declare group membership. */
public enum GroupDialect {
  /** Berth's annotations on pods. */
  BERTH("berth", "group"),
  /** PodGroups of {@code scheduling.k8s.io}. */
  KUBERNETES("kubernetes", "PodGroup"),
  /** PodGroups of {@code scheduling.x-k8s.io}. */
  SCHEDULER_PLUGINS("scheduler-plugins", "PodGroup"),
  /** Annotations of Koordinator. */
  KOORDINATOR("koordinator", "gang"),
  /** PodGroups of {@code scheduling.volcano.sh}. */
  VOLCANO("volcano", "PodGroup");

  private final String label;
  private final String noun;

  GroupDialect(String label, String noun) {
    this.label = label;
    this.noun = noun;
  }

  /** Returns the name in metrics and documentation. */
  public String label() {
    return label;
  }

  /** Returns the term for a group in this dialect. */
  public String noun() {
    return noun;
  }
}
