package io.berth.demo.history;

import java.time.Instant;

/** One change of a pod or a node, as a watch reported it. */
public sealed interface ClusterChange {

  /** The resourceVersion of the change: changes of all kinds happened in this order. */
  long version();

  /** Returns the time at which the watch reported it. */
  Instant at();

  /** Returns whether the object is gone. */
  boolean deleted();

  /** A change of a pod. */
  record PodChange(long version, Instant at, boolean deleted, PodState pod)
      implements ClusterChange {}

  /** A change of a node. */
  record NodeChange(long version, Instant at, boolean deleted, NodeState node)
      implements ClusterChange {}
}
