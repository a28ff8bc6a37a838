package io.berth.demo.autoscaler;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/** Requests for capacity that pods will use later: ProvisioningRequests. */
public interface CapacityRequests {
  /** The annotation of pods with the name of the request whose capacity they use. */
  String CONSUMES = "autoscaling.x-k8s.io/consume-provisioning-request";

  /** No requests. */
  CapacityRequests NONE = (nodes, placed, now) -> List.of();

  /**
   * Answers the open requests, and returns the pods for which capacity is booked, on their nodes.
   *
   * @param nodes the nodes that are kept
   * @param placed the pods on them
   */
  List<Pod> booked(Collection<Node> nodes, Collection<Pod> placed, Instant now);
}
