package io.berth.operator.reconcile;

import io.berth.operator.feed.FedPod;
import io.berth.webhook.binding.BindingKey;
import java.util.Optional;

/**
 * A rendering that a pod should have received at creation, but did not.
 *
 * @param pod the pod
 * @param binding the binding that requires the rendering; empty if the pod's own annotations
 *     require it
 */
record MissedRendering(FedPod pod, Optional<BindingKey> binding) {

  /** Returns what requires the rendering, worded for an event. */
  String asker() {
    return binding
        .map(key -> "SchedulerConfigBinding " + key)
        .orElse("what its own annotations request");
  }

  /** Returns the possible reasons, worded for an event. */
  String cause() {
    return "when created, Berth's webhook was unavailable or did not know it yet, or the "
        + (binding.isPresent() ? "labels were changed" : "annotations were added")
        + " later";
  }
}
