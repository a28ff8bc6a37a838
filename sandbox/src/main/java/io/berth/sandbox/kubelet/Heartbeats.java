package io.berth.sandbox.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * The heartbeats of all kubelets. Each node's Lease in {@code kube-node-lease} is renewed once per
 * heartbeat interval, and the heartbeat times of its conditions are updated every 30th time. The
 * interval is divided into slices, to which nodes are assigned by their number, so that many nodes
 * cause an even, low load.
 */
final class Heartbeats {
  private static final String NAMESPACE = "kube-node-lease";
  private static final int SLICES = 20;
  private static final int BEATS_PER_REPORT = 30;
  private static final int BEATS_PER_LEASE = 4;

  private final KubeletParts kubelet;
  private final Map<String, NodeState> nodes;
  private final Duration slice;
  private int turn;

  Heartbeats(KubeletParts kubelet, Map<String, NodeState> nodes) {
    this.kubelet = kubelet;
    this.nodes = nodes;
    this.slice = kubelet.options.heartbeat().dividedBy(SLICES);
  }

  /** Starts the heartbeats. Called on the loop's thread. */
  void start() {
    kubelet.loop.after(slice, this::beat);
  }

  private void beat() {
    kubelet.loop.after(slice, this::beat);
    turn++;
    Collection<NodeState> all = nodes.values();
    for (NodeState node : all) {
      if (node.works() && (node.number + turn) % SLICES == 0) {
        renew(node);
        if ((node.number + turn / SLICES) % BEATS_PER_REPORT == 0) {
          report(node);
        }
      }
    }
  }

  /** Renews a node's Lease, or creates it. */
  void renew(NodeState node) {
    StoredObject owner = node.node;
    if (owner == null) {
      return;
    }
    StoredObject known = node.lease;
    Optional<StoredObject> renewed = Optional.empty();
    if (known != null) {
      renewed =
          kubelet.writer.change(
              kubelet.leases, known.key(), known.uid(), "", lease -> fill(lease, owner));
    }
    node.lease = renewed.orElseGet(() -> obtain(owner));
  }

  private StoredObject obtain(StoredObject owner) {
    String name = owner.key().name();
    Optional<StoredObject> there =
        kubelet.writer.api().store().get(kubelet.leases.storage(), new ObjectKey(NAMESPACE, name));
    if (there.isPresent()) {
      Optional<StoredObject> taken =
          kubelet.writer.change(
              kubelet.leases,
              there.get().key(),
              there.get().uid(),
              "",
              lease -> fill(lease, owner));
      if (taken.isPresent()) {
        return taken.get();
      }
    }
    ObjectNode lease = Json.object().put("apiVersion", "coordination.k8s.io/v1");
    lease.put("kind", "Lease");
    lease.putObject("metadata").put("name", name).put("namespace", NAMESPACE);
    fill(lease, owner);
    return kubelet.writer.create(kubelet.leases, NAMESPACE, lease);
  }

  private boolean fill(ObjectNode lease, StoredObject owner) {
    String name = owner.key().name();
    lease
        .withObject("metadata")
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", "v1")
        .put("kind", "Node")
        .put("name", name)
        .put("uid", owner.uid());
    Duration duration = kubelet.options.heartbeat().multipliedBy(BEATS_PER_LEASE);
    lease
        .withObject("spec")
        .put("holderIdentity", name)
        .put("leaseDurationSeconds", (int) Math.max(1, duration.toSeconds()))
        .put("renewTime", micros());
    return true;
  }

  /** Returns the current time as a MicroTime, which always has six fractional digits. */
  private String micros() {
    String text = kubelet.instant().truncatedTo(ChronoUnit.MICROS).toString();
    int dot = text.indexOf('.');
    String seconds = text.substring(0, dot < 0 ? text.length() - 1 : dot);
    String fraction = dot < 0 ? "" : text.substring(dot + 1, text.length() - 1);
    return seconds + "." + (fraction + "000000").substring(0, 6) + "Z";
  }

  /** Updates the heartbeat times and the Ready condition in the node's status. */
  void report(NodeState node) {
    StoredObject stored = node.node;
    if (stored != null) {
      String now = kubelet.now();
      kubelet
          .writer
          .change(
              kubelet.nodes,
              stored.key(),
              stored.uid(),
              "status",
              tree -> SimulatedNode.beat(tree, now))
          .ifPresent(written -> node.node = written);
    }
  }
}
