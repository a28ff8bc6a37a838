package io.berth.sandbox.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.rest.DeleteOptions;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.util.Optional;

/**
 * The lifecycle of pods on a node: admission or rejection, running, completion, and termination.
 */
final class PodLife {
  /** The exit code of a container that was killed with SIGKILL. */
  private static final int KILLED = 137;

  /** The time after which a kubelet tries again to prepare the resource claims of a pod. */
  private static final Duration PREPARE_AGAIN = Duration.ofSeconds(2);

  private final KubeletParts kubelet;
  private final Resizing resizing;
  private final ClaimPreparation claims;
  private int nextPod = 1;

  PodLife(KubeletParts kubelet) {
    this.kubelet = kubelet;
    this.resizing = new Resizing(kubelet);
    this.claims = new ClaimPreparation(kubelet.writer.api());
  }

  /** Processes a new version of a pod that is bound to the node. */
  void changed(NodeState node, StoredObject stored) {
    JsonNode pod = stored.json();
    boolean deleted = pod.path("metadata").has("deletionTimestamp");
    String phase = pod.path("status").path("phase").asText("");
    boolean over = phase.equals("Succeeded") || phase.equals("Failed");
    PodState known = node.pods.get(stored.key());
    if (known != null && !known.uid.equals(stored.uid())) {
      node.pods.remove(stored.key());
      known = null;
    }
    if (known == null) {
      known = new PodState(stored, PodUse.of(pod));
      known.generation = pod.path("metadata").path("generation").asLong();
      known.ended = over;
      if (!over && !deleted) {
        admit(node, stored, pod, known);
      } else {
        node.pods.put(stored.key(), known);
      }
    } else {
      known.latest = stored;
      correct(stored);
      if (over) {
        ended(node, known);
      } else if (known.running && !deleted) {
        resizing.changed(node, known);
      }
    }
    if (deleted) {
      stop(node, stored, known);
    }
  }

  /** Corrects the condition if a scheduler's late write says that the pod is not scheduled. */
  private void correct(StoredObject stored) {
    if (PodStatuses.saysNotScheduled(stored.json())) {
      kubelet.status(stored, tree -> PodStatuses.correct(tree, kubelet.now()));
    }
  }

  /** Drops the state of a pod that was removed from the API. */
  void gone(NodeState node, StoredObject stored) {
    PodState known = node.pods.get(stored.key());
    if (known != null && known.uid.equals(stored.uid())) {
      node.pods.remove(stored.key());
      resizing.roomMayBeFree(node);
    }
  }

  private void admit(NodeState node, StoredObject stored, JsonNode pod, PodState state) {
    var others = node.usesBeside(null);
    node.pods.put(stored.key(), state);
    Optional<PodAdmission.Rejection> rejection =
        PodAdmission.check(pod, state.use, node.json(), others);
    if (rejection.isPresent()) {
      state.ended = true;
      PodAdmission.Rejection why = rejection.get();
      kubelet.events.onNode(pod, "Warning", why.reason(), why.message(), nodeName(pod));
      kubelet.status(
          stored,
          tree -> {
            PodStatuses.rejected(tree, why, kubelet.now());
            return true;
          });
      return;
    }
    String hostIp = hostIp(node);
    Duration latency = kubelet.options.startLatency();
    if (!latency.isZero()) {
      kubelet.status(
          stored,
          tree -> {
            PodStatuses.creating(tree, hostIp, kubelet.now());
            return true;
          });
    }
    String podIp = podIp();
    kubelet.loop.after(
        latency, () -> node.whenHeard(() -> running(node, stored, state, hostIp, podIp)));
  }

  private static String hostIp(NodeState node) {
    for (JsonNode address : node.json().path("status").path("addresses")) {
      if (address.path("type").asText().equals("InternalIP")) {
        return address.path("address").asText();
      }
    }
    return SimulatedNode.address(node.number);
  }

  private String podIp() {
    int number = nextPod++;
    return "10." + ((number >> 16) & 127) + "." + ((number >> 8) & 255) + "." + (number & 255);
  }

