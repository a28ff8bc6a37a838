package io.berth.demo.autoscaler;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules by which an autoscaler decides about pods and nodes.
 *
 * @see <a href="https://github.com/kubernetes/autoscaler">Cluster Autoscaler</a>
 * @see <a href="https://github.com/kubernetes-sigs/karpenter">Karpenter</a>
 */
public enum Rules {
  /**
   * The Cluster Autoscaler: pods that wait for their victims count as if they were on their
   * nominated nodes; a group offers what its nodes have, once one is ready; an unneeded node gets
   * first a soft taint, then a hard one, and is removed.
   */
  CLUSTER("ToBeDeletedByClusterAutoscaler", Duration.ZERO, Duration.ZERO) {
    @Override
    boolean wantsNode(Pod pod, Instant now) {
      return isUnschedulable(pod)
          && nominatedNode(pod).isEmpty()
          && !isOwnedBy(pod, Set.of("DaemonSet"))
          && !consumesBooking(pod)
          && priority(pod) >= LEAST_PRIORITY
          && !now.isBefore(createdAt(pod, now).plus(delayOf(pod)));
    }

    @Override
    boolean countsOnNominatedNode(Pod pod) {
      return isUnschedulable(pod) && !nominatedNode(pod).isEmpty();
    }

    @Override
    Optional<String> softTaint() {
      return Optional.of("DeletionCandidateOfClusterAutoscaler");
    }

    @Override
    boolean learnsFromNodes() {
      return true;
    }

    @Override
    Duration keepsNominated() {
      return Duration.ZERO;
    }
  },
  /**
   * Karpenter: pods with a nominated node are none of its business; pods are awaited for a while,
   * so that one decision is made about all that come together; a node that its simulation gave a
   * pod is not removed for a while.
   */
  KARPENTER("karpenter.sh/disrupted", Duration.ofSeconds(1), Duration.ofSeconds(10)) {
    @Override
    boolean wantsNode(Pod pod, Instant now) {
      return isUnschedulable(pod)
          && nominatedNode(pod).isEmpty()
          && !isOwnedBy(pod, Set.of("DaemonSet", "Node"));
    }

    @Override
    boolean countsOnNominatedNode(Pod pod) {
      return false;
    }

    @Override
    Optional<String> softTaint() {
      return Optional.empty();
    }

    @Override
    boolean learnsFromNodes() {
      return false;
    }

    @Override
    Duration keepsNominated() {
      return Duration.ofSeconds(20);
    }
  };

  private static final Logger LOG = LoggerFactory.getLogger(Rules.class);

  /** The default of {@code --expendable-pods-priority-cutoff}. */
  private static final int LEAST_PRIORITY = -10;

  private static final String DELAY = "cluster-autoscaler.kubernetes.io/pod-scale-up-delay";

  private final String taint;
  private final Duration quiet;
  private final Duration longestBatch;

  Rules(String taint, Duration quiet, Duration longestBatch) {
    this.taint = taint;
    this.quiet = quiet;
    this.longestBatch = longestBatch;
  }

  /** Returns the rules of this name: {@code cluster} or {@code karpenter}. */
  public static Rules named(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  /** Returns whether a pod without a node may be a reason to buy one. */
  abstract boolean wantsNode(Pod pod, Instant now);

  /** Returns whether a pod without a node takes room on its nominated node. */
  abstract boolean countsOnNominatedNode(Pod pod);

  /** The taint of nodes that may be removed later, which scores only; empty if there is none. */
  abstract Optional<String> softTaint();

  /** Returns whether a group is taken to offer what a ready node of it has, not its promise. */
  abstract boolean learnsFromNodes();

  /** The time for which a node is kept for a pod that the simulation has put there. */
  abstract Duration keepsNominated();

  /** The taint of nodes that will be removed. */
  String taint() {
    return taint;
  }

  boolean isOwnTaint(String key) {
    return key.equals(taint) || softTaint().filter(key::equals).isPresent();
  }

  /** The time without new pods that is awaited before a decision. */
  Duration quiet() {
    return quiet;
  }

  /** The time after which a decision is made although new pods still come. */
  Duration longestBatch() {
    return longestBatch;
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

  private static boolean isOwnedBy(Pod pod, Set<String> kinds) {
    return pod.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner -> kinds.contains(owner.getKind()));
  }

  private static boolean consumesBooking(Pod pod) {
    return annotations(pod).containsKey(CapacityRequests.CONSUMES);
  }

  private static int priority(Pod pod) {
    Integer priority = pod.getSpec().getPriority();
    return priority == null ? 0 : priority;
  }

  private static Instant createdAt(Pod pod, Instant now) {
    String time = pod.getMetadata().getCreationTimestamp();
    return time == null ? now : Instant.parse(time);
  }

  private static Duration delayOf(Pod pod) {
    String text = annotations(pod).getOrDefault(DELAY, "0s");
    Optional<Duration> delay = GoDuration.read(text);
    if (delay.isEmpty()) {
      LOG.warn(
          "Autoscaler: the annotation {} of pod {} is ignored: \"{}\" is not a duration; write it"
              + " like 90s or 1m30s",
          DELAY,
          Autoscaler.nameOf(pod),
          text);
    }
    return delay.orElse(Duration.ZERO);
  }

  private static Map<String, String> annotations(Pod pod) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    return annotations == null ? Map.of() : annotations;
  }
}
