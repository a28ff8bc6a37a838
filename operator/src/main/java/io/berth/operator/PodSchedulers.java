package io.berth.operator;

import io.berth.engine.model.PodRef;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.FedPod;
import io.berth.operator.record.ObjectEvent.Subject;
import java.util.List;

/** The scheduler names of pods, for events and metrics. */
final class PodSchedulers {
  private final List<String> served;
  private final ClusterFeed feed;

  /**
   * @param served the scheduler names whose pods Berth places
   */
  PodSchedulers(List<String> served, ClusterFeed feed) {
    this.served = List.copyOf(served);
    this.feed = feed;
  }

  /**
   * Returns the name of a pod's scheduler, or the first served name if the pod is unknown or has
   * another scheduler.
   */
  String of(PodRef pod) {
    return served.size() == 1
        ? served.getFirst()
        : feed.pod(pod.namespace(), pod.name())
            .filter(fed -> fed.ref().uid().equals(pod.uid()))
            .map(FedPod::schedulerName)
            .filter(served::contains)
            .orElse(served.getFirst());
  }

  /** Returns the scheduler name that reports an event about an object. */
  String reporterOf(Subject subject) {
    return subject.kind().equals("Pod")
        ? of(new PodRef(subject.namespace(), subject.name(), subject.uid()))
        : served.getFirst();
  }
}
