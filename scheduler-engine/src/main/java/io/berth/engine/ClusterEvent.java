package io.berth.engine;

import io.berth.engine.model.DisruptionBudget;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeUsage;
import io.berth.engine.model.PodGroupSelector;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PriorityClassModel;
import io.berth.engine.model.StorageObject;
import io.berth.engine.policy.CompiledPolicy;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Something that happened in the cluster, or to one of the engine's decisions. Events may come
 * repeated and out of order; the last one about an object counts.
 */
public sealed interface ClusterEvent {
  /**
   * A pod as it is now: new, changed, bound or finished.
   *
   * @param partly what was left out of a pod that is on a node, where not all could be read
   */
  record PodUpserted(PodModel pod, Optional<Refusal> partly) implements ClusterEvent {
    /** A pod all of which could be read. */
    public PodUpserted(PodModel pod) {
      this(pod, Optional.empty());
    }
  }

  /** A pod is gone. */
  record PodRemoved(PodRef pod) implements ClusterEvent {}

  /**
   * A node as it is now.
   *
   * @param partly what was left out of it, where not all could be read
   */
  record NodeUpserted(NodeModel node, Optional<Refusal> partly) implements ClusterEvent {
    /** A node all of which could be read. */
    public NodeUpserted(NodeModel node) {
      this(node, Optional.empty());
    }
  }

  /** A node is gone; its pods count for nothing until they are seen on another. */
  record NodeRemoved(String name) implements ClusterEvent {}

  record NamespaceUpserted(String name, Map<String, String> labels) implements ClusterEvent {
    public NamespaceUpserted {
      labels = Map.copyOf(labels);
    }
  }

  record NamespaceRemoved(String name) implements ClusterEvent {}

  /** A Service or workload controller, whose selector default spread constraints use. */
  record PodGroupUpserted(PodGroupSelector group) implements ClusterEvent {}

  record PodGroupRemoved(PodGroupSelector.Kind kind, String namespace, String name)
      implements ClusterEvent {}

  /** The API server serves the objects of a dialect: pods that name such objects are members. */
  record GroupDialectServed(GroupDialect dialect) implements ClusterEvent {}

  /** An object that describes a group of pods came or changed. */
  record GroupUpserted(GroupModel group) implements ClusterEvent {}

  /** The object that described a group is gone. */
  record GroupRemoved(GroupRef group) implements ClusterEvent {}

  record BudgetUpserted(DisruptionBudget budget) implements ClusterEvent {}

  record BudgetRemoved(String namespace, String name) implements ClusterEvent {}

  /**
   * A PriorityClass came or changed.
   *
   * @param partly what of its annotations could not be read
   */
  record PriorityClassUpserted(PriorityClassModel priorityClass, Optional<Refusal> partly)
      implements ClusterEvent {}

  record PriorityClassRemoved(String name) implements ClusterEvent {}

  /**
   * An object that volume plugins read.
   *
   * @param version its resourceVersion, which fences what a decision has written to it
   */
  record StorageUpserted(StorageObject object, String version) implements ClusterEvent {}

  record StorageRemoved(String kind, String namespace, String name) implements ClusterEvent {}

  /** From now on the policy of this name is this revision. */
  record PolicyServed(CompiledPolicy policy) implements ClusterEvent {}

  /** The policy is gone: pods that name it wait, saying so. */
  record PolicyRemoved(String name) implements ClusterEvent {}

  /**
   * The mode that a gauge of a policy had before this engine existed; to be sent after the policy.
   * See {@link Engine#gauges}.
   *
   * @param plugin the score that reads the gauge
   */
  record GaugeSeeded(String policy, String plugin, String scope, String mode)
      implements ClusterEvent {}

  /** Measured usage of nodes, as of one reading of its source. */
  record UsageReported(List<NodeUsage> nodes) implements ClusterEvent {
    public UsageReported {
      nodes = List.copyOf(nodes);
    }
  }

  /** The policy for pods that name none; an empty name means there is none. */
  record DefaultPolicyChanged(String name) implements ClusterEvent {}

  /**
   * A pod was given a node by an engine that this one replaces, and its Binding is under way. To be
   * sent after the pod itself.
   *
   * @param preBind the steps that the decision planned
   * @param annotations the annotations of the Binding, which name the pod's cards
   */
  record PodAssumed(
      PodRef pod, String nodeName, List<PreBindStep> preBind, Map<String, String> annotations)
      implements ClusterEvent {
    public PodAssumed {
      preBind = List.copyOf(preBind);
      annotations = Map.copyOf(annotations);
    }
  }

  /** The API server has taken the Binding of a pod that was {@link Decision.Placed}. */
  record BindingConfirmed(PodRef pod) implements ClusterEvent {}

  /**
   * The Binding of a pod was refused: what was assumed is forgotten, and the pod tried again.
   *
   * @param retry whether it can succeed as it is (a timeout, a conflict); false for a pod that is
   *     gone or bound elsewhere, which the watch will tell of
   */
  record BindingFailed(PodRef pod, String reason, boolean retry) implements ClusterEvent {}

  /**
   * The API server refused to evict a victim of a {@link Decision.Nominated}: those who wait for it
   * look for room elsewhere, and for a while it is nobody's victim.
   *
   * @param reason why, in the API server's words
   */
  record EvictionFailed(PodRef victim, String reason) implements ClusterEvent {}

  /**
   * Somebody answered a {@link Consult}. An answer to a question that is not open any more changes
   * nothing.
   *
   * @param token the question's
   */
  record Advised(PodRef pod, long token, Advice advice) implements ClusterEvent {}

  /**
   * An object that no valid API server would send.
   *
   * @param unreadable where the object is a pod that is not finished
   */
  record Malformed(Refusal refusal, Optional<UnreadablePod> unreadable) implements ClusterEvent {
    /** An object that holds nothing. */
    public Malformed(Refusal refusal) {
      this(refusal, Optional.empty());
    }
  }

  /**
   * A pod of which no more than this is known.
   *
   * @param nodeName the node of which it holds an unknown part; empty while it is pending
   */
  record UnreadablePod(PodRef pod, String schedulerName, String nodeName) {}

  /** An object of a kind that scheduling does not depend on. */
  record Ignored(String kind) implements ClusterEvent {}
}
