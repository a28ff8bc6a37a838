package io.berth.engine;

import io.berth.engine.cycle.Cycle;
import io.berth.engine.cycle.Plans;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.journal.Journal;
import io.berth.engine.lifecycle.PendingPods;
import io.berth.engine.lifecycle.PodEvents;
import io.berth.engine.lifecycle.Quarantine;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.policy.ServedPolicies;
import io.berth.engine.preemption.AwaitedVictims;
import io.berth.engine.preemption.Preemption;
import io.berth.engine.preemption.RefusedEvictions;
import io.berth.engine.queue.Nominations;
import io.berth.engine.queue.QueuePlace;
import io.berth.engine.queue.SchedulingQueue;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.Holding;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.WorkBudget;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Places pods on nodes: a deterministic state machine without clock, threads or I/O. The same
 * events at the same times give the same decisions. Not thread-safe: one thread owns it.
 *
 * <p>An event changes the state, and wakes those waiting pods that the change may help. {@link
 * #next} takes the pod of the highest priority, holds its policy's filters against all nodes,
 * scores those that are left and takes the best. Nothing is worked out that was worked out before
 * and has not changed: see {@link ShapePlan} and {@link io.berth.engine.state.ChangeLog}.
 */
public final class Engine {
  private final EngineOptions options;
  private final ClusterState state;
  private final ServedPolicies policies = new ServedPolicies();
  private final Nominations nominations;
  private final AwaitedVictims awaited = new AwaitedVictims();
  private final RefusedEvictions refused;
  private final Plans plans;
  private final PendingPods pending;
  private final PodEvents podEvents;
  private final Cycle cycle;
  private final Preemption preemption;
  private final Quarantine quarantine;

  /** An engine that knows no objects yet and serves no policy. */
  public Engine(EngineOptions options) {
    this.options = options;
    this.state = new ClusterState(options.cacheBytes());
    this.nominations = new Nominations(state.journal());
    this.refused = new RefusedEvictions(state);
    this.state.timers().add(refused);
    this.plans = new Plans(state);
    this.pending = new PendingPods(state, policies, awaited, options);
    this.podEvents =
        new PodEvents(state, pending, nominations, awaited, refused, options.schedulerName());
    this.cycle = new Cycle(state, nominations, options);
    this.preemption = new Preemption(state, nominations, awaited, refused);
    this.quarantine = new Quarantine(state, plans, pending, podEvents);
  }

  /**
   * Takes in an event.
   *
   * @return why the event's object was refused; a refused object changes nothing
   */
  public Optional<Refusal> apply(ClusterEvent event, Instant now) {
    switch (event) {
      case ClusterEvent.PodUpserted upserted -> {
        podEvents.upserted(upserted.pod(), now);
        return upserted.partly();
      }
      case ClusterEvent.PodRemoved removed -> podEvents.removed(removed.pod(), now);
      case ClusterEvent.NodeUpserted upserted -> putNode(upserted.node(), now);
      case ClusterEvent.NodeRemoved removed -> removeNode(removed.name(), now);
      case ClusterEvent.NamespaceUpserted namespace -> {
        if (state.putNamespace(namespace.name(), namespace.labels())) {
          wake(new Change.NamespaceChanged(namespace.name()), now);
        }
      }
      case ClusterEvent.NamespaceRemoved namespace -> {
        if (state.removeNamespace(namespace.name())) {
          wake(new Change.NamespaceChanged(namespace.name()), now);
        }
      }
      case ClusterEvent.PodGroupUpserted upserted -> {
        if (state.putPodGroup(upserted.group())) {
          wake(new Change.PodGroupChanged(upserted.group().namespace()), now);
        }
      }
      case ClusterEvent.PodGroupRemoved removed -> {
        if (state.removePodGroup(removed.kind(), removed.namespace(), removed.name())) {
          wake(new Change.PodGroupChanged(removed.namespace()), now);
        }
      }
      case ClusterEvent.BudgetUpserted upserted -> state.budgets().put(upserted.budget());
      case ClusterEvent.BudgetRemoved removed ->
          state.budgets().remove(removed.namespace(), removed.name());
      case ClusterEvent.StorageUpserted upserted -> {
        if (state.putStorage(upserted.object(), upserted.version())) {
          wake(
              new Change.StorageChanged(
                  upserted.object().kind(),
                  upserted.object().namespace(),
                  upserted.object().name()),
              now);
        }
      }
      case ClusterEvent.StorageRemoved removed -> {
        if (state.removeStorage(removed.kind(), removed.namespace(), removed.name())) {
          wake(new Change.StorageChanged(removed.kind(), removed.namespace(), removed.name()), now);
        }
      }
      case ClusterEvent.PolicyServed served -> {
        policies.serve(served.policy()).ifPresent(before -> plans.forget(before.serial()));
        wake(new Change.PolicyChanged(served.policy().name()), now);
      }
      case ClusterEvent.PolicyRemoved removed -> {
        policies.remove(removed.name()).ifPresent(before -> plans.forget(before.serial()));
        // What waits for room is tried once more, to be told what it waits for now.
        wake(new Change.PolicyChanged(removed.name()), now);
      }
      case ClusterEvent.DefaultPolicyChanged changed -> {
        policies.setDefault(changed.name());
        wake(new Change.PolicyChanged(changed.name()), now);
      }
      case ClusterEvent.PodAssumed assumed ->
          podEvents.assumed(assumed.pod(), assumed.nodeName(), assumed.preBind(), now);
      case ClusterEvent.BindingConfirmed confirmed -> podEvents.bindingConfirmed(confirmed.pod());
      case ClusterEvent.BindingFailed failed ->
          podEvents.bindingFailed(failed.pod(), failed.retry(), now);
      case ClusterEvent.EvictionFailed failed -> podEvents.evictionFailed(failed.victim(), now);
      case ClusterEvent.Malformed malformed -> {
        return Optional.of(refuse(malformed, now));
      }
      case ClusterEvent.Ignored ignored -> {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  private Refusal refuse(ClusterEvent.Malformed malformed, Instant now) {
    Refusal refusal = malformed.refusal();
    if (malformed.unreadable().isEmpty()) {
      return refusal;
    }
    ClusterEvent.UnreadablePod pod = malformed.unreadable().get();
    if (!pod.nodeName().isEmpty()) {
      podEvents.unreadable(pod.pod(), pod.nodeName(), now);
      return refusal;
    }
    return pod.schedulerName().equals(options.schedulerName())
        ? refusal.ofPending(pod.pod())
        : refusal;
  }

  private void putNode(NodeModel node, Instant now) {
    NodeModel before = state.putNode(node);
    if (before == null) {
      // Pods that were there before their node count from now on.
      podsOn(node.name()).forEach(pod -> wake(new Change.PodPlaced(pod), now));
    }
    if (!node.equals(before)) {
      wake(new Change.NodeChanged(before, node, state.nodes().slotOf(node.name())), now);
    }
  }

  private void removeNode(String name, Instant now) {
    List<PodModel> pods = podsOn(name);
    NodeModel before = state.removeNode(name);
    if (before != null) {
      podEvents.nodeGone(name, now);
      // What they held, and where they were, counts no more; when they are removed, nobody asks.
      pods.forEach(pod -> wake(new Change.PodGone(pod), now));
      wake(new Change.NodeGone(before), now);
    }
  }

  private List<PodModel> podsOn(String nodeName) {
    NodeTable nodes = state.nodes();
    int slot = nodes.slotOf(nodeName);
    List<PodModel> pods = new ArrayList<>();
    for (int i = 0; slot >= 0 && i < nodes.podCount(slot); i++) {
      pods.add(nodes.pod(slot, i).model());
    }
    return pods;
  }

  private void wake(Change change, Instant now) {
    pending.queue().wake(change, now);
  }

  /**
   * Decides on the next pod, if there is one that may be tried at this time.
   *
   * @throws EngineFailedException when an attempt failed and could not be undone: this engine must
   *     not be used any more
   */
  public Outcome next(Instant now) {
    state.timers().run(now);
    Optional<SchedulingQueue.Popped<PodEntry>> popped = pending.queue().pop(now);
    if (popped.isEmpty()) {
      Instant queueDue = pending.queue().nextDue();
      Instant timersDue = state.timers().due();
      return new Idle(timersDue.isBefore(queueDue) ? timersDue : queueDue);
    }
    Attempt attempt = new Attempt(popped.get().attempt(), popped.get().firstActive());
    PodEntry pod = popped.get().pod();
    state.work().begin(state.nodes().size());
    Journal.Savepoint point = state.journal().savepoint();
    try {
      Decision decision = decide(pod, attempt, now);
      state.journal().keep(point);
      return decision;
    } catch (RuntimeException | StackOverflowError e) {
      return quarantined(pod, attempt, point, e, now);
    } finally {
      state.work().end();
    }
  }

  private Decision quarantined(
      PodEntry pod, Attempt attempt, Journal.Savepoint point, Throwable cause, Instant now) {
    state.work().end();
    Instant until;
    try {
      state.journal().rollback(point);
      until = quarantine.take(pod, now);
    } catch (RuntimeException e) {
      e.addSuppressed(cause);
      throw new EngineFailedException(pod.ref(), e);
    }
    String message =
        BoundedText.cut(
            "the attempt failed and was undone; the pod is tried again after "
                + until.truncatedTo(ChronoUnit.SECONDS)
                + ": "
                + (cause instanceof WorkBudget.ExceededException ? cause.getMessage() : cause));
    String policyName = policies.nameFor(pod.model().policy());
    return new Decision.Quarantined(
        pod.ref(),
        attempt,
        until,
        message,
        cause,
        CycleRecord.untried(policyName, state.nodes().size(), message));
  }

  /** How many pods wait where, and how many have come there. */
  public QueueCounts queueCounts() {
    SchedulingQueue<PodEntry, Change> queue = pending.queue();
    List<QueueCounts.Incoming> incoming = new ArrayList<>();
    queue
        .incoming()
        .forEach(
            (place, event, pods) ->
                incoming.add(new QueueCounts.Incoming(nameOf(place), event, pods)));
    return new QueueCounts(
        queue.size(QueuePlace.ACTIVE),
        queue.size(QueuePlace.BACKOFF),
        queue.size(QueuePlace.UNSCHEDULABLE),
        queue.size(QueuePlace.GATED),
        incoming);
  }

  private static String nameOf(QueuePlace place) {
    return switch (place) {
      case ACTIVE -> "active";
      case BACKOFF -> "backoff";
      case UNSCHEDULABLE, GATED -> "unschedulable";
      case IN_FLIGHT, ABSENT -> throw new IllegalArgumentException("no queue: " + place);
    };
  }

  private Decision decide(PodEntry pod, Attempt attempt, Instant now) {
    String policyName = policies.nameFor(pod.model().policy());
    Optional<ServedPolicies.Served> served = policies.find(policyName);
    if (served.isEmpty()) {
      return untried(pod, attempt, PendingPods.POLICY, policyName, missing(policyName), now);
    }
    String namespace = pod.ref().namespace();
    if (!served
        .get()
        .policy()
        .namespaces()
        .allows(namespace, state.namespaces().labelsOf(namespace))) {
      return untried(
          pod, attempt, PendingPods.NAMESPACE, policyName, notAllowed(namespace, policyName), now);
    }
    if (!pod.spec().resourceClaims().isEmpty()) {
      return untried(
          pod,
          attempt,
          PendingPods.RESOURCE_CLAIMS,
          policyName,
          "resource claims (dynamic resource allocation) cannot be placed yet: "
              + BoundedText.list(pod.spec().resourceClaims()),
          now);
    }
    if (state.nodes().size() == 0) {
      return untried(
          pod,
          attempt,
          PendingPods.NO_NODES,
          policyName,
          "no nodes available to schedule pods",
          now);
    }
    ShapePlan plan =
        plans.planFor(served.get().serial(), served.get().policy(), plans.shapeOf(pod));
    return switch (cycle.run(pod, plan)) {
      case Cycle.Found found -> {
        state.assume(pod, found.slot());
        podEvents.assumed(pod, now);
        yield placed(pod, attempt, found.record());
      }
      case Cycle.NotFound notFound -> makeRoom(pod, attempt, notFound, now);
    };
  }

  /** The placement of a pod that is on its node already, with what its holdings ask for. */
  private Decision placed(PodEntry pod, Attempt attempt, CycleRecord record) {
    Map<String, String> annotations = Map.of();
    Map<String, String> labels = Map.of();
    List<PreBindStep> preBind = List.of();
    for (Holding holding : pod.holdings()) {
      annotations = joined(annotations, holding.annotations());
      labels = joined(labels, holding.labels());
      if (!holding.preBind().isEmpty()) {
        preBind = new ArrayList<>(preBind);
        preBind.addAll(holding.preBind());
      }
    }
    String nodeName = state.nodes().name(pod.slot());
    return new Decision.Placed(pod.ref(), attempt, nodeName, annotations, labels, preBind, record);
  }

  private static Map<String, String> joined(Map<String, String> some, Map<String, String> more) {
    if (some.isEmpty() || more.isEmpty()) {
      return some.isEmpty() ? more : some;
    }
    Map<String, String> all = new HashMap<>(some);
    all.putAll(more);
    return all;
  }

  private static String missing(String policyName) {
    return policyName.isEmpty()
        ? "the pod names no SchedulingPolicy and none is marked default: name one by the annotation"
            + " sched.cloud.ctrip.com/policy"
        : "SchedulingPolicy \"%s\" does not exist or cannot serve: apply it, or see in its status what is wrong with it"
            .formatted(policyName);
  }

  private static String notAllowed(String namespace, String policyName) {
    return "namespace \"%s\" may not use SchedulingPolicy \"%s\": its spec.allowedNamespaces leave it out"
        .formatted(namespace, policyName);
  }

  private Decision untried(
      PodEntry pod,
      Attempt attempt,
      String rejectedBy,
      String policyName,
      String message,
      Instant now) {
    pending.queue().rejected(pod.ref().uid(), Set.of(rejectedBy), now);
    return new Decision.Unschedulable(
        pod.ref(),
        attempt,
        message,
        announcedNomination(pod),
        CycleRecord.untried(policyName, state.nodes().size(), message));
  }

  private Decision makeRoom(PodEntry pod, Attempt attempt, Cycle.NotFound notFound, Instant now) {
    int nodes = state.nodes().size();
    String uid = pod.ref().uid();
    PreemptionRules rules = notFound.plan().policy().preemption();
    if (!rules.enabled()) {
      return unschedulable(
          pod, attempt, notFound, notFound.record(nodes, List.of(), ""), Instant.MAX, now);
    }
    Preemption.Result result =
        preemption.tryFor(
            pod,
            rules,
            notFound.plan().filters(),
            notFound.curableByEviction(),
            options.recordVerdicts(),
            now);
    return switch (result) {
      case Preemption.Impossible impossible -> {
        if (impossible.keepsNomination()) {
          awaited.triedMeanwhile(uid);
        } else {
          nominations.end(uid);
        }
        yield unschedulable(
            pod,
            attempt,
            notFound,
            notFound.record(nodes, List.of(), impossible.message()),
            refused.due(),
            now);
      }
      case Preemption.Chosen chosen -> {
        List<PodRef> yielding = podEvents.yieldTo(pod, chosen.nodeName(), now);
        nominations.nominate(uid, chosen.nodeName());
        awaited.await(uid, chosen.victims().stream().map(victim -> victim.ref().uid()).toList());
        podEvents.announced(pod, chosen.nodeName());
        pending.queue().rejected(uid, notFound.plugins(), now);
        CycleRecord record = notFound.record(nodes, chosen.candidates(), "");
        List<PodRef> victims =
            chosen.victims().stream()
                .filter(victim -> !victim.model().terminating())
                .map(PodEntry::ref)
                .toList();
        yield new Decision.Nominated(
            pod.ref(), attempt, chosen.nodeName(), victims, yielding, record.message(), record);
      }
    };
  }

  /**
   * A rejection.
   *
   * @param retryAt when to try again though no event helps; {@link Instant#MAX} for never
   */
  private Decision unschedulable(
      PodEntry pod,
      Attempt attempt,
      Cycle.NotFound notFound,
      CycleRecord record,
      Instant retryAt,
      Instant now) {
    pending.queue().rejected(pod.ref().uid(), notFound.plugins(), retryAt, now);
    return new Decision.Unschedulable(
        pod.ref(), attempt, record.message(), announcedNomination(pod), record);
  }

  private Optional<String> announcedNomination(PodEntry pod) {
    Optional<String> nodeName = nominations.nodeOf(pod.ref().uid());
    podEvents.announced(pod, nodeName.orElse(""));
    return nodeName;
  }

  /** The state, for tests that compare it with one built anew. */
  ClusterState state() {
    return state;
  }

  /** The plans that are remembered, for tests that count what was worked out. */
  Plans plans() {
    return plans;
  }

  /** What evicts pods, for tests that count what was tried out. */
  Preemption preemption() {
    return preemption;
  }

  /** The queue, for tests. */
  PendingPods pending() {
    return pending;
  }

  /** The promises of room, for tests. */
  Nominations nominations() {
    return nominations;
  }
}
