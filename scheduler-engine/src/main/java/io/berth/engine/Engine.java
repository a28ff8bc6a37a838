package io.berth.engine;

import io.berth.engine.api.Attempt;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineDump;
import io.berth.engine.api.EngineFailedException;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.GroupState;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.QueueCounts;
import io.berth.engine.api.QueueState;
import io.berth.engine.api.Refusal;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.api.ShadowState;
import io.berth.engine.api.WaitingUnit;
import io.berth.engine.attempt.Attempts;
import io.berth.engine.cards.CardMap;
import io.berth.engine.cards.CardTotals;
import io.berth.engine.cycle.Plans;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.decision.BoundedText;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.decision.NodeJudgement;
import io.berth.engine.framework.Change;
import io.berth.engine.journal.Journal;
import io.berth.engine.lifecycle.PendingPods;
import io.berth.engine.lifecycle.PendingWork;
import io.berth.engine.lifecycle.PodIntake;
import io.berth.engine.lifecycle.Quarantine;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.PodRef;
import io.berth.engine.policy.PolicyTable;
import io.berth.engine.preemption.Preemption;
import io.berth.engine.preemption.Reservations;
import io.berth.engine.queue.Nominations;
import io.berth.engine.queue.QueuePlace;
import io.berth.engine.queue.SchedulingQueue;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SchedulingUnit;
import io.berth.engine.state.WorkBudget;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Schedules pods: a deterministic state machine without clock, threads or I/O. The same events at
 * the same times lead to the same decisions. Not thread-safe: one thread owns it.
 *
 * <p>An event changes the state, and wakes the pending pods that the change may help. {@link #next}
 * takes the pod with the highest priority, filters all nodes by the pod's policy, scores the
 * remaining ones, and selects the best. Results are reused as long as their inputs have not
 * changed: see {@link ShapePlan} and {@link io.berth.engine.state.ChangeLog}.
 */
public final class Engine {
  /** The maximum number of attempts in one call if none of them ends in a decision. */
  private static final int ATTEMPTS_PER_CALL = 8;

  private static final Idle AT_ONCE = new Idle(Due.AT_ONCE);

  /** The order of the parts of the queue in a dump; sorting keeps the order of arrival. */
  private static final Comparator<WaitingUnit> DUMP_ORDER =
      Comparator.comparing((WaitingUnit unit) -> unit.place() != WaitingUnit.Place.IN_FLIGHT)
          .thenComparing(WaitingUnit::place)
          .thenComparing(
              unit -> unit.place() == WaitingUnit.Place.ACTIVE ? unit.priority() : 0,
              Comparator.reverseOrder());

  private final EngineOptions options;
  private final ClusterState state;
  private final PolicyTable policies = new PolicyTable();
  private final Reservations reservations;
  private final Plans plans;
  private final PendingWork work;
  private final PendingPods pending;
  private final PodIntake podEvents;
  private final Attempts attempts;
  private final Quarantine quarantine;
  private final EventIntake events;
  private boolean groupsTurn;

  /** Creates an engine without objects and policies. */
  public Engine(EngineOptions options) {
    this.options = options;
    this.state = new ClusterState(options.cacheLimit());
    this.state.cards().setRules(pod -> policies.cardRules(pod));
    this.reservations = Reservations.none(state);
    this.plans = new Plans(state);
    this.work = PendingWork.none(state, policies, reservations, options);
    this.pending = work.pods();
    this.podEvents = new PodIntake(state, work, reservations, options.schedulerNames());
    this.attempts = new Attempts(state, policies, work, podEvents, reservations, plans, options);
    this.quarantine = new Quarantine(state, plans, work, podEvents);
    this.events =
        new EventIntake(state, policies, plans, work, podEvents, options.schedulerNames());
  }

  /** Returns the options of this engine. */
  public EngineOptions options() {
    return options;
  }

  /**
   * Returns the number of steps of this engine so far, mainly evaluations of nodes by filters and
   * scorers. It depends on the events alone, not on the machine.
   */
  public long steps() {
    return state.work().total();
  }

  /**
   * Applies an event.
   *
   * @return the reason if the object was refused; a refused object changes nothing
   */
  public Optional<Refusal> apply(ClusterEvent event, Instant now) {
    Optional<Refusal> refused = events.take(event, now);
    podEvents.wakeBehindEndedNominations(now);
    return refused;
  }

  /**
   * Returns the GPU cards of a node; empty if the node is unknown, or none of its cards is
   * described.
   */
  public Optional<CardMap> cardMap(String nodeName) {
    int slot = state.nodes().slotOf(nodeName);
    return slot < 0 || state.cards().table().inventory(slot).equals(CardInventory.none())
        ? Optional.empty()
        : Optional.of(state.cards().map(slot));
  }

  /** Returns the sums over the GPU cards of all nodes. */
  public CardTotals cardTotals() {
    return state.cards().totals();
  }

  /** Returns the GPU cards of all nodes that have any, with the pods that hold them. */
  public List<CardMap> cardMaps() {
    List<CardMap> maps = new ArrayList<>();
    state
        .nodes()
        .alive()
        .forEach(
            slot -> {
              if (!state.cards().table().inventory(slot).equals(CardInventory.none())) {
                maps.add(state.cards().map(slot));
              }
            });
    return maps;
  }

  /**
   * Decides about the next pod, if one may be tried at this time.
   *
   * @throws EngineFailedException when an attempt failed and could not be undone: discard this
   *     engine
   */
  public Outcome next(Instant now) {
    state.timers().run(now);
    reservations.nominations().advance(now);
    state.gauges().advance();
    podEvents.wakeBehindEndedNominations(now); // the timers may have ended some
    boolean interrupted = false;
    for (int attempted = 0; attempted < ATTEMPTS_PER_CALL; attempted++) {
      Optional<Decision> decided = work.decided().poll();
      if (decided.isPresent()) {
        return decided.get();
      }
      Optional<Attempts.Task> task = task(!interrupted, now);
      if (task.isEmpty()) {
        return interrupted || pending.retryForReclaim(now) ? AT_ONCE : new Idle(nextDue());
      }
      Optional<Outcome> outcome = run(task.get(), now);
      if (outcome.isPresent()) {
        return outcome.get();
      }
      interrupted |= !work.openGroups().isEmpty();
    }
    return work.decided().poll().<Outcome>map(decided -> decided).orElse(AT_ONCE);
  }

  /**
   * Returns the next task. Advice that has arrived comes first; then suspended groups and queued
   * units take turns.
   */
  private Optional<Attempts.Task> task(boolean mayGoOn, Instant now) {
    Optional<Attempts.Task> task = attempts.advised();
    if (task.isEmpty() && mayGoOn && groupsTurn) {
      task = attempts.openGroup();
    }
    groupsTurn = !groupsTurn;
    if (task.isEmpty()) {
      task = fromQueue(now);
    }
    return task.isPresent() || !mayGoOn ? task : attempts.openGroup();
  }

  private Optional<Attempts.Task> fromQueue(Instant now) {
    return pending
        .queue()
        .pop(now)
        .map(
            popped ->
                Attempts.begin(popped.unit(), new Attempt(popped.attempt(), popped.firstActive())));
  }

  private Due nextDue() {
    return state.timers().due().orEarlier(pending.queue().nextDue());
  }

  private Optional<Outcome> run(Attempts.Task task, Instant now) {
    state.work().begin(state.nodes().size());
    Journal.Savepoint point = state.journal().savepoint();
    try {
      Optional<Outcome> outcome = attempts.run(task, now);
      state.journal().keep(point);
      if (attempts.shadows().takeFailure()) {
        plans.forgetAll();
      }
      podEvents.wakeBehindEndedNominations(now);
      return outcome;
    } catch (RuntimeException | StackOverflowError e) {
      quarantined(task, point, e, now);
      return Optional.empty();
    } finally {
      state.work().end();
    }
  }

  private void quarantined(
      Attempts.Task task, Journal.Savepoint point, Throwable cause, Instant now) {
    state.work().end();
    Instant until;
    try {
      state.journal().rollback(point);
      until = quarantine.take(task.unit(), now);
    } catch (RuntimeException e) {
      e.addSuppressed(cause);
      throw new EngineFailedException(podOf(task.unit()), e);
    }
    switch (task.unit()) {
      case PodEntry pod -> work.decided().add(quarantined(pod, task.attempt(), cause, until));
      case GroupEntry group -> {
        group
            .waiting()
            .forEach(pod -> work.decided().add(quarantined(pod, task.attempt(), cause, until)));
        work.groups().messages().attemptFailed(group, undone(cause, until));
      }
    }
  }

  private static PodRef podOf(SchedulingUnit unit) {
    return switch (unit) {
      case PodEntry pod -> pod.ref();
      case GroupEntry group -> group.members().getFirst().ref();
    };
  }

  private Decision quarantined(PodEntry pod, Attempt attempt, Throwable cause, Instant until) {
    String message = undone(cause, until);
    String policyName = policies.nameFor(pod.model().policy());
    return new Decision.Quarantined(
        pod.ref(),
        attempt,
        until,
        message,
        cause,
        new CycleRecord.Untried(
            policyName, policies.revisionFor(pod.model()), state.nodes().size(), message));
  }

  private static String undone(Throwable cause, Instant until) {
    return BoundedText.cut(
        "the attempt failed and was undone; the pod is tried again after "
            + until.truncatedTo(ChronoUnit.SECONDS)
            + ": "
            + (cause instanceof WorkBudget.ExceededException ? cause.getMessage() : cause));
  }

  /** Returns the number of pods in each queue, and the number of arrivals. */
  public QueueCounts queueCounts() {
    SchedulingQueue<SchedulingUnit, Change> queue = pending.queue();
    List<QueueCounts.Incoming> incoming = new ArrayList<>();
    queue
        .incoming()
        .forEach(
            (place, event, pods) ->
                incoming.add(new QueueCounts.Incoming(nameOf(place), event, pods)));
    return new QueueCounts(
        queue.size(QueuePlace.ACTIVE) + pending.consultations().waiting(),
        queue.size(QueuePlace.BACKOFF),
        queue.size(QueuePlace.UNSCHEDULABLE),
        queue.size(QueuePlace.GATED),
        incoming);
  }

  /** Returns the pods and groups that wait or are in flight, in the order of their arrival. */
  public List<WaitingUnit> waitingUnits() {
    return pending.units();
  }

  /** Returns the states of the queues of tenants, each after its parent; none if there are none. */
  public List<QueueState> queues() {
    return pending.quotas().areUsed()
        ? pending.quotas().states(pending.queue().units())
        : List.of();
  }

  /**
   * Returns the inside of this engine, for operators: a pass over all pending pods.
   *
   * @param mostUnits the maximum number of pods and groups that are listed
   */
  public EngineDump dump(int mostUnits, Instant now) {
    List<WaitingUnit> units = pending.units();
    return new EngineDump(
        now,
        queueCounts(),
        units.size(),
        units.stream().sorted(DUMP_ORDER).limit(mostUnits).toList(),
        nominated(),
        reservations
            .rooms()
            .current()
            .map(
                reservation ->
                    new EngineDump.Reservation(
                        reservation.group(),
                        state
                            .groups()
                            .find(reservation.group())
                            .map(GroupEntry::priority)
                            .orElse(0),
                        reservation.start(),
                        reservations.rooms().until())),
        gauges(),
        new EngineDump.Cache(
            plans.size(),
            plans.made(),
            state.answers().size(),
            attempts.preemption().cachedKinds(),
            state.answers().planBytes(),
            state.answers().bytes() - state.answers().planBytes() - state.answers().dryRunBytes(),
            state.answers().dryRunBytes(),
            state.answers().bytesOfAllEngines(),
            options.cacheLimit().bytes()));
  }

  private List<EngineDump.Nomination> nominated() {
    List<EngineDump.Nomination> nominated = new ArrayList<>();
    for (String node : reservations.nominations().nodes()) {
      for (String uid : reservations.nominations().podsOn(node)) {
        PodEntry pod = state.pods().byUid(uid);
        if (pod != null) {
          nominated.add(new EngineDump.Nomination(pod.ref().toString(), node));
        }
      }
    }
    return nominated;
  }

  /** Returns the node whose resources are reserved for a pod; empty if none is. */
  public Optional<String> nominatedNode(PodRef pod) {
    return reservations.nominations().nodeOf(pod.uid());
  }

  /** Returns whether resources that become free are reserved for a group that waits. */
  public boolean isReservedForGroup() {
    return reservations.rooms().current().isPresent();
  }

  /**
   * Lets the next decision not depend on earlier ones, so that it can be compared with another
   * decision. Otherwise nodes with equal scores take turns, and a search that ends early starts
   * where the last one ended.
   *
   * @param nodeName the node that is selected first among those with equal scores; a name without
   *     node stands for the first node
   */
  public void startTurnsAt(String nodeName) {
    attempts.cycle().startTurnsAt(Math.max(0, state.nodes().slotOf(nodeName)));
  }

  /**
   * Returns what the policy of a pending pod makes of a node, beside the node that it would select.
   * Decides nothing, and asks no advisor.
   *
   * @return empty if the node or the pod is unknown, or the pod's policy cannot be used
   */
  public Optional<NodeJudgement> judge(PodRef pod, String nodeName) {
    PodEntry entry = state.pods().byUid(pod.uid());
    int slot = state.nodes().slotOf(nodeName);
    if (entry == null || slot < 0) {
      return Optional.empty();
    }
    state.gauges().advance();
    state.work().begin(state.nodes().size());
    try {
      return attempts.judge(entry, slot);
    } finally {
      state.work().end();
    }
  }

  /**
   * Returns what the shadows of policies would have decided since the last call, the latest 1,024
   * at most.
   */
  public List<ShadowDecision> takeShadowDecisions() {
    return attempts.shadows().take();
  }

  /** Returns how the decisions of the shadows differ, for each policy that has one. */
  public List<ShadowState> shadows(Instant now) {
    return attempts.shadows().states(now);
  }

  /** Forgets the evictions of the last minute: those that were only supposed did not happen. */
  public void forgetEvictions() {
    attempts.preemption().forgetEvictions();
  }

  /** Returns the states of the groups that changed since the last call. */
  public List<GroupState> takeChangedGroups() {
    return work.groups().messages().takeChanged();
  }

  /** Returns the states of all known groups. */
  public List<GroupState> groups() {
    return pending
        .quotas()
        .admit(state.groups().all().stream().map(work.groups().messages()::stateOf).toList());
  }

  /** Returns the state of a group; empty if the group is unknown. */
  public Optional<GroupState> group(GroupRef ref) {
    return state.groups().find(ref).map(work.groups().messages()::stateOf);
  }

  /** Returns the readings of all policies' gauges, by policy and scope. */
  public List<GaugeReading> gauges() {
    return policies.names().stream().flatMap(events::readings).toList();
  }

  private static String nameOf(QueuePlace place) {
    return switch (place) {
      case ACTIVE -> "active";
      case BACKOFF -> "backoff";
      case UNSCHEDULABLE, GATED -> "unschedulable";
      case IN_FLIGHT, ABSENT -> throw new IllegalArgumentException("no queue: " + place);
    };
  }

  /** Returns the state, for tests that compare it with a rebuilt one. */
  ClusterState state() {
    return state;
  }

  /** Returns the cached plans, for tests that count evaluations. */
  Plans plans() {
    return plans;
  }

  /** Returns the preemption, for tests that count dry runs. */
  Preemption preemption() {
    return attempts.preemption();
  }

  /** Returns the queue, for tests. */
  PendingPods pending() {
    return pending;
  }

  /** Returns the reservations, for tests. */
  Reservations reservations() {
    return reservations;
  }

  /** Returns the nominations, for tests. */
  Nominations nominations() {
    return reservations.nominations();
  }
}
