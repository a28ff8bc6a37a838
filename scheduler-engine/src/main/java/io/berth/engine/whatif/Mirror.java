package io.berth.engine.whatif;

import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.Refusal;
import io.berth.engine.decision.NodeJudgement;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PriorityClassModel;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An engine that is fed like the one that schedules, and places only the pods of questions. All
 * other pending pods are held by a scheduling gate: they are not tried, while their nominations and
 * assumed placements count.
 *
 * <p>What a question changes is a {@link Trial}, which is undone by events: an engine answers as if
 * it had just been built from the cluster, whatever events it has seen before. Not thread-safe.
 */
public final class Mirror {
  static final List<String> HELD = List.of("sched.cloud.ctrip.com/mirror");

  /** A wait of this length for the next attempt is skipped, because the mirror has no real time. */
  static final Duration LOOKAHEAD = Duration.ofSeconds(30);

  private final Engine engine;
  private final Set<String> schedulerNames;
  private final Map<String, PodModel> pods = new HashMap<>();
  private final Map<String, ClusterEvent.PodAssumed> assumed = new HashMap<>();
  private final Map<String, NodeModel> nodes = new HashMap<>();
  private final Map<String, ClusterEvent.PolicyServed> policies = new HashMap<>();
  private final Map<String, PriorityClassModel> priorityClasses = new HashMap<>();
  private final NodeUses uses = new NodeUses();
  private String defaultPolicy = "";

  /**
   * Creates a mirror without objects.
   *
   * @param options the options of the engine that schedules
   */
  public Mirror(EngineOptions options) {
    this.schedulerNames = options.schedulerNames();
    this.engine =
        new Engine(
            new EngineOptions(
                options.schedulerNames(),
                options.tieOrder(),
                options.recordedNodes(),
                options.recordVerdicts(),
                Duration.ZERO,
                Duration.ZERO,
                options.unschedulableTimeout(),
                options.cacheLimit()));
  }

  /** Returns the number of steps of the engine so far, as {@link Engine#steps} counts them. */
  public long steps() {
    return engine.steps();
  }

  /**
   * Applies an event of the feed.
   *
   * @return the reason if the object was refused
   */
  public Optional<Refusal> apply(ClusterEvent received, Instant now) {
    ClusterEvent event = withoutShadow(received);
    switch (event) {
      case ClusterEvent.PodUpserted upserted -> {
        return upserted(upserted, now);
      }
      case ClusterEvent.PodAssumed placed -> {
        return assumed(placed, now);
      }
      case ClusterEvent.BindingFailed failed -> {
        bindingFailed(failed, now);
        return Optional.empty();
      }
      case ClusterEvent.EvictionFailed _, ClusterEvent.Advised _ -> {
        return Optional.empty(); // answers to the engine that schedules
      }
      case ClusterEvent.PodRemoved removed -> {
        PodModel known = pods.get(key(removed.pod()));
        if (known != null && known.ref().uid().equals(removed.pod().uid())) {
          forget(known);
        }
        assumed.remove(removed.pod().uid());
      }
      case ClusterEvent.NodeUpserted upserted -> nodes.put(upserted.node().name(), upserted.node());
      case ClusterEvent.NodeRemoved removed -> nodes.remove(removed.name());
      case ClusterEvent.PolicyServed served -> policies.put(served.policy().name(), served);
      case ClusterEvent.PolicyRemoved removed -> policies.remove(removed.name());
      case ClusterEvent.DefaultPolicyChanged changed -> defaultPolicy = changed.name();
      case ClusterEvent.PriorityClassUpserted upserted ->
          priorityClasses.put(upserted.priorityClass().name(), upserted.priorityClass());
      case ClusterEvent.PriorityClassRemoved removed -> priorityClasses.remove(removed.name());
      default -> {} // what only the engine reads
    }
    return engine.apply(event, now);
  }

  /** Returns the event with a policy that is not compared with others: no one reads the result. */
  private static ClusterEvent withoutShadow(ClusterEvent event) {
    return event instanceof ClusterEvent.PolicyServed served
        ? served.with(policy -> policy.withShadow(Optional.empty()))
        : event;
  }

  private Optional<Refusal> upserted(ClusterEvent.PodUpserted upserted, Instant now) {
    PodModel pod = upserted.pod();
    forget(pods.get(key(pod.ref())));
    if (pod.finished() || !pod.nodeName().isEmpty()) {
      assumed.remove(pod.ref().uid());
    }
    if (!pod.finished()) {
      pods.put(key(pod.ref()), pod);
      uses.add(nodeOf(pod), pod);
    }
    return engine.apply(new ClusterEvent.PodUpserted(held(pod), upserted.partly()), now);
  }

