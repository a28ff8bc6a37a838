package io.berth.operator.reconcile;

import io.berth.operator.feed.FedPod;
import io.berth.webhook.binding.BindingKey;
import java.util.Optional;

/**
 * Something that a pod should have been given when it was created, and was not.
 *
 * @param binding the binding that gives it; empty where the pod's own annotations ask for it
 */
record Lack(FedPod pod, Optional<BindingKey> binding) {

  /** Who asked for it, in words for an event. */
  String asker() {
    return binding
        .map(key -> "SchedulerConfigBinding " + key)
        .orElse("what its own annotations ask for");
  }
}
