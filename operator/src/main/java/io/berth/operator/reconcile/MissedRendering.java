package io.berth.operator.reconcile;

import io.berth.operator.feed.FedPod;
import io.berth.webhook.binding.BindingKey;
import java.util.Optional;

/**
 * What the webhook should have rendered into a pod when it was created, and did not.
 *
 * @param binding the binding that asks for it; empty where the pod's own annotations ask for it
 */
record MissedRendering(FedPod pod, Optional<BindingKey> binding) {

  /** Who asked for it, in words for an event. */
  String asker() {
    return binding
        .map(key -> "SchedulerConfigBinding " + key)
        .orElse("what its own annotations ask for");
  }
}
