package io.berth.engine.model;

/**
 * A reference to a pod: its namespace and name, and the UID that tells apart pods of the same name.
 */
public record PodRef(String namespace, String name, String uid) {
  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
