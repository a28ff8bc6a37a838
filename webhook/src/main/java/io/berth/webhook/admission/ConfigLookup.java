package io.berth.webhook.admission;

import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulingPolicy;
import java.util.Optional;

/**
 * Queries the API server for objects that the catalog does not contain. {@code kubectl apply -f}
 * can create a config and the pods that use it together, before the watch has delivered the config.
 *
 * <p>Reviews wait for the result, so implementations give up after one second.
 */
public interface ConfigLookup {

  /**
   * Returns the NodeSchedulerConfig with this name.
   *
   * @throws LookupFailedException if the API server does not respond
   */
  Optional<NodeSchedulerConfig> nodeConfig(String name);

  /**
   * Returns the PodSchedulerConfig with this name.
   *
   * @throws LookupFailedException if the API server does not respond
   */
  Optional<PodSchedulerConfig> podConfig(String name);

  /**
   * Returns the SchedulingPolicy with this name.
   *
   * @throws LookupFailedException if the API server does not respond
   */
  Optional<SchedulingPolicy> policy(String name);

  /**
   * Returns whether the namespace has a ResourceQuota that counts pods of the PriorityClass.
   *
   * @throws LookupFailedException if the API server does not respond
   */
  boolean hasQuotaFor(String namespace, String priorityClass);

  /** Returns a look-up that finds nothing. */
  static ConfigLookup nothing() {
    return new ConfigLookup() {
      @Override
      public Optional<NodeSchedulerConfig> nodeConfig(String name) {
        return Optional.empty();
      }

      @Override
      public Optional<PodSchedulerConfig> podConfig(String name) {
        return Optional.empty();
      }

      @Override
      public Optional<SchedulingPolicy> policy(String name) {
        return Optional.empty();
      }

      @Override
      public boolean hasQuotaFor(String namespace, String priorityClass) {
        return false;
      }
    };
  }
}
