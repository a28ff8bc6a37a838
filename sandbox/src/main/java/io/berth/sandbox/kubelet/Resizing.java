package io.berth.sandbox.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.store.StoredObject;
import java.util.List;
import java.util.Optional;

/**
 * In-place resizing of running pods. A resize for which the node currently lacks resources is
 * deferred and retried, in the order of the pods on the node, when resources may have been freed.
 */
final class Resizing {
  private final KubeletParts kubelet;

  Resizing(KubeletParts kubelet) {
    this.kubelet = kubelet;
  }

  /** Processes a changed pod. */
  void changed(NodeState node, PodState pod) {
    long generation = pod.latest.json().path("metadata").path("generation").asLong();
    if (generation != pod.generation) {
      pod.generation = generation;
      resize(node, pod);
    }
  }

  /** Retries deferred resizes after another pod has ended or shrunk. */
  void roomMayBeFree(NodeState node) {
    for (PodState pod : List.copyOf(node.pods.values())) {
      if (pod.resizeDeferred && pod.running && !pod.stopping && !pod.ended) {
        resize(node, pod);
      }
    }
  }

  private void resize(NodeState node, PodState pod) {
    StoredObject stored = pod.latest;
    JsonNode json = stored.json();
    PodUse wanted = PodUse.of(json);
    boolean sameUse = wanted.requests().equals(pod.use.requests());
    if (sameUse && PodStatuses.showsResources(json)) {
      pod.resizeDeferred = false;
      return;
    }
    JsonNode nodeJson = node.json();
    Optional<PodAdmission.Rejection> tooMuch =
        PodAdmission.resources(wanted, nodeJson, node.usesBeside(pod));
    if (tooMuch.isPresent()) {
      boolean ever = PodAdmission.resources(wanted, nodeJson, List.of()).isEmpty();
      pod.resizeDeferred = ever;
      String reason = ever ? "Deferred" : "Infeasible";
      String message = tooMuch.get().message();
      kubelet.status(
          stored, tree -> PodStatuses.resizePending(tree, reason, message, kubelet.now()));
      return;
    }
    pod.resizeDeferred = false;
    pod.use = wanted;
    kubelet.status(
        stored,
        tree -> {
          PodStatuses.resized(tree);
          return true;
        });
    roomMayBeFree(node);
  }
}
