package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.simulation.ApiStore.Change;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import io.berth.demo.tenants.Tenants;
import java.time.Duration;

/**
 * The kubelets of all nodes, and the garbage collection of pods whose node is gone: bound pods
 * start after a while, some end on their own, and terminating pods are removed after their grace
 * period. A bound pod whose condition says that it is not scheduled is corrected.
 */
final class Kubelets {
  private static final Duration QUICK = Duration.ofMillis(100);
  private static final Duration LONGEST_START = Duration.ofSeconds(2);
  private static final Duration LONGEST_GRACE = Duration.ofSeconds(30);
  private static final Duration COLLECTED = Duration.ofSeconds(5);

  private final VirtualTime time;
  private final ApiStore store;

  Kubelets(VirtualTime time, ApiStore store) {
    this.time = time;
    this.store = store;
    store.listen(this::changed);
  }

  private void changed(Change change) {
    switch (change.key().kind()) {
      case "Pod" -> podChanged(change);
      case "Node" -> nodeChanged(change);
      default -> {} // nothing runs there
    }
  }

  private void nodeChanged(Change change) {
    if (change.deleted()) {
      time.later(
          COLLECTED,
          () -> {
            if (store.find(change.key()).isEmpty()) {
              store.all("Pod").stream()
                  .filter(pod -> KubeObjects.nodeOf(pod).equals(change.key().name()))
                  .toList()
                  .forEach(pod -> store.remove(ObjectKey.of(pod)));
            }
          });
    }
  }

  private void podChanged(Change change) {
    ObjectNode pod = change.object();
    if (change.deleted() || KubeObjects.nodeOf(pod).isEmpty()) {
      return;
    }
    String uid = uid(pod);
    String phase = pod.path("status").path("phase").asText("");
    if (KubeObjects.isTerminating(pod)) {
      time.later(
          time.between(QUICK, LONGEST_GRACE), () -> ifSame(change.key(), uid, () -> gone(pod)));
    } else if (phase.isEmpty() || phase.equals("Pending")) {
      time.later(
          time.between(QUICK, LONGEST_START),
          () -> ifSame(change.key(), uid, () -> start(change.key())));
    }
    if (saysNotScheduled(pod)) {
      time.later(
          time.between(QUICK, LONGEST_START),
          () -> ifSame(change.key(), uid, () -> correct(change.key())));
    }
  }

  /** Removes a pod that has terminated, as soon as the kubelet of its node is alive. */
  private void gone(ObjectNode pod) {
    if (isDead(pod)) {
      time.later(COLLECTED, () -> ifSame(ObjectKey.of(pod), uid(pod), () -> gone(pod)));
    } else {
      store.remove(ObjectKey.of(pod));
    }
  }

  private boolean isDead(ObjectNode pod) {
    return store
        .find(new ObjectKey("Node", "", KubeObjects.nodeOf(pod)))
        .filter(node -> node.at("/metadata/annotations").has(Tenants.DEAD))
        .isPresent();
  }

  /** A kubelet's own status has PodScheduled=True, and it corrects what others write into it. */
  private void correct(ObjectKey key) {
    store.write(
        key,
        pod -> {
          if (saysNotScheduled(pod)) {
            ObjectNode condition = JsonNodeFactory.instance.objectNode();
            condition.put("type", "PodScheduled").put("status", "True");
            condition.put("reason", "").put("message", "");
            KubeObjects.setCondition(pod, condition);
          }
        });
  }

  private static boolean saysNotScheduled(JsonNode pod) {
    JsonNode condition = KubeObjects.condition(pod, "PodScheduled");
    return condition != null && condition.path("status").asText().equals("False");
  }

  private void start(ObjectKey key) {
    store.write(
        key,
        pod -> {
          ObjectNode status = pod.withObject("/status");
          if (!KubeObjects.isTerminating(pod)
              && !status.path("phase").asText("").equals("Running")) {
            status.put("phase", "Running").put("startTime", time.instant().toString());
            JsonNode seconds = pod.path("metadata").path("annotations").path(Tenants.SECONDS);
            if (!seconds.isMissingNode()) {
              String uid = uid(pod);
              time.later(
                  Duration.ofSeconds(seconds.asInt()), () -> ifSame(key, uid, () -> end(key)));
            }
          }
        });
  }

  private void end(ObjectKey key) {
    store.write(key, pod -> pod.withObject("/status").put("phase", "Succeeded"));
  }

  private void ifSame(ObjectKey key, String uid, Runnable task) {
    if (store.find(key).filter(pod -> uid(pod).equals(uid)).isPresent()) {
      task.run();
    }
  }

  private static String uid(JsonNode pod) {
    return pod.path("metadata").path("uid").asText();
  }
}
