package io.berth.sandbox.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.loop.EventRecorder;
import io.berth.sandbox.loop.ObjectWriter;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.ClusterApi;
import io.berth.sandbox.store.StoredObject;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Predicate;

/** State shared by all kubelets. */
final class KubeletParts {
  final ObjectWriter writer;
  final EventRecorder events;
  final KubeletOptions options;
  final Loop loop;
  final ResourceType pods;
  final ResourceType nodes;
  final ResourceType leases;
  final String release;
  private final Clock clock;

  KubeletParts(ClusterApi api, KubeletOptions options, Clock clock, Loop loop) {
    this.writer = new ObjectWriter(api, "kubelet");
    this.events = new EventRecorder(writer, "kubelet", clock);
    this.options = options;
    this.clock = clock;
    this.release = api.version().release();
    this.loop = loop;
    this.pods = api.registry().builtIn("", "pods");
    this.nodes = api.registry().builtIn("", "nodes");
    this.leases = api.registry().builtIn("coordination.k8s.io", "leases");
  }

  Instant instant() {
    return clock.instant();
  }

  String now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /**
   * Changes a pod's status.
   *
   * @param change modifies the pod in place and returns whether the status has to be written
   */
  void status(StoredObject pod, Predicate<ObjectNode> change) {
    writer.change(pods, pod.key(), pod.uid(), "status", change);
  }
}
