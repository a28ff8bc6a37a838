package io.berth.engine.state;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The pods of a namespace with the same labels, usually the replicas of one workload. A selector is
 * evaluated once for all of them. They are linked through their entries, so that a set of one pod
 * takes little memory.
 */
final class LabelSet {
  private final Map<String, String> labels;
  private @Nullable PodEntry first;

  LabelSet(Map<String, String> labels) {
    this.labels = labels;
  }

  Map<String, String> labels() {
    return labels;
  }

  boolean isEmpty() {
    return first == null;
  }

  /** Adds a pod that is in no set. */
  void add(PodEntry pod) {
    pod.labelSet = this;
    pod.nextAlike = first;
    if (first != null) {
      first.previousAlike = pod;
    }
    first = pod;
  }

  /** Removes a pod of this set. */
  void remove(PodEntry pod) {
    PodEntry next = pod.nextAlike;
    PodEntry previous = pod.previousAlike;
    if (previous == null) {
      first = next;
    } else {
      previous.nextAlike = next;
    }
    if (next != null) {
      next.previousAlike = previous;
    }
    pod.labelSet = null;
    pod.nextAlike = null;
    pod.previousAlike = null;
  }

  /** Visits the pods, the latest first. */
  void forEach(Consumer<PodEntry> visitor) {
    for (PodEntry pod = first; pod != null; pod = pod.nextAlike) {
      visitor.accept(pod);
    }
  }
}
