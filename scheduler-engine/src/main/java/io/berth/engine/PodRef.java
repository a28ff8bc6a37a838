package io.berth.engine;

/** A pod: where it is, and which of those that have been there. */
public record PodRef(String namespace, String name, String uid) {
  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
