package io.berth.demo.trial;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The lifecycle of bound pods. Each pod is deleted when its run time is over. If the nodes have no
 * kubelets, terminating pods are removed after a grace period, as a kubelet would do.
 */
final class PodLives {
  private static final Duration GRACE = Duration.ofMillis(700);

  private final KubernetesClient client;
  private final InstantSource clock;
  private final boolean kubelets;
  private final Map<String, Instant> boundAt = new HashMap<>();
  private final Map<String, Instant> leavingAt = new HashMap<>();

  /**
   * @param kubelets whether the nodes have kubelets, which terminate deleted pods
   */
  PodLives(KubernetesClient client, InstantSource clock, boolean kubelets) {
    this.client = client;
    this.clock = clock;
    this.kubelets = kubelets;
  }

  /** Processes the current pods of the trial. */
  void step(List<Pod> pods) {
    Instant now = clock.instant();
    Set<String> there = new HashSet<>();
    for (Pod pod : pods) {
      String uid = pod.getMetadata().getUid();
      there.add(uid);
      if (pod.getSpec().getNodeName() == null) {
        continue;
      }
      if (pod.getMetadata().getDeletionTimestamp() != null) {
        if (!kubelets && isOver(leavingAt.computeIfAbsent(uid, first -> now), GRACE, now)) {
          delete(pod, 0);
        }
      } else if (isOver(boundAt.computeIfAbsent(uid, first -> now), runTime(pod), now)) {
        delete(pod, 1);
      }
    }
    boundAt.keySet().retainAll(there);
    leavingAt.keySet().retainAll(there);
  }

  private void delete(Pod pod, long graceSeconds) {
    client
        .pods()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(pod.getMetadata().getName())
        .withGracePeriod(graceSeconds)
        .delete();
  }

  private static Duration runTime(Pod pod) {
    return Duration.ofMillis(
        Long.parseLong(pod.getMetadata().getAnnotations().get(Workload.RUN_MILLIS)));
  }

  private static boolean isOver(Instant since, Duration time, Instant now) {
    return !now.isBefore(since.plus(time));
  }
}
