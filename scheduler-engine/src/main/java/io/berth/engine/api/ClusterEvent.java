package io.berth.engine.api;

import io.berth.engine.framework.Canary;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.Assignment;
import io.berth.engine.model.DeviceObject;
import io.berth.engine.model.DisruptionBudget;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeUsage;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PreBindStep;
import io.berth.engine.model.PriorityClassModel;
import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.StorageObject;
import io.berth.engine.model.WorkloadSelector;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A change in the cluster, or the result of one of the engine's decisions. Events may be repeated
 * and out of order; the last one for an object counts.
 */
public sealed interface ClusterEvent {
  /**
   * The object, or other input, that an event is about.
   *
   * @param namespace empty if it is in none
   */
  record Subject(String kind, String namespace, String name) {
    /** Returns the name, with the namespace if there is one. */
    public String fullName() {
      return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    private static Subject of(String kind, PodRef pod) {
      return new Subject(kind, pod.namespace(), pod.name());
    }

    private static Subject of(String kind, String name) {
      return new Subject(kind, "", name);
    }

    private static Subject of(Malformed malformed) {
      Refusal refusal = malformed.refusal();
      if (malformed.unreadable().isPresent()) {
        return of(refusal.kind(), malformed.unreadable().get().pod());
      }
      int slash = refusal.name().indexOf('/');
      return new Subject(
          refusal.kind(),
          refusal.name().substring(0, Math.max(0, slash)),
          refusal.name().substring(slash + 1));
    }
  }

  /** Returns what the event is about: the last event about a subject counts. */
  default Subject subject() {
    return switch (this) {
      case PodUpserted e -> Subject.of("Pod", e.pod().ref());
      case PodRemoved e -> Subject.of("Pod", e.pod());
      case NodeUpserted e -> Subject.of("Node", e.node().name());
      case NodeRemoved e -> Subject.of("Node", e.name());
      case NamespaceUpserted e -> Subject.of("Namespace", e.name());
      case NamespaceRemoved e -> Subject.of("Namespace", e.name());
      case WorkloadSelectorUpserted e ->
          new Subject(
              e.selector().kind().toString(), e.selector().namespace(), e.selector().name());
      case WorkloadSelectorRemoved e -> new Subject(e.kind().toString(), e.namespace(), e.name());
      case GroupDialectServed e -> Subject.of("GroupDialect", e.dialect().toString());
      case PodGroupUpserted e -> groupSubject(e.group().ref());
      case PodGroupRemoved e -> groupSubject(e.group());
      case BudgetUpserted e ->
          new Subject("PodDisruptionBudget", e.budget().namespace(), e.budget().name());
      case BudgetRemoved e -> new Subject("PodDisruptionBudget", e.namespace(), e.name());
      case PriorityClassUpserted e -> Subject.of("PriorityClass", e.priorityClass().name());
      case PriorityClassRemoved e -> Subject.of("PriorityClass", e.name());
      case QueueUpserted e -> Subject.of("SchedulingQueue", e.queue().name());
      case QueueRemoved e -> Subject.of("SchedulingQueue", e.name());
      case QueueDialectServed e -> Subject.of("QueueDialect", e.dialect().toString());
      case StorageUpserted e ->
          new Subject(e.object().kind(), e.object().namespace(), e.object().name());
      case StorageRemoved e -> new Subject(e.kind(), e.namespace(), e.name());
      case DevicesServed _ -> Subject.of("DevicesServed", "");
      case DevicesUpserted e ->
          new Subject(e.object().kind(), e.object().namespace(), e.object().name());
      case DevicesRemoved e -> new Subject(e.kind(), e.namespace(), e.name());
      case PolicyServed e -> Subject.of("SchedulingPolicy", e.policy().name());
      case PolicyRemoved e -> Subject.of("SchedulingPolicy", e.name());
      case GaugeSeeded e -> Subject.of("Gauge", e.policy() + " " + e.plugin() + " " + e.scope());
      case UsageReported _ -> Subject.of("UsageReport", "");
      case DefaultPolicyChanged _ -> Subject.of("DefaultPolicy", "");
      case ServerVersionSeen _ -> Subject.of("ServerVersion", "");
      case PodAssumed e -> Subject.of("Pod", e.pod());
      case BindingConfirmed e -> Subject.of("Binding", e.pod());
      case BindingFailed e -> Subject.of("Binding", e.pod());
      case EvictionFailed e -> Subject.of("Eviction", e.victim());
      case Advised e -> Subject.of("Advice", e.pod());
      case Malformed e -> Subject.of(e);
      case Ignored e -> Subject.of(e.kind(), "");
    };
  }

