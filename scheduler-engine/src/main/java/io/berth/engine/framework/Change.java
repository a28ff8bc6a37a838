package io.berth.engine.framework;

import io.berth.engine.devices.DeviceClaim;
import io.berth.engine.model.DeviceObject;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.StorageObject;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A change in the cluster that may make a rejected pod schedulable. */
public sealed interface Change {
  /**
   * Returns the label of the change in kube-scheduler's metrics; changes that kube-scheduler does
   * not know are named in the same style.
   */
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
      case DevicesChanged devices -> devices.kind() + "Update";
      case WorkloadSelectorChanged group -> "ServiceUpdate";
      case PolicyChanged policy -> "SchedulingPolicyUpdate";
      case PriorityClassChanged priorityClass -> "PriorityClassUpdate";
      case QueuesChanged queues -> "SchedulingQueueUpdate";
      case TurnGivenUp turn -> "UnscheduledPodDelete";
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
   * A node was added or changed.
   *
   * @param before its previous state; null for a new node
   * @param slot its slot in the node table
   */
  record NodeChanged(@Nullable NodeModel before, NodeModel after, int slot) implements Change {}

  /** A node was removed. */
  record NodeGone(NodeModel before) implements Change {}

  /** A pod was placed on a node, or seen on one. */
  record PodPlaced(PodModel pod) implements Change {}

  /**
   * A placed pod was deleted, finished or never bound, or its reserved resources were released.
   *
   * @param nodeName the only node on which it held resources; empty if that is unknown, or if its
   *     resources were reserved elsewhere
   */
  record PodGone(PodModel pod, String nodeName) implements Change {
    /** Creates the change for a pod that held resources on the node where it is bound. */
    public PodGone(PodModel pod) {
      this(pod, pod.nodeName());
    }
  }

  /** All pods of a node can be parsed again. */
  record NodeReadable(String nodeName) implements Change {}

  /** The labels, requests or termination state of a placed pod changed. */
  record PodChanged(PodModel before, PodModel after) implements Change {}

  /** The waiting pod itself changed. */
  record SelfChanged() implements Change {}

  /** A namespace's labels changed. */
  record NamespaceChanged(String name) implements Change {}

  /**
   * An object of dynamic resource allocation was created, changed or deleted, or planned devices
   * were released.
   *
   * @param before its previous state; null for a new object
   * @param after its current state; null for a deleted object, and if devices were released
   */
  record DevicesChanged(@Nullable DeviceObject before, @Nullable DeviceObject after)
      implements Change {
    /** Returns the change that planned devices were released. */
    public static DevicesChanged released() {
      return new DevicesChanged(null, null);
    }

    String kind() {
      DeviceObject object = after == null ? before : after;
      return object == null ? DeviceClaim.KIND : object.kind();
    }

    /** Returns whether devices may be free now that a claim had. */
    public boolean releasesDevices() {
      if (before == null) {
        return after == null;
      }
      return before instanceof DeviceClaim claim
          && claim.allocation().isPresent()
          && !(after instanceof DeviceClaim now && now.allocation().isPresent());
    }
  }

  /**
   * An object that volume plugins read was created, changed or deleted.
   *
   * @param object its current state, or its last one if it was deleted; empty if several may have
   *     changed
   */
  record StorageChanged(String kind, String namespace, String name, Optional<StorageObject> object)
      implements Change {
    /** Creates the change for an object that was created, changed or deleted. */
    public StorageChanged(StorageObject object) {
      this(object.kind(), object.namespace(), object.name(), Optional.of(object));
    }
  }

  /** A Service or controller that default spread constraints use was changed. */
  record WorkloadSelectorChanged(String namespace) implements Change {}

  /** The pods that a PriorityClass protects from eviction changed. */
  record PriorityClassChanged(String name) implements Change {}

  /** The queues, or the namespaces that they admit, changed. */
  record QueuesChanged() implements Change {}

  /** A pod that waited is gone: its queue may have room for another one. */
  record TurnGivenUp() implements Change {}

  /** The policy that rejected the pod was replaced. */
  record PolicyChanged(String name) implements Change {}
}
