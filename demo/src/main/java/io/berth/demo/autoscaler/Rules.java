package io.berth.demo.autoscaler;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Duration;
import java.util.Locale;

/**
 * The rules by which an autoscaler decides about pods and nodes.
 *
 * @see <a href="https://github.com/kubernetes/autoscaler">Cluster Autoscaler</a>
 * @see <a href="https://github.com/kubernetes-sigs/karpenter">Karpenter</a>
 */
public enum Rules {
  /**
   * The Cluster Autoscaler: pods that wait for their victims count as if they were on their
   * nominated nodes; an unneeded node gets a taint and is removed after a while.
   */
  CLUSTER("ToBeDeletedByClusterAutoscaler", Duration.ZERO) {
    @Override
    boolean wantsNode(Pod pod) {
      return isUnschedulable(pod) && nominatedNode(pod).isEmpty();
    }

    @Override
    boolean countsOnNominatedNode(Pod pod) {
      return isUnschedulable(pod) && !nominatedNode(pod).isEmpty();
    }
  },
  /**
   * Karpenter: pods with a nominated node are none of its business; pods are awaited for a while,
   * so that one decision is made about all that come together.
   */
  KARPENTER("karpenter.sh/disrupted", Duration.ofSeconds(1)) {
    @Override
    boolean wantsNode(Pod pod) {
      return isUnschedulable(pod) && nominatedNode(pod).isEmpty() && !isOfDaemonSet(pod);
    }

    @Override
    boolean countsOnNominatedNode(Pod pod) {
      return false;
    }
  };

  private final String taint;
  private final Duration quiet;

  Rules(String taint, Duration quiet) {
    this.taint = taint;
    this.quiet = quiet;
  }

  /** Returns the rules of this name: {@code cluster} or {@code karpenter}. */
  public static Rules named(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  /** Returns whether a pod without a node may be a reason to buy one. */
  abstract boolean wantsNode(Pod pod);

  /** Returns whether a pod without a node takes room on its nominated node. */
  abstract boolean countsOnNominatedNode(Pod pod);

  /** The taint of nodes that will be removed. */
  String taint() {
    return taint;
  }

  /** The time without new pods that is awaited before a decision. */
  Duration quiet() {
    return quiet;
  }

  private static boolean isUnschedulable(Pod pod) {
    return pod.getSpec().getNodeName() == null
        && pod.getMetadata().getDeletionTimestamp() == null
        && pod.getStatus().getConditions().stream().anyMatch(Rules::asksForNodes);
  }

  private static boolean asksForNodes(PodCondition condition) {
    return condition.getType().equals("PodScheduled")
        && condition.getStatus().equals("False")
        && "Unschedulable".equals(condition.getReason());
  }

  private static String nominatedNode(Pod pod) {
    String node = pod.getStatus().getNominatedNodeName();
    return node == null ? "" : node;
  }

  private static boolean isOfDaemonSet(Pod pod) {
    return pod.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner -> owner.getKind().equals("DaemonSet"));
  }
}
