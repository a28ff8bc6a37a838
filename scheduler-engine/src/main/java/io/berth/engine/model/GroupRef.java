package io.berth.engine.model;

/**
 * The identity of a group: groups of different dialects may have the same name.
 *
 * @param namespace empty if the group has members in several namespaces
 */
public record GroupRef(GroupDialect dialect, String namespace, String name) {

  /** Returns a key that is unique among groups, and differs from every pod UID. */
  public String key() {
    return "group " + dialect + " " + namespace + "/" + name;
  }

  /**
   * Returns the same value in every process. That of an enum differs from run to run, and with it
   * the order in which maps of groups are iterated.
   */
  @Override
  public int hashCode() {
    return (31 * dialect.name().hashCode() + namespace.hashCode()) * 31 + name.hashCode();
  }

  /** Returns the group in the format of messages. */
  @Override
  public String toString() {
    return dialect.noun() + " " + (namespace.isEmpty() ? "" : namespace + "/") + name;
  }
}