  /** Groups of different dialects may have the same name. */
  private static Subject groupSubject(GroupRef group) {
    return new Subject(
        "%s of %s".formatted(group.dialect().noun(), group.dialect().label()),
        group.namespace(),
        group.name());
  }

  /** Returns whether the subject no longer exists. */
  default boolean isRemoval() {
    return switch (this) {
      case PodRemoved _,
          NodeRemoved _,
          NamespaceRemoved _,
          WorkloadSelectorRemoved _,
          PodGroupRemoved _,
          BudgetRemoved _,
          PriorityClassRemoved _,
          QueueRemoved _,
          StorageRemoved _,
          DevicesRemoved _,
          PolicyRemoved _ ->
          true;
      case PodUpserted _,
          NodeUpserted _,
          NamespaceUpserted _,
          WorkloadSelectorUpserted _,
          GroupDialectServed _,
          PodGroupUpserted _,
          BudgetUpserted _,
          PriorityClassUpserted _,
          QueueUpserted _,
          QueueDialectServed _,
          StorageUpserted _,
          DevicesServed _,
          DevicesUpserted _,
          PolicyServed _,
          GaugeSeeded _,
          UsageReported _,
          DefaultPolicyChanged _,
          ServerVersionSeen _,
          PodAssumed _,
          BindingConfirmed _,
          BindingFailed _,
          EvictionFailed _,
          Advised _,
          Malformed _,
          Ignored _ ->
          false;
    };
  }

  /**
   * Returns whether the event is the result of one of the engine's decisions. Such an event means
   * nothing to an engine that replaces this one.
   */
  default boolean isResult() {
    return switch (this) {
      case BindingConfirmed _, BindingFailed _, EvictionFailed _, Advised _ -> true;
      case PodUpserted _,
          PodRemoved _,
          NodeUpserted _,
          NodeRemoved _,
          NamespaceUpserted _,
          NamespaceRemoved _,
          WorkloadSelectorUpserted _,
          WorkloadSelectorRemoved _,
          GroupDialectServed _,
          PodGroupUpserted _,
          PodGroupRemoved _,
          BudgetUpserted _,
          BudgetRemoved _,
          PriorityClassUpserted _,
          PriorityClassRemoved _,
          QueueUpserted _,
          QueueRemoved _,
          QueueDialectServed _,
          StorageUpserted _,
          StorageRemoved _,
          DevicesServed _,
          DevicesUpserted _,
          DevicesRemoved _,
          PolicyServed _,
          PolicyRemoved _,
          GaugeSeeded _,
          UsageReported _,
          DefaultPolicyChanged _,
          ServerVersionSeen _,
          PodAssumed _,
          Malformed _,
          Ignored _ ->
          false;
    };
  }

  /**
   * The current state of a pod: new, changed, bound, or finished.
   *
   * @param partly the parts of a bound pod that were ignored, because they cannot be parsed
   */
  record PodUpserted(PodModel pod, Optional<Refusal> partly) implements ClusterEvent {
    /** Creates an event for a pod that was parsed completely. */
    public PodUpserted(PodModel pod) {
      this(pod, Optional.empty());
    }
  }

  /** A pod was deleted. */
  record PodRemoved(PodRef pod) implements ClusterEvent {}