  private Optional<Refusal> assumed(ClusterEvent.PodAssumed placed, Instant now) {
    PodModel pod = pods.get(key(placed.pod()));
    if (pod == null) {
      return engine.apply(placed, now); // its devices are in use
    }
    if (!pod.nodeName().isEmpty() || !pod.ref().equals(placed.pod())) {
      return Optional.empty();
    }
    uses.remove(nodeOf(pod), pod);
    assumed.put(placed.pod().uid(), placed);
    uses.add(nodeOf(pod), pod);
    return engine.apply(placed, now);
  }

  private void bindingFailed(ClusterEvent.BindingFailed failed, Instant now) {
    PodModel pod = pods.get(key(failed.pod()));
    if (pod != null && assumed.containsKey(failed.pod().uid())) {
      uses.remove(nodeOf(pod), pod);
      assumed.remove(failed.pod().uid());
      engine.apply(new ClusterEvent.PodRemoved(pod.ref()), now);
      engine.apply(failed, now); // gives back what it keeps of a pod that is gone
      engine.apply(new ClusterEvent.PodUpserted(held(pod)), now);
    } else if (pod == null || !pod.ref().equals(failed.pod())) {
      engine.apply(failed, now);
    }
  }

  /** Returns a node by name. */
  public Optional<NodeModel> node(String name) {
    return Optional.ofNullable(nodes.get(name));
  }

  /** Returns a pod by its namespace and name, as the feed shows it. */
  public Optional<PodModel> pod(String namespace, String name) {
    return Optional.ofNullable(pods.get(namespace + "/" + name));
  }

  /**
   * Returns a PriorityClass by name. The empty name stands for the class of pods that name none: of
   * several that are marked as that, the one with the lowest value, as in the API server.
   */
  public Optional<PriorityClassModel> priorityClass(String name) {
    return name.isEmpty()
        ? priorityClasses.values().stream()
            .filter(PriorityClassModel::isDefault)
            .min(
                Comparator.comparingInt(PriorityClassModel::value)
                    .thenComparing(PriorityClassModel::name))
        : Optional.ofNullable(priorityClasses.get(name));
  }

  /** Returns whether a policy is served. */
  public boolean serves(String policy) {
    return policies.containsKey(policy);
  }

  /** Returns the name of the policy for pods that name none; empty for the built-in one. */
  public String defaultPolicy() {
    return defaultPolicy;
  }

  /** Forgets the evictions of trials, which limits of policies would count. */
  void forgetEvictions() {
    engine.forgetEvictions();
  }

  /** Returns what the policy of a pod of a trial makes of a node. */
  Optional<NodeJudgement> judge(PodRef pod, String node) {
    return engine.judge(pod, node);
  }

  /** Lets the next decision prefer this node among those with equal scores. */
  void startTurnsAt(String node) {
    engine.startTurnsAt(node);
  }

  /** Returns whether the engine that schedules places this pod. */
  public boolean schedules(PodModel pod) {
    return schedulerNames.contains(pod.schedulerName());
  }

  Collection<NodeModel> nodes() {
    return nodes.values();
  }

  Collection<PodModel> pods() {
    return pods.values();
  }

  /** Returns the node on which a pod counts; empty if it counts on none. */
  public String nodeOf(PodModel pod) {
    ClusterEvent.PodAssumed placed = assumed.get(pod.ref().uid());
    return placed == null ? pod.nodeName() : placed.nodeName();
  }

  ClusterEvent.@Nullable PodAssumed assumption(String uid) {
    return assumed.get(uid);
  }

  ClusterEvent.@Nullable PolicyServed policy(String name) {
    return policies.get(name);
  }

  /** Returns what the pods on nodes request, without those that trials have placed. */
  NodeUses uses() {
    return uses;
  }

  Outcome next(Instant now) {
    return engine.next(now);
  }

  /** Applies an event of a trial without recording it. */
  void applyForTrial(ClusterEvent event, Instant now) {
    engine.apply(event, now);
  }

  /** Stops to count a pod. */
  private void forget(@Nullable PodModel pod) {
    if (pod != null) {
      uses.remove(nodeOf(pod), pod);
      pods.remove(key(pod.ref()));
    }
  }

  private static PodModel held(PodModel pod) {
    return pod.nodeName().isEmpty() && !pod.finished()
        ? PodVariant.of(pod).gates(HELD).build()
        : pod;
  }

  static String key(PodRef pod) {
    return pod.namespace() + "/" + pod.name();
  }
}
