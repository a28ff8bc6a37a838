package io.berth.engine.attempt;

import io.berth.engine.api.Attempt;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.WaitCause;
import io.berth.engine.cycle.Cycle;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.decision.BoundedText;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.framework.Consultation;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.group.GroupPlaces;
import io.berth.engine.lifecycle.Consultations;
import io.berth.engine.lifecycle.PendingPods;
import io.berth.engine.lifecycle.PodIntake;
import io.berth.engine.model.PodRef;
import io.berth.engine.policy.PolicyTable;
import io.berth.engine.preemption.Preemption;
import io.berth.engine.preemption.Reservations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Attempts for single pods. Each ends in a {@link Decision}, or is suspended by a {@link
 * io.berth.engine.api.AdviceRequest} and resumed when the advice arrives.
 */
final class PodAttempts {
  /**
   * The time that a pod waits for a node that is expected to fit soon, before it may evict others.
   */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final ClusterState state;
  private final PendingPods pending;
  private final PodIntake podEvents;
  private final Reservations reservations;
  private final PodPlans plans;
  private final EngineOptions options;
  private final Cycle cycle;
  private final GroupPlaces places;
  private final Preemption preemption;
  private final ConsultedAttempts consulted;
  private final ShadowAttempts shadows;

  PodAttempts(
      ClusterState state,
      PolicyTable policies,
      PendingPods pending,
      PodIntake podEvents,
      Reservations reservations,
      PodPlans plans,
      Cycle cycle,
      EngineOptions options) {
    this.state = state;
    this.pending = pending;
    this.podEvents = podEvents;
    this.reservations = reservations;
    this.plans = plans;
    this.options = options;
    this.cycle = cycle;
    this.places = new GroupPlaces(state);
    this.preemption = new Preemption(state, reservations);
    this.consulted =
        new ConsultedAttempts(
            this,
            state,
            pending.consultations(),
            cycle,
            preemption,
            reservations.rejectedByAdvice());
    this.shadows = new ShadowAttempts(state, policies, plans, cycle, preemption);
  }

  /** Returns the preemption, for tests that count dry runs. */
  Preemption preemption() {
    return preemption;
  }

  /** Returns the attempts of other policies beside these. */
  ShadowAttempts shadows() {
    return shadows;
  }

  boolean recordsVerdicts() {
    return options.recordVerdicts();
  }

  /**
   * Tries to place a pod from the queue.
   *
   * @param answered the advice that the attempt was waiting for; empty for a new attempt
   */
  Outcome run(
      PodEntry pod, Attempt attempt, Optional<Consultations.Answered> answered, Instant now) {
    return switch (plans.of(pod)) {
      case PodPlans.Untried untried -> untried(pod, attempt, untried, now);
      case PodPlans.Ready ready -> {
        Optional<String> held = pending.quotas().heldBy(pod);
        yield held.isEmpty()
            ? run(pod, attempt, ready, answered, now)
            : untried(pod, attempt, PodPlans.held(ready, held.get()), now);
      }
    };
  }

  private Outcome run(
      PodEntry pod,
      Attempt attempt,
      PodPlans.Ready ready,
      Optional<Consultations.Answered> answered,
      Instant now) {
    ShapePlan plan = ready.plan();
    Optional<? extends Consultation> wanted =
        plan.policy().consultation().flatMap(asked -> asked.forShape(plan.shape()));
    if (wanted.isEmpty()) {
      Cycle.Ended ended = places.of(pod).run(cycle, pod, plan);
      return end(pod, attempt, ended, Optional.empty(), now);
    }
    return consulted.run(
        new ConsultedAttempts.Consulted(pod, attempt, plan, ready.serial(), wanted.get()),
        answered,
        now);
  }

