package io.berth.operator.feed;

import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * Hears of every object that decides what pods are given: the four kinds, legacy policies and
 * namespaces.
 */
public interface ConfigFollower {
  /** An object is there or has changed. */
  void put(HasMetadata object);

  /** Called when an object was deleted. */
  void removed(HasMetadata object);
}
