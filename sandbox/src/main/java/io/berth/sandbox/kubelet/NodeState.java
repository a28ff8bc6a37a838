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

/** The state of a node's kubelet. Confined to the loop's thread. */
final class NodeState {
  final int number;

  /** Null while pods are bound to a node that does not exist. */
  @Nullable StoredObject node;

  @Nullable StoredObject lease;
  boolean registered;
  boolean silent;
  final Map<ObjectKey, PodState> pods = new LinkedHashMap<>();

  /** Pods to process once the node exists and its kubelet is no longer silent. */
  private final Map<ObjectKey, StoredObject> unseen = new LinkedHashMap<>();

  /** Actions that were due while the kubelet was silent. */
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

  /** Removes and returns the pods that have not been processed. */
  List<StoredObject> takeUnseen() {
    List<StoredObject> taken = List.copyOf(unseen.values());
    unseen.clear();
    return taken;
  }

  /** Runs an action, or defers it while the kubelet is silent. */
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

  /** Returns the resource usage of the node's pods, except finished pods and the given one. */
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