  Decision end(
      PodEntry pod,
      Attempt attempt,
      Cycle.Ended ended,
      Optional<Consultation> consultation,
      Instant now) {
    return switch (ended) {
      case Cycle.Found found -> {
        shadows.compare(pod, attempt, found, now);
        state.assume(pod, found.slot());
        pending.quotas().requestsNoNodes(pod.key()); // its use takes the place of the request
        podEvents.assumed(pod, now);
        Optional<Consultation> binder =
            consultation.filter(asked -> asked.hasSayIn(Consultation.Topic.BINDING));
        yield podEvents.announced(pod, Placements.of(pod, attempt, state, binder, found.record()));
      }
      case Cycle.NotFound notFound -> {
        Decision decision = makeRoom(pod, attempt, notFound, now);
        shadows.compare(pod, attempt, notFound, now);
        yield decision;
      }
    };
  }

  private Decision untried(PodEntry pod, Attempt attempt, PodPlans.Untried why, Instant now) {
    reservations.nominations().end(pod.key());
    pending.queue().rejected(pod.ref().uid(), Set.of(why.rule().label()), now);
    pending.requestsNoNodes(pod.key(), now);
    return new Decision.Unschedulable(
        pod.ref(),
        attempt,
        PodPlans.causeOf(why.rule()),
        why.message(),
        false,
        announcedNomination(pod),
        Optional.empty(),
        new CycleRecord.Untried(
            why.policyName(), why.revision(), state.nodes().size(), why.message()));
  }

  /** Rejects a pod that fits, because the advisor of its policy cannot be asked. */
  Decision unadvised(PodEntry pod, Attempt attempt, ShapePlan plan, String why, Instant now) {
    String message = BoundedText.cut(why);
    reservations.nominations().end(pod.key());
    pending.queue().failed(pod.ref().uid(), now);
    pending.requestsNoNodes(pod.key(), now);
    return new Decision.Unschedulable(
        pod.ref(),
        attempt,
        WaitCause.NO_ADVICE,
        message,
        false,
        announcedNomination(pod),
        Optional.empty(),
        new CycleRecord.Untried(
            plan.policy().name(), plan.policy().revision(), state.nodes().size(), message));
  }

  private Decision makeRoom(PodEntry pod, Attempt attempt, Cycle.NotFound notFound, Instant now) {
    PreemptionRules rules = notFound.plan().policy().preemption();
    if (notFound.isMomentary() && now.isBefore(attempt.firstActive().plus(PATIENCE))) {
      return waits(pod, attempt, notFound, now);
    }
    if (!rules.enabled()) {
      reservations.nominations().end(pod.key());
      return unschedulable(pod, attempt, notFound, WaitCause.NO_ROOM, "", Due.NEVER, now);
    }
    return madeRoom(
        pod,
        attempt,
        notFound,
        preemption.tryFor(
            pod,
            rules,
            notFound.plan().filters(),
            notFound.curableByEviction(),
            options.recordVerdicts(),
            now),
        now);
  }

  /** Ends an attempt after a preemption. */
  Decision madeRoom(
      PodEntry pod,
      Attempt attempt,
      Cycle.NotFound notFound,
      Preemption.Result result,
      Instant now) {
    String uid = pod.ref().uid();
    PreemptionRules rules = notFound.plan().policy().preemption();
    return switch (result) {
      case Preemption.Impossible impossible -> {
        if (impossible.keepsNomination()) {
          reservations.awaited().triedMeanwhile(uid);
        } else {
          reservations.nominations().end(uid);
        }
        HeldEvictions.Wait wait =
            HeldEvictions.waitOf(
                uid, impossible.cause(), impossible.retryAt(), rules, pending.queue(), now);
        yield unschedulable(
            pod,
            attempt,
            notFound,
            wait.cause(),
            impossible.message(),
            reservations.refused().due().orEarlier(wait.retryAt()),
            now);
      }
      case Preemption.Chosen chosen when rules.isDryRun() ->
          wouldEvict(pod, attempt, notFound, chosen, now);
      case Preemption.Chosen chosen -> nominated(pod, attempt, notFound, chosen, now);
      case Preemption.Offered _ ->
          throw new IllegalArgumentException("nothing is chosen of what is offered");
    };
  }

