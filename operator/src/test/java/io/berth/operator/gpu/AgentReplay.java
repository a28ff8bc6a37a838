package io.berth.operator.gpu;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.cards.CardMap;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.PodRef;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.operator.gpu.CardProtocol.Placement;
import io.berth.operator.gpu.CardProtocol.Writing;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A simulation of one node, an engine, an API server, a kubelet and the agent of the node's cards,
 * which act in the order that the test selects: each of {@link #actions} may come next.
 *
 * <p>A pod is decided as soon as the engine can. Its Binding follows, then the response to it, the
 * kubelet's admission, for which it calls the agent, the kubelet's report of the admission, and the
 * start of the containers; a Binding may also fail. Every change of a pod appears on the watch,
 * which delivers the changes to the engine in order, at any time.
 */
final class AgentReplay implements Agent.Cluster {
  private static final CompiledPolicy POLICY = policy();

  private Node node;
  private Agent agent;
  private final Engine engine = new Engine(EngineOptions.defaults());
  private final KubeEvents events = new KubeEvents(new CardProtocols());
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private String lock = "";

  private final Map<String, Pod> store = new LinkedHashMap<>();
  private final Deque<Pod> watch = new ArrayDeque<>();
  private final Map<String, Writing> decided = new LinkedHashMap<>();
  private final Set<String> answered = new LinkedHashSet<>();
  private final Set<String> bound = new LinkedHashSet<>();
  private final Set<String> admitted = new LinkedHashSet<>();
  private final Set<String> unreported = new LinkedHashSet<>();
  private final Set<String> mayFail = new LinkedHashSet<>();
  private final List<String> placements = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  AgentReplay(Node node, Agent agent, List<Pod> pods) {
    this.node = node;
    this.agent = agent;
    apply(new ClusterEvent.PolicyServed(POLICY));
    apply(new ClusterEvent.DefaultPolicyChanged("default"));
    apply(events.upserted(node));
    for (Pod pod : pods) {
      store.put(pod.getMetadata().getName(), pod);
      apply(events.upserted(pod));
    }
    decide();
  }

  private static CompiledPolicy policy() {
    return switch (new PolicyCompiler().compile("default", "1", SchedulingPolicySpec.defaults())) {
      case PolicyCompilation.Compiled compiled -> compiled.policy();
      case PolicyCompilation.Invalid invalid ->
          throw new IllegalStateException(invalid.problems().toString());
    };
  }

  private void apply(ClusterEvent event) {
    engine.apply(event, now);
  }

  private void decide() {
    now = now.plus(Duration.ofSeconds(30));
    Outcome outcome = engine.next(now);
    while (!(outcome instanceof Idle)) {
      if (outcome instanceof Decision.Placed placed) {
        placements.add(placed.pod().name());
        decided.put(placed.pod().name(), write(placed));
      }
      now = now.plusNanos(1);
      outcome = engine.next(now);
    }
  }

  private Writing write(Decision.Placed placed) {
    CardInventory cards = new CardProtocols().inventory(node);
    return CardProtocols.of(cards)
        .orElseThrow()
        .write(
            new Placement(
                placed.pod(),
                CardProtocols.podOf(store.get(placed.pod().name())).orElseThrow(),
                placed.assignment(CardAssignment.class).orElseThrow(),
                placed.nodeName(),
                cards,
                now));
  }

  /** Returns the actions that may happen next. */
  List<String> actions() {
    List<String> actions = new ArrayList<>();
    decided.forEach(
        (pod, writing) -> {
          if (!writing.locksNode() || lock.isEmpty() || lock.equals(pod)) {
            actions.add("bind " + pod);
          }
          if (mayFail.contains(pod)) {
            actions.add("fail " + pod);
          }
        });
    answered.forEach(pod -> actions.add("confirm " + pod));
    if (!watch.isEmpty()) {
      actions.add("watch -");
    }
    bound.forEach(pod -> actions.add("admit " + pod));
    unreported.forEach(pod -> actions.add("report " + pod));
    admitted.forEach(pod -> actions.add("start " + pod));
    return actions;
  }

  /** Performs one of the {@link #actions}. */
  void act(String action) {
    String pod = action.substring(action.indexOf(' ') + 1);
    switch (action.substring(0, action.indexOf(' '))) {
      case "bind" -> bind(pod);
      case "confirm" -> {
        answered.remove(pod);
        apply(new ClusterEvent.BindingConfirmed(new PodRef("default", pod, "uid-" + pod)));
      }
      case "watch" -> apply(events.upserted(watch.remove()));
      case "admit" -> {
        bound.remove(pod);
        agent.admit(store.get(pod), this);
        admitted.add(pod);
        unreported.add(pod);
      }
      case "report" -> {
        unreported.remove(pod);
        put(GpuObjects.acknowledged(store.get(pod)));
      }
      case "fail" -> {
        mayFail.remove(pod);
        decided.remove(pod);
        failures.add(pod);
        apply(
            new ClusterEvent.BindingFailed(
                new PodRef("default", pod, "uid-" + pod), "the server is overloaded", true));
      }
      default -> {
        admitted.remove(pod);
        unreported.remove(pod);
        agent.start(store.get(pod), this);
        put(GpuObjects.running(store.get(pod)));
      }
    }
    decide();
  }

  private void bind(String pod) {
    Writing writing = decided.remove(pod);
    if (writing.locksNode()) {
      lock = pod;
    }
    put(GpuObjects.bound(store.get(pod), node.getMetadata().getName(), writing.annotations()));
    answered.add(pod);
    bound.add(pod);
  }

  private void put(Pod pod) {
    store.put(pod.getMetadata().getName(), pod);
    watch.add(pod);
  }

  @Override
  public Map<String, Pod> pods() {
    return store;
  }

  @Override
  public void annotate(String pod, Map<String, String> annotations) {
    put(GpuObjects.annotated(store.get(pod), annotations));
  }

  @Override
  public void unlock(String pod) {
    if (lock.equals(pod)) {
      lock = "";
    }
  }

  @Override
  public String lockedFor() {
    return lock;
  }

  /** Allows the first Binding of a pod to fail at any time before it takes effect. */
  AgentReplay whereBindingMayFail(String pod) {
    mayFail.add(pod);
    return this;
  }

  /** Replaces the node's agent with another kind, which does not know the earlier assignments. */
  void changeAgent(Node to, Agent with) {
    node = to;
    agent = with;
    apply(events.upserted(node));
    decide();
  }

  /** Deletes a pod; the watch reports it at once. */
  void delete(String pod) {
    Pod gone = Objects.requireNonNull(store.remove(pod));
    watch.removeIf(seen -> seen.getMetadata().getName().equals(pod));
    Stream.of(answered, bound, admitted, unreported).forEach(pods -> pods.remove(pod));
    decided.remove(pod);
    apply(events.removed(gone));
    decide();
  }

  /** Creates a pod, and lets the engine decide on it if it can. */
  void create(Pod pod) {
    store.put(pod.getMetadata().getName(), pod);
    apply(events.upserted(pod));
    decide();
  }

  /**
   * Returns everything that determines the further course, except for the time: of two histories
   * with the same state, only one must be followed.
   */
  String state() {
    StringBuilder state = new StringBuilder();
    store.values().forEach(pod -> describe(pod, state));
    state.append("| watch ");
    watch.forEach(pod -> describe(pod, state));
    state.append("| decided ").append(decided.keySet());
    state.append(answered).append(bound).append(admitted).append(unreported).append(mayFail);
    state.append(lock).append(agent.memory()).append(placements).append(failures);
    return state.append(engine.cardMaps()).toString();
  }

  private static void describe(Pod pod, StringBuilder state) {
    Map<String, String> annotations = new TreeMap<>();
    if (pod.getMetadata().getAnnotations() != null) {
      annotations.putAll(pod.getMetadata().getAnnotations());
    }
    // The times matter only through the order of the decisions, which is that of the placements.
    List.of(Vcuda.TIME, Hami.TIME, Hami.BIND_TIME).forEach(annotations::remove);
    state
        .append(pod.getMetadata().getName())
        .append(pod.getSpec().getNodeName())
        .append(pod.getStatus().getPhase())
        .append(pod.getStatus().getStartTime())
        .append(annotations);
  }

  /** Returns the pods whose Binding failed. */
  List<String> failures() {
    return failures;
  }

  /**
   * Returns the pods in the order of their placements; a pod that was placed twice appears twice.
   */
  List<String> placements() {
    return placements;
  }

  /** Returns the part of each card that the engine counts as used. */
  List<Integer> used() {
    return used(engine);
  }

  /**
   * Returns the part of each card that a new engine, built only from the objects, counts as used.
   */
  List<Integer> usedAfterARestart() {
    Engine fresh = new Engine(EngineOptions.defaults());
    fresh.apply(events.upserted(node), now);
    store.values().forEach(pod -> fresh.apply(events.upserted(pod), now));
    return used(fresh);
  }

  private static List<Integer> used(Engine by) {
    return by.cardMaps().getFirst().cards().stream().map(CardMap.CardUse::usedMilliCores).toList();
  }
}
