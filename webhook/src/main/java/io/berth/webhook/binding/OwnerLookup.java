package io.berth.webhook.binding;

import java.util.Map;
import java.util.Optional;

/**
 * Finds the root owner of a pod: the Deployment of a ReplicaSet, the CronJob of a Job. Thread-safe.
 */
@FunctionalInterface
public interface OwnerLookup {

  /**
   * Returns the root owner of a pod's controller, from cached data; the controller itself if it has
   * no owner. Never blocks.
   *
   * @param namespace the pod's namespace
   * @param controller the pod's controlling owner
   * @param podLabels the pod's labels
   */
  Owner root(String namespace, Controller controller, Map<String, String> podLabels);

  /**
   * Fetches the data that {@link #root} needs for a controller and caches it. The look-up has a
   * timeout; an implementation that needs no data returns at once.
   *
   * @return the reason why the data is still unknown; empty if it is known
   */
  default Optional<String> learn(String namespace, Controller controller) {
    return Optional.empty();
  }

  /**
   * Returns the workload whose pods are scheduled together with the pod, from cached data: its Job,
   * its RayCluster, or the SparkApplication of an executor. The size of any other controller is
   * unknown. Never blocks.
   *
   * @return the workload; empty if its kind never forms a group, such as a ReplicaSet
   */
  default Optional<OwnerSize> size(PodSubject pod) {
    return Optional.empty();
  }

  /**
   * Fetches the data that {@link #size} needs for a pod and caches it. The look-up has a timeout.
   *
   * @return the reason why the data is still unknown; empty if it is known or cannot be known
   */
  default Optional<String> learnSize(PodSubject pod) {
    return Optional.empty();
  }

  /** Returns the number of times that a result of {@link #root} turned out to be wrong. */
  default long corrections() {
    return 0;
  }

  /** Returns an implementation that derives owners from names only. */
  static OwnerLookup byName() {
    return (namespace, controller, podLabels) -> OwnerNames.root(controller, podLabels);
  }
}
