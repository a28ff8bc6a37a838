package io.berth.engine.extender;

import io.berth.crds.policy.ExtenderTls;
import io.berth.engine.framework.PodShape;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * A service that is asked over HTTP, by kube-scheduler's extender protocol.
 *
 * @param urlPrefix where it is, without a slash at the end; also its name, as in kube-scheduler
 * @param verbs what it is asked
 * @param weight what its scores are multiplied by, at least 1
 * @param timeout how long one answer may take
 * @param nodeCacheCapable whether it knows the nodes and pods itself, so that only names and UIDs
 *     are sent
 * @param managedResources it is asked about pods that ask for one of these; about all pods if empty
 * @param ignorable whether pods are placed without it when it does not answer
 * @param tls how it proves who it is, and Berth to it
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

  /** The verbs that are appended to the URL; one that is empty is not asked for. */
  public record Verbs(
      Optional<String> filter,
      Optional<String> prioritize,
      Optional<String> preempt,
      Optional<String> bind) {}

  /** The URL of a verb. */
  public String url(String verb) {
    return urlPrefix + "/" + verb;
  }

  /** Returns whether it is asked about pods of this shape. */
  boolean isInterestedIn(PodShape shape) {
    return managedResources.isEmpty()
        || managedResources.stream().anyMatch(shape.spec().requests().asked()::names);
  }
}
