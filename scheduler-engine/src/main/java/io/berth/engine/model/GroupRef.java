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

  /** Returns the group in the format of messages. */
  @Override
  public String toString() {
    return dialect.noun() + " " + (namespace.isEmpty() ? "" : namespace + "/") + name;
  }
}
