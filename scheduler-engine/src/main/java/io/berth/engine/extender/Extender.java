package io.berth.engine.extender;

import io.berth.crds.policy.ExtenderTls;
import io.berth.engine.framework.PodShape;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * An HTTP service with kube-scheduler's extender protocol.
 *
 * @param urlPrefix the base URL, without a trailing slash; also the name of the extender, as in
 *     kube-scheduler
 * @param verbs the supported verbs
 * @param weight the multiplier of its scores, at least 1
 * @param timeout the time limit for one answer
 * @param nodeCacheCapable whether it knows the nodes and pods itself, so that only names and UIDs
 *     are sent
 * @param managedResources the resources whose pods it is asked about: pods that request any of
 *     these; all pods if empty
 * @param ignorable whether pods are placed without its answer if it fails
 * @param tls the TLS settings for authentication of the extender and of Berth
 */
public record Extender(
    String urlPrefix,
    Verbs verbs,
    int weight,
    Duration timeout,
    boolean nodeCacheCapable,
    Set<String> managedResources,
    boolean ignorable,
    Optional<ExtenderTls> tls) {
  public Extender {
    managedResources = Set.copyOf(managedResources);
  }

  /** The verbs, which are appended to the URL; an empty verb is not supported. */
  public record Verbs(
      Optional<String> filter,
      Optional<String> prioritize,
      Optional<String> preempt,
      Optional<String> bind) {}

  /** Returns the URL of a verb. */
  public String url(String verb) {
    return urlPrefix + "/" + verb;
  }

  /** Returns whether the extender is asked about pods of this shape. */
  boolean isInterestedIn(PodShape shape) {
    return managedResources.isEmpty()
        || managedResources.stream().anyMatch(shape.spec().requests().asked()::names);
  }
}
