package io.berth.operator.feed;

import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * Receives the configuration that decides how pods are rendered: configs, bindings, policies,
 * legacy policies, namespaces and resource quotas.
 */
public interface ConfigFollower {
  /** Called when an object was added or has changed. */
  void put(HasMetadata object);

  /** Called when an object was deleted. */
  void removed(HasMetadata object);
}
