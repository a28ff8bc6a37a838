package io.berth.sandbox.kubelet;

import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.util.Optional;

/** The state of a pod that its kubelet has admitted or rejected. */
final class PodState {
  final String uid;
  StoredObject latest;
  PodUse use;
  long generation;
  boolean running;
  boolean stopping;

  /** The grace period of the deletion in progress. */
  Duration grace = Duration.ZERO;

  boolean ended;

  /** The reason why the resource claims of the pod could not be prepared the last time. */
  Optional<String> unprepared = Optional.empty();

  /** True if a resize is deferred because the node currently lacks the resources. */
  boolean resizeDeferred;

  PodState(StoredObject first, PodUse use) {
    this.uid = first.uid();
    this.latest = first;
    this.use = use;
  }
}
