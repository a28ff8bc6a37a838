package io.berth.webhook.binding;

import java.util.Map;
import java.util.Optional;

/**
 * Finds the owner at the root of a pod: the Deployment behind a ReplicaSet, the CronJob behind a
 * Job. Thread-safe.
 */
@FunctionalInterface
public interface OwnerLookup {

  /**
   * Returns the root owner of a pod's controller by what is known now; the controller itself where
   * nothing owns it. Never waits.
   *
   * @param namespace the pod's namespace
   * @param controller the pod's controlling owner
   * @param podLabels the pod's labels
   */
  Owner root(String namespace, Controller controller, Map<String, String> podLabels);

  /**
   * Looks up what {@link #root} needs to know of a controller, within a bounded time. One that
   * needs nothing knows it at once.
   *
   * @return why it is not known all the same; empty where it is
   */
  default Optional<String> learn(String namespace, Controller controller) {
    return Optional.empty();
  }

  /**
   * Returns the workload whose pods are placed together with the pod, by what is known now: the
   * Job, the RayCluster, or the SparkApplication of an executor. Any other controller has no known
   * size. Never waits.
   *
   * @return empty for a pod of something that is never a group, such as a ReplicaSet
   */
  default Optional<OwnerSize> size(PodSubject pod) {
    return Optional.empty();
  }

  /**
   * Looks up what {@link #size} needs to know, within a bounded time.
   *
   * @return why it is not known all the same; empty where it is, or never will be
   */
  default Optional<String> learnSize(PodSubject pod) {
    return Optional.empty();
  }

  /** A number that grows whenever an answer of {@link #root} has turned out to be wrong. */
  default long corrections() {
    return 0;
  }

  /** The owners that names lead to, without any look-up. */
  static OwnerLookup byName() {
    return (namespace, controller, podLabels) -> OwnerNames.root(controller, podLabels);
  }
}
