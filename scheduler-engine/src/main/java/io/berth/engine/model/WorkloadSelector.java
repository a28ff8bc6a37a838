package io.berth.engine.model;

/**
 * An object that selects a set of pods: a Service, ReplicationController, ReplicaSet or
 * StatefulSet. Default spread constraints count the pods that it selects.
 *
 * @param selector selects nothing if the object has none
 */
public record WorkloadSelector(Kind kind, String namespace, String name, LabelSelector selector) {
  /** The kind of the object. */
  public enum Kind {
    SERVICE("Service"),
    REPLICATION_CONTROLLER("ReplicationController"),
    REPLICA_SET("ReplicaSet"),
    STATEFUL_SET("StatefulSet");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** Returns the kind, as in the API. */
    @Override
    public String toString() {
      return label;
    }
  }
}
