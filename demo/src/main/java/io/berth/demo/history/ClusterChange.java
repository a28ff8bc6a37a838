package io.berth.demo.history;

import java.time.Instant;

/** A change of a pod, a node, or a resource claim, as reported by a watch. */
public sealed interface ClusterChange {

  /** Returns the resourceVersion of the change, which orders the changes of all kinds. */
  long version();

  /** Returns the time at which the watch reported the change. */
  Instant at();

  /** Returns whether the object was deleted. */
  boolean deleted();

  /** A change of a pod. */
  record PodChange(long version, Instant at, boolean deleted, PodState pod)
      implements ClusterChange {}

  /** A change of a node. */
  record NodeChange(long version, Instant at, boolean deleted, NodeState node)
      implements ClusterChange {}

  /** A change of a resource claim. */
  record ClaimChange(long version, Instant at, boolean deleted, ClaimState claim)
      implements ClusterChange {}
}
