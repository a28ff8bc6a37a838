package io.berth.engine.model;

/**
 * The name of a queue in its dialect.
 *
 * @param name the name of the object, with its namespace if names are unique only there
 */
public record QueueRef(QueueDialect dialect, String name) {
  /**
   * Returns the name among the queues of all dialects. Names of SchedulingQueues are without a
   * slash, so the others, such as {@code volcano/train}, differ from them.
   */
  public String key() {
    return dialect == QueueDialect.BERTH ? name : dialect.label() + "/" + name;
  }
}