  /**
   * The current state of a node.
   *
   * @param partly the parts of the node that were ignored, because they cannot be parsed
   */
  record NodeUpserted(NodeModel node, Optional<Refusal> partly) implements ClusterEvent {
    /** Creates an event for a node that was parsed completely. */
    public NodeUpserted(NodeModel node) {
      this(node, Optional.empty());
    }
  }

  /** A node was deleted. Its pods are not counted until they are seen on another node. */
  record NodeRemoved(String name) implements ClusterEvent {}

  record NamespaceUpserted(String name, Map<String, String> labels) implements ClusterEvent {
    public NamespaceUpserted {
      labels = Map.copyOf(labels);
    }
  }

  record NamespaceRemoved(String name) implements ClusterEvent {}

  /**
   * A Service or workload controller was created or changed. Default spread constraints use its
   * selector.
   */
  record WorkloadSelectorUpserted(WorkloadSelector selector) implements ClusterEvent {}

  record WorkloadSelectorRemoved(WorkloadSelector.Kind kind, String namespace, String name)
      implements ClusterEvent {}

  /**
   * The API server serves the objects of a group dialect: pods that reference such objects are
   * members of groups.
   */
  record GroupDialectServed(GroupDialect dialect) implements ClusterEvent {}

  /** An object that describes a group of pods was created or changed. */
  record PodGroupUpserted(GroupModel group) implements ClusterEvent {}

  /** The object that described a group was deleted. */
  record PodGroupRemoved(GroupRef group) implements ClusterEvent {}

  record BudgetUpserted(DisruptionBudget budget) implements ClusterEvent {}

  record BudgetRemoved(String namespace, String name) implements ClusterEvent {}

  /**
   * A PriorityClass was created or changed.
   *
   * @param partly the annotations that cannot be parsed
   */
  record PriorityClassUpserted(PriorityClassModel priorityClass, Optional<Refusal> partly)
      implements ClusterEvent {}

  record PriorityClassRemoved(String name) implements ClusterEvent {}

  /**
   * A queue of tenants was created or changed.
   *
   * @param partly the parts of it that were ignored, because they cannot be parsed
   */
  record QueueUpserted(QueueModel queue, Optional<Refusal> partly) implements ClusterEvent {
    /** Creates an event for a queue that was parsed completely. */
    public QueueUpserted(QueueModel queue) {
      this(queue, Optional.empty());
    }
  }

  /** A queue was deleted: its pods belong to other queues from now on. */
  record QueueRemoved(String name) implements ClusterEvent {}

  /**
   * The API server serves the queues of a dialect: pods that name such queues belong to them, or
   * wait for them.
   */
  record QueueDialectServed(QueueDialect dialect) implements ClusterEvent {}

  /**
   * An object that volume plugins read.
   *
   * @param version its resourceVersion, a precondition for what a decision writes to it
   */
  record StorageUpserted(StorageObject object, String version) implements ClusterEvent {}

  record StorageRemoved(String kind, String namespace, String name) implements ClusterEvent {}

  /** The API server serves the objects of dynamic resource allocation. */
  record DevicesServed() implements ClusterEvent {}

  /** An object of dynamic resource allocation. */
  record DevicesUpserted(DeviceObject object) implements ClusterEvent {}

  record DevicesRemoved(String kind, String namespace, String name) implements ClusterEvent {}

  /**
   * A policy revision takes effect.
   *
   * @param canary the newer revision that places the pods of a part of the workloads
   */
  record PolicyServed(CompiledPolicy policy, Optional<Canary> canary) implements ClusterEvent {
    /** Creates the event of a revision that places all pods of the policy. */
    public PolicyServed(CompiledPolicy policy) {
      this(policy, Optional.empty());
    }

