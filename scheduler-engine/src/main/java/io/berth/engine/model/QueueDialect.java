package io.berth.engine.model;

/**
 * The projects whose queues are read, in the order in which their namespaces are compared: if
 * queues of several select a namespace, its pods belong to the first.
 */
public enum QueueDialect {
  /** SchedulingQueues, which are always served. */
  BERTH("berth", "Berth"),
  /** Queues of {@code scheduling.volcano.sh}. */
  VOLCANO("volcano", "Volcano"),
  /** Queues of {@code scheduling.run.ai}. */
  KAI("kai", "KAI"),
  /** ElasticQuotas of {@code scheduling.sigs.k8s.io}. */
  KOORDINATOR("koordinator", "Koordinator"),
  /** ElasticQuotas of {@code scheduling.x-k8s.io}. */
  SCHEDULER_PLUGINS("scheduler-plugins", "scheduler-plugins");

  private final String label;
  private final String title;

  QueueDialect(String label, String title) {
    this.label = label;
    this.title = title;
  }

  /** Returns the name in front of the names of queues. */
  public String label() {
    return label;
  }

  /** Returns the name of the project in messages. */
  public String title() {
    return title;
  }
}
