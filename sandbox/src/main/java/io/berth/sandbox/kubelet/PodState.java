package io.berth.sandbox.kubelet;

import io.berth.sandbox.store.StoredObject;
import java.time.Duration;

/** A pod that its kubelet has admitted, or refused. */
final class PodState {
  final String uid;
  StoredObject latest;
  PodUse use;
  long generation;
  boolean running;
  boolean stopping;

  /** The grace period of the deletion that stops it. */
  Duration grace = Duration.ZERO;

  boolean ended;

  /** True if it asks for more than its node has left at the moment. */
  boolean resizeDeferred;

  PodState(StoredObject first, PodUse use) {
    this.uid = first.uid();
    this.latest = first;
    this.use = use;
  }
}