  /** Rejects a pod, and names the victims that its policy would evict, but only reports. */
  private Decision wouldEvict(
      PodEntry pod,
      Attempt attempt,
      Cycle.NotFound notFound,
      Preemption.Chosen chosen,
      Instant now) {
    List<PodRef> victims = chosen.victims().stream().map(PodEntry::ref).toList();
    String message =
        "preemption (dry run): "
            + chosen.nodeName()
            + " would have room without "
            + VictimNames.inNamespace(pod.ref().namespace(), chosen.victims())
            + ".";
    reservations.nominations().end(pod.key());
    Optional<String> noRequest =
        pending.rejected(pod, WaitCause.NO_ROOM, notFound.plugins(), Due.NEVER, now);
    CycleRecord record =
        notFound.record(state.census(), chosen.candidates(), with(message, noRequest));
    return new Decision.Unschedulable(
        pod.ref(),
        attempt,
        heldIf(noRequest, WaitCause.NO_ROOM),
        record.message(),
        false,
        announcedNomination(pod),
        Optional.of(new Decision.WouldEvict(chosen.nodeName(), victims)),
        record);
  }

  private Decision nominated(
      PodEntry pod,
      Attempt attempt,
      Cycle.NotFound notFound,
      Preemption.Chosen chosen,
      Instant now) {
    String uid = pod.ref().uid();
    List<PodRef> yielding = podEvents.yieldTo(pod, chosen.nodeName(), now);
    reservations.nominations().nominate(uid, chosen.nodeName());
    pending.quotas().requestsNoNodes(pod.key()); // likewise
    chosen.toEvict().forEach(victim -> state.choose(victim, true));
    reservations
        .awaited()
        .await(uid, chosen.victims().stream().map(victim -> victim.ref().uid()).toList());
    podEvents.announced(pod, chosen.nodeName());
    pending.queue().rejected(uid, notFound.plugins(), now);
    CycleRecord record = notFound.record(state.census(), chosen.candidates(), "");
    List<PodRef> victims = chosen.toEvict().stream().map(PodEntry::ref).toList();
    return new Decision.Nominated(
        pod.ref(), attempt, chosen.nodeName(), victims, yielding, record.message(), record);
  }

  /**
   * Rejects a pod.
   *
   * @param preemption the outcome of preemption, for its owner; empty if there was none
   * @param retryAt the time to retry even without an event
   */
  private Decision unschedulable(
      PodEntry pod,
      Attempt attempt,
      Cycle.NotFound notFound,
      WaitCause cause,
      String preemption,
      Due retryAt,
      Instant now) {
    Optional<String> noRequest = pending.rejected(pod, cause, notFound.plugins(), retryAt, now);
    CycleRecord record = notFound.record(state.census(), List.of(), with(preemption, noRequest));
    return unschedulable(pod, attempt, heldIf(noRequest, cause), record, false);
  }

  private static WaitCause heldIf(Optional<String> noRequest, WaitCause otherwise) {
    return noRequest.isEmpty() ? otherwise : WaitCause.HELD_BY_QUEUE;
  }

  private static String with(String text, Optional<String> noRequest) {
    if (noRequest.isEmpty()) {
      return text;
    }
    return text.isEmpty() ? noRequest.get() : text + " " + noRequest.get();
  }

  /**
   * Rejects a pod that is expected to fit on a node soon: it evicts no others in the meantime, and
   * is not reported.
   */
  private Decision waits(PodEntry pod, Attempt attempt, Cycle.NotFound notFound, Instant now) {
    Instant until = attempt.firstActive().plus(PATIENCE);
    pending.queue().rejected(pod.ref().uid(), notFound.plugins(), Due.at(until), now);
    CycleRecord record = notFound.record(state.census(), List.of(), "");
    return unschedulable(pod, attempt, WaitCause.NO_ROOM, record, true);
  }

  private Decision unschedulable(
      PodEntry pod, Attempt attempt, WaitCause cause, CycleRecord record, boolean waits) {
    return new Decision.Unschedulable(
        pod.ref(),
        attempt,
        cause,
        record.message(),
        waits,
        announcedNomination(pod),
        Optional.empty(),
        record);
  }

  private Optional<String> announcedNomination(PodEntry pod) {
    Optional<String> nodeName = reservations.nominations().nodeOf(pod.ref().uid());
    podEvents.announced(pod, nodeName.orElse(""));
    return nodeName;
  }
}