  private void running(
      NodeState node, StoredObject stored, PodState state, String hostIp, String podIp) {
    if (state.stopping || state.ended) {
      return;
    }
    JsonNode pod = stored.json();
    Optional<String> unprepared = claims.problem(state.latest);
    if (unprepared.isPresent()) {
      if (!unprepared.equals(state.unprepared)) {
        kubelet.events.onNode(
            pod,
            "Warning",
            "FailedPrepareDynamicResources",
            "Failed to prepare dynamic resources: prepare dynamic resources: " + unprepared.get(),
            nodeName(pod));
      }
      state.unprepared = unprepared;
      kubelet.loop.after(
          PREPARE_AGAIN, () -> node.whenHeard(() -> running(node, stored, state, hostIp, podIp)));
      return;
    }
    kubelet.status(
        stored,
        tree -> {
          PodStatuses.running(tree, hostIp, podIp, kubelet.now());
          return true;
        });
    state.running = true;
    Duration readyAfter = PodStatuses.readyAfter(pod);
    if (!readyAfter.isZero()) {
      kubelet.loop.after(readyAfter, () -> node.whenHeard(() -> ready(stored, state)));
    }
    if (kubelet.options.events()) {
      for (JsonNode container : pod.path("spec").path("containers")) {
        String image = container.path("image").asText();
        event(pod, "Pulled", "Container image \"" + image + "\" already present on machine");
        event(pod, "Created", "Container created");
        event(pod, "Started", "Container started");
      }
    }
    JsonNode annotations = pod.path("metadata").path("annotations");
    if (annotations.has(Kubelets.RUN_FOR)) {
      int exitCode = annotations.path(Kubelets.EXIT_CODE).asInt(0);
      kubelet.loop.after(
          Durations.parse(annotations.path(Kubelets.RUN_FOR).asText()),
          () -> node.whenHeard(() -> end(node, stored, state, exitCode)));
    }
  }

  private void ready(StoredObject stored, PodState state) {
    if (!state.stopping && !state.ended) {
      kubelet.status(
          stored,
          tree -> {
            PodStatuses.ready(tree, kubelet.now());
            return true;
          });
    }
  }

  private void end(NodeState node, StoredObject stored, PodState state, int exitCode) {
    if (!state.stopping && !state.ended) {
      kubelet.status(
          stored,
          tree -> {
            PodStatuses.ended(tree, exitCode, kubelet.now());
            return true;
          });
      ended(node, state);
    }
  }

  private void ended(NodeState node, PodState state) {
    if (!state.ended) {
      state.ended = true;
      resizing.roomMayBeFree(node);
    }
  }

  /**
   * Terminates a deleted pod. This takes the preStop sleep plus the stop time of the containers,
   * limited by the grace period. A later deletion with a shorter grace period shortens it.
   */
  private void stop(NodeState node, StoredObject stored, PodState state) {
    JsonNode pod = stored.json();
    Duration grace =
        Duration.ofSeconds(pod.path("metadata").path("deletionGracePeriodSeconds").asLong(0));
    if (state.stopping && grace.compareTo(state.grace) >= 0) {
      return;
    }
    if (!state.stopping && kubelet.options.events() && !state.ended) {
      for (JsonNode container : pod.path("spec").path("containers")) {
        event(pod, "Killing", "Stopping container " + container.path("name").asText());
      }
    }
    state.stopping = true;
    state.grace = grace;
    Duration needed = state.ended ? Duration.ZERO : stopTime(pod);
    boolean killed = needed.compareTo(grace) > 0;
    kubelet.loop.after(
        killed ? grace : needed,
        () -> node.whenHeard(() -> stopped(node, stored, state, killed ? KILLED : 0)));
  }

  private Duration stopTime(JsonNode pod) {
    Duration preStop = Duration.ZERO;
    for (JsonNode container : pod.path("spec").path("containers")) {
      Duration sleep =
          Duration.ofSeconds(container.at("/lifecycle/preStop/sleep/seconds").asLong(0));
      preStop = preStop.compareTo(sleep) < 0 ? sleep : preStop;
    }
    String annotated =
        pod.path("metadata").path("annotations").path(Kubelets.STOPS_AFTER).asText("");
    return preStop.plus(
        annotated.isEmpty() ? kubelet.options.stopLatency() : Durations.parse(annotated));
  }

  /** Reports the containers as terminated, then deletes the pod from the API server. */
  private void stopped(NodeState node, StoredObject stored, PodState state, int exitCode) {
    if (!state.ended && state.running) {
      kubelet.status(
          stored,
          tree -> {
            PodStatuses.ended(tree, exitCode, kubelet.now());
            return true;
          });
    }
    ended(node, state);
    kubelet.writer.delete(kubelet.pods, stored.key(), state.uid, DeleteOptions.now());
  }

  private void event(JsonNode pod, String reason, String message) {
    kubelet.events.onNode(pod, "Normal", reason, message, nodeName(pod));
  }

  private static String nodeName(JsonNode pod) {
    return pod.path("spec").path("nodeName").asText();
  }
}