    /** Returns the event with both revisions changed. */
    public PolicyServed with(UnaryOperator<CompiledPolicy> change) {
      return new PolicyServed(
          change.apply(policy),
          canary.map(it -> new Canary(change.apply(it.policy()), it.percent(), it.salt())));
    }
  }

  /** A policy was deleted. Pods that reference it stay pending, with a message. */
  record PolicyRemoved(String name) implements ClusterEvent {}

  /**
   * The mode that a gauge of a policy had before this engine existed; send it after the policy. See
   * {@code Engine.gauges}.
   *
   * @param plugin the score plugin that reads the gauge
   */
  record GaugeSeeded(String policy, String plugin, String scope, String mode)
      implements ClusterEvent {}

  /** Measured usage of nodes, from one scrape of its source. */
  record UsageReported(List<NodeUsage> nodes) implements ClusterEvent {
    public UsageReported {
      nodes = List.copyOf(nodes);
    }
  }

  /** The policy for pods that do not reference one; an empty name means that there is none. */
  record DefaultPolicyChanged(String name) implements ClusterEvent {}

  /**
   * The version of the API server, which decides by which rules of kube-scheduler pods are placed.
   * Without this event, the rules of 1.36 apply.
   *
   * @param minor the minor version of Kubernetes, such as 36
   */
  record ServerVersionSeen(int minor) implements ClusterEvent {
    /** The minor version whose rules apply without this event. */
    public static final int UNLESS_SEEN = 36;

    /** The first version whose kube-scheduler scores nodes by their free storage by default. */
    private static final int SCORES_STORAGE = 37;

    /** Returns whether kube-scheduler of this version scores nodes by their free storage. */
    public boolean scoresStorage() {
      return minor >= SCORES_STORAGE;
    }
  }

  /**
   * A pod was placed by the engine that this one replaces, and its Binding is in flight. Send this
   * event after the pod itself.
   *
   * @param preBind the steps that the decision planned
   * @param assignments the assignments of the decision
   */
  record PodAssumed(
      PodRef pod, String nodeName, List<PreBindStep> preBind, List<Assignment> assignments)
      implements ClusterEvent {
    public PodAssumed {
      preBind = List.copyOf(preBind);
      assignments = List.copyOf(assignments);
    }
  }

  /** The API server has accepted the Binding of a pod that was {@link Decision.Placed}. */
  record BindingConfirmed(PodRef pod) implements ClusterEvent {}

  /**
   * The Binding of a pod was rejected: the pod is no longer assumed, and is retried.
   *
   * @param retry whether a retry can succeed, as after a timeout or a conflict; false if the pod
   *     was deleted or bound elsewhere, which the watch reports
   */
  record BindingFailed(PodRef pod, String reason, boolean retry) implements ClusterEvent {}

  /**
   * The API server rejected the eviction of a victim of a {@link Decision.Nominated}. Pods that
   * wait for the victim are retried, and it is not selected again for some time.
   *
   * @param reason the API server's message
   */
  record EvictionFailed(PodRef victim, String reason) implements ClusterEvent {}

  /**
   * The answer to a {@link AdviceRequest}. Answers to questions that are no longer open are
   * ignored.
   *
   * @param token the token of the question
   */
  record Advised(PodRef pod, long token, Advice advice) implements ClusterEvent {}

  /**
   * An object that no valid API server would send.
   *
   * @param unreadable the pod, if the object is a pod that has not finished
   */
  record Malformed(Refusal refusal, Optional<UnreadablePod> unreadable) implements ClusterEvent {
    /** Creates an event for an object that uses no resources of any node. */
    public Malformed(Refusal refusal) {
      this(refusal, Optional.empty());
    }
  }

  /**
   * A pod of which only these fields could be parsed.
   *
   * @param nodeName the node on which it uses an unknown amount of resources; empty while it is
   *     pending
   */
  record UnreadablePod(PodRef pod, String schedulerName, String nodeName) {}

  /** An object of a kind that scheduling does not depend on. */
  record Ignored(String kind) implements ClusterEvent {}
}
