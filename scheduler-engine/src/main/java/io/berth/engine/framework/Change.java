package io.berth.engine.framework;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.StorageObject;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A change in the cluster that may let a rejected pod through. */
public sealed interface Change {
  /** The change as kube-scheduler's metrics name it; one that it does not know, in the same way. */
  default String label() {
    return switch (this) {
      case NodeChanged(NodeModel before, NodeModel after, int slot) ->
          before == null ? "NodeAdd" : "Node" + updateOf(before, after);
      case NodeGone gone -> "NodeDelete";
      case PodPlaced placed -> "AssignedPodAdd";
      case PodGone gone -> "AssignedPodDelete";
      case PodChanged(PodModel before, PodModel after) ->
          before.labels().equals(after.labels())
              ? "AssignedPodUpdate"
              : "AssignedPodUpdatePodLabel";
      case NodeReadable readable -> "AssignedPodUpdate";
      case SelfChanged self -> "UnschedulablePodUpdate";
      case NamespaceChanged namespace -> "NamespaceUpdate";
      case StorageChanged storage -> storage.kind() + "Update";
      case PodGroupChanged group -> "ServiceUpdate";
      case PolicyChanged policy -> "SchedulingPolicyUpdate";
      case PriorityClassChanged priorityClass -> "PriorityClassUpdate";
    };
  }

  private static String updateOf(NodeModel before, NodeModel after) {
    if (!before.allocatable().equals(after.allocatable())) {
      return "UpdateNodeAllocatable";
    }
    if (!before.labels().equals(after.labels())) {
      return "UpdateNodeLabel";
    }
    if (!before.taints().equals(after.taints())
        || before.unschedulable() != after.unschedulable()) {
      return "UpdateNodeTaint";
    }
    return before.declaredFeatures().equals(after.declaredFeatures())
        ? "Update"
        : "UpdateNodeDeclaredFeature";
  }

  /**
   * A node came, or changed.
   *
   * @param before as it was; null for a node that came
   * @param slot where the engine keeps it
   */
  record NodeChanged(@Nullable NodeModel before, NodeModel after, int slot) implements Change {}

  /** A node is gone. */
  record NodeGone(NodeModel before) implements Change {}

  /** A pod was placed on a node or seen there. */
  record PodPlaced(PodModel pod) implements Change {}

  /**
   * A placed pod is gone, finished, or was never bound, or what was promised to it is free.
   *
   * @param nodeName the one node whose room it held; empty where that is not known, or where it was
   *     promised room elsewhere
   */
  record PodGone(PodModel pod, String nodeName) implements Change {
    /** A pod that held room where it is bound. */
    public PodGone(PodModel pod) {
      this(pod, pod.nodeName());
    }
  }

  /** The holdings of a node's pods are known again. */
  record NodeReadable(String nodeName) implements Change {}

  /** A placed pod changed in labels, requests or being terminated. */
  record PodChanged(PodModel before, PodModel after) implements Change {}

  /** The waiting pod itself changed. */
  record SelfChanged() implements Change {}

  /** A namespace's labels changed. */
  record NamespaceChanged(String name) implements Change {}

  /**
   * An object that volume plugins read came, changed or went.
   *
   * @param object as it is, or as it was before it went; empty where several may have changed
   */
  record StorageChanged(String kind, String namespace, String name, Optional<StorageObject> object)
      implements Change {
    /** The object came or changed, or is gone. */
    public StorageChanged(StorageObject object) {
      this(object.kind(), object.namespace(), object.name(), Optional.of(object));
    }
  }

  /** A Service or controller that default spread constraints go by. */
  record PodGroupChanged(String namespace) implements Change {}

  /** The pods that a PriorityClass protects from eviction. */
  record PriorityClassChanged(String name) implements Change {}

  /** The policy that rejected the pod was replaced. */
  record PolicyChanged(String name) implements Change {}
}
