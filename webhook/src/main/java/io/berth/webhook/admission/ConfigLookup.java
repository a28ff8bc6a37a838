package io.berth.webhook.admission;

import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulingPolicy;
import java.util.Optional;

/**
 * Asks the API server for an object that the catalog does not know. {@code kubectl apply -f}
 * creates a config and the pods that name it together, and the watch may be a moment behind.
 *
 * <p>Reviews wait for the answer, so implementations give up after a second.
 */
public interface ConfigLookup {

  /**
   * The NodeSchedulerConfig of this name.
   *
   * @throws LookupFailedException when the API server does not answer
   */
  Optional<NodeSchedulerConfig> nodeConfig(String name);

  /**
   * The PodSchedulerConfig of this name.
   *
   * @throws LookupFailedException when the API server does not answer
   */
  Optional<PodSchedulerConfig> podConfig(String name);

  /**
   * The SchedulingPolicy of this name.
   *
   * @throws LookupFailedException when the API server does not answer
   */
  Optional<SchedulingPolicy> policy(String name);

  /**
   * Returns whether the namespace has a ResourceQuota that counts pods of the PriorityClass.
   *
   * @throws LookupFailedException when the API server does not answer
   */
  boolean hasQuotaFor(String namespace, String priorityClass);

  /** Knows nothing beyond the catalog. */
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
