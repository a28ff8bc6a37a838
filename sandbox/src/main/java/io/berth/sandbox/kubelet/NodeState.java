package io.berth.sandbox.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The state of one node's kubelet. */
final class NodeState {
  final int number;

  /** Absent while pods are bound to a node that is not there. */
  @Nullable StoredObject node;

  @Nullable StoredObject lease;
  boolean registered;
  boolean silent;
  final Map<ObjectKey, PodState> pods = new LinkedHashMap<>();

  /** Pods to look at once the node is there, or its kubelet no longer silent. */
  private final Map<ObjectKey, StoredObject> unseen = new LinkedHashMap<>();

  /** Actions that became due while the kubelet was silent. */
  private final List<Runnable> undone = new ArrayList<>();

  NodeState(int number) {
    this.number = number;
  }

  boolean works() {
    return node != null && !silent;
  }

  JsonNode json() {
    return node == null ? MissingNode.getInstance() : node.json();
  }

  void keep(StoredObject pod) {
    unseen.put(pod.key(), pod);
  }

  void forget(ObjectKey pod) {
    unseen.remove(pod);
  }

  /** The pods kept, each handed out once. */
  List<StoredObject> takeUnseen() {
    List<StoredObject> taken = List.copyOf(unseen.values());
    unseen.clear();
    return taken;
  }

  /** Does it, or, if the kubelet is silent, once it no longer is. */
  void whenHeard(Runnable action) {
    if (silent) {
      undone.add(action);
    } else {
      action.run();
    }
  }

  void catchUp() {
    List<Runnable> due = List.copyOf(undone);
    undone.clear();
    due.forEach(Runnable::run);
  }

  /** Returns the usage of the node's pods, without finished pods and without the given one. */
  List<PodUse> usesBeside(@Nullable PodState left) {
    List<PodUse> uses = new ArrayList<>();
    for (PodState pod : pods.values()) {
      if (!pod.ended && !pod.equals(left)) {
        uses.add(pod.use);
      }
    }
    return uses;
  }
}
