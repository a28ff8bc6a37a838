package io.berth.engine.model;

/**
 * The identity of a group: groups of different dialects may have the same name.
 *
 * @param namespace empty where the group has members in several
 */
public record GroupRef(GroupDialect dialect, String namespace, String name) {

  /** Returns the key that no pod's UID and no other group has. */
  public String key() {
    return "group " + dialect + " " + namespace + "/" + name;
  }

  /** Returns the group as messages name it. */
  @Override
  public String toString() {
    return dialect.noun() + " " + (namespace.isEmpty() ? "" : namespace + "/") + name;
  }
}
