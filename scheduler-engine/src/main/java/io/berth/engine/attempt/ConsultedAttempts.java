package io.berth.engine.attempt;

import io.berth.engine.api.Advice;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.Attempt;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.WaitCause;
import io.berth.engine.cycle.Advised;
import io.berth.engine.cycle.Cycle;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.framework.Consultation;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.lifecycle.Consultations;
import io.berth.engine.lifecycle.Consultations.Asked;
import io.berth.engine.lifecycle.Consultations.Stage;
import io.berth.engine.preemption.Preemption;
import io.berth.engine.preemption.RejectedByAdvice;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Attempts for pods whose policy requires advice, in kube-scheduler's order: (1) ask about the
 * nominated node alone; (2) if it is refused, or there is none, ask about all nodes that fit; (3)
 * if all are refused, but other pods may be evicted, ask about the candidate nodes and victims.
 *
 * <p>The engine continues while a question is open, so each answer is checked against the state at
 * its arrival.
 */
final class ConsultedAttempts {
  /** The pause before victims are searched again if the advisor could not be asked. */
  private static final Duration UNAVAILABLE_PAUSE = Duration.ofSeconds(10);

  private final PodAttempts attempts;
  private final ClusterState state;
  private final Consultations consultations;
  private final Cycle cycle;
  private final Preemption preemption;
  private final RejectedByAdvice rejected;

  /**
   * An attempt that requires advice.
   *
   * @param serial the serial number of the policy's revision
   * @param wanted the advisor for the pod
   */
  record Consulted(PodEntry pod, Attempt attempt, ShapePlan plan, int serial, Consultation wanted) {
    private String uid() {
      return pod.ref().uid();
    }

    private PreemptionRules rules() {
      return plan.policy().preemption();
    }

    private Asked asked(Stage stage) {
      return new Asked(serial, wanted, stage);
    }
  }

  /**
   * @param attempts ends the attempts
   */
  ConsultedAttempts(
      PodAttempts attempts,
      ClusterState state,
      Consultations consultations,
      Cycle cycle,
      Preemption preemption,
      RejectedByAdvice rejected) {
    this.attempts = attempts;
    this.state = state;
    this.consultations = consultations;
    this.cycle = cycle;
    this.preemption = preemption;
    this.rejected = rejected;
  }

  Outcome run(Consulted pod, Optional<Consultations.Answered> answered, Instant now) {
    Optional<Consultations.Answered> answer =
        answered.filter(given -> given.asked().isBy(pod.serial(), pod.wanted()));
    if (answer.isPresent()) {
      return goOn(pod, answer.get().asked().stage(), answer.get().advice(), now);
    }
    if (!consultations.mayAsk(pod.serial(), pod.wanted())) {
      consultations.await(pod.pod(), pod.attempt(), pod.serial(), pod.wanted());
      return new Idle(Due.AT_ONCE);
    }
    return begin(pod, true, now);
  }

  private Outcome begin(Consulted pod, boolean nominatedFirst, Instant now) {
    if (!pod.wanted().hasSayIn(Consultation.Topic.NODES)) {
      return end(pod, cycle.run(pod.pod(), pod.plan()), Optional.empty(), now);
    }
    return switch (cycle.withoutAdvice(pod.pod(), pod.plan(), nominatedFirst)) {
      case Cycle.Wanted wanted -> askOfNodes(pod, wanted, now);
      case Cycle.Ended ended -> end(pod, ended, Optional.empty(), now);
    };
  }

  private Outcome goOn(Consulted pod, Stage stage, Advice advice, Instant now) {
    return switch (stage) {
      case Stage.AskedOfNodes(boolean nominated, List<String> asked) ->
          switch (advice) {
            case Advice.Nodes nodes -> {
              rejected.answered(pod.uid(), pod.serial(), asked, nodes);
              yield withNodes(pod, nodes, nominated, now);
            }
            case Advice.Unavailable _ when nominated -> begin(pod, false, now);
            case Advice.Unavailable(String message) -> unadvised(pod, message, now);
            case Advice.Victims _ -> unadvised(pod, misunderstood(pod), now);
          };
      case Stage.AskedOfVictims(Optional<Advice.Nodes> nodes) ->
          withVictims(pod, nodes, advice, now);
    };
  }

  private Outcome withNodes(Consulted pod, Advice.Nodes nodes, boolean nominated, Instant now) {
    Cycle.Ended ended =
        cycle.run(pod.pod(), pod.plan(), Optional.of(advised(pod, nodes)), nominated);
    if (nominated && ended instanceof Cycle.NotFound) {
      return begin(pod, false, now);
    }
    return end(pod, ended, Optional.of(nodes), now);
  }

  /**
   * Resumes after a question about victims: the pod is placed if it fits now.
   *
   * @param nodes the advice that rejected all nodes
   */
  private Outcome withVictims(
      Consulted pod, Optional<Advice.Nodes> nodes, Advice advice, Instant now) {
    boolean unasked = nodes.isEmpty() && pod.wanted().hasSayIn(Consultation.Topic.NODES);
    Cycle.Result result =
        unasked
            ? cycle.withoutAdvice(pod.pod(), pod.plan(), true)
            : cycle.run(pod.pod(), pod.plan(), nodes.map(given -> advised(pod, given)), false);
    return switch (result) {
      case Cycle.Wanted wanted -> askOfNodes(pod, wanted, now);
      case Cycle.Found found ->
          attempts.end(pod.pod(), pod.attempt(), found, Optional.of(pod.wanted()), now);
      case Cycle.NotFound notFound -> makeRoom(pod, notFound, advice, now);
    };
  }

  private Decision makeRoom(Consulted pod, Cycle.NotFound notFound, Advice advice, Instant now) {
    rejected.withoutUnresolvable(pod.uid(), pod.serial(), notFound.curableByEviction());
    Preemption.Result result;
    List<String> notes = List.of();
    switch (advice) {
      case Advice.Victims victims -> {
        notes = victims.notes();
        result =
            preemption.chooseAmong(
                victims.candidates(),
                pod.pod(),
                pod.rules(),
                pod.plan().filters(),
                notFound.curableByEviction(),
                attempts.recordsVerdicts(),
                now);
      }
      case Advice.Unavailable(String message) -> result = noRoom(message, now);
      case Advice.Nodes _ -> result = noRoom(misunderstood(pod), now);
    }
    return evicting(
        pod, attempts.madeRoom(pod.pod(), pod.attempt(), notFound.withNotes(notes), result, now));
  }

  /** Records the evictions of a decision: the advisor has not been asked about the node yet. */
  private Decision evicting(Consulted pod, Decision decision) {
    if (decision instanceof Decision.Nominated nominated
        && !nominated.victims().isEmpty()
        && pod.wanted().hasSayIn(Consultation.Topic.NODES)) {
      rejected.evicted(pod.uid(), pod.serial(), nominated.nodeName());
    }
    return decision;
  }

  /** Returns the reason why the pod must not evict others; empty if it may. */
  private Optional<Preemption.Impossible> noFurtherEvictions(Consulted pod) {
    return rejected
        .evictedInVain(pod.uid(), pod.serial())
        .map(
            nodeName ->
                new Preemption.Impossible(
                    WaitCause.NO_ROOM,
                    "preemption: pods were evicted from %s for this pod, and then %s rejected the node. No more are evicted for it until %s accepts a node, or the node or the SchedulingPolicy changes."
                        .formatted(nodeName, pod.wanted().name(), pod.wanted().name()),
                    false,
                    Due.NEVER));
  }

  private static Preemption.Impossible noRoom(String why, Instant now) {
    return new Preemption.Impossible(
        WaitCause.NO_ROOM, "preemption: " + why, true, Due.at(now.plus(UNAVAILABLE_PAUSE)));
  }

  /** Ends an attempt, unless an advisor has to be asked about victims. */
  private Outcome end(Consulted pod, Cycle.Ended ended, Optional<Advice.Nodes> nodes, Instant now) {
    PreemptionRules rules = pod.rules();
    if (ended instanceof Cycle.NotFound notFound && rules.enabled() && !rules.isDryRun()) {
      Optional<Preemption.Impossible> noMore = noFurtherEvictions(pod);
      if (noMore.isPresent()) {
        return attempts.madeRoom(pod.pod(), pod.attempt(), notFound, noMore.get(), now);
      }
      rejected.withoutUnresolvable(pod.uid(), pod.serial(), notFound.curableByEviction());
    }
    if (ended instanceof Cycle.NotFound notFound
        && rules.enabled()
        && !rules.isDryRun()
        && pod.wanted().hasSayIn(Consultation.Topic.VICTIMS)) {
      Preemption.Result result =
          preemption.offersFor(
              pod.pod(), rules, pod.plan().filters(), notFound.curableByEviction(), now);
      return result instanceof Preemption.Offered(var candidates)
          ? ask(pod, new Stage.AskedOfVictims(nodes), new AdviceRequest.OfVictims(candidates), now)
          : attempts.madeRoom(pod.pod(), pod.attempt(), notFound, result, now);
    }
    return evicting(
        pod, attempts.end(pod.pod(), pod.attempt(), ended, Optional.of(pod.wanted()), now));
  }

  private AdviceRequest askOfNodes(Consulted pod, Cycle.Wanted wanted, Instant now) {
    Stage stage = new Stage.AskedOfNodes(wanted.nominated(), wanted.nodes());
    return ask(pod, stage, new AdviceRequest.OfNodes(wanted.nodes()), now);
  }

  private AdviceRequest ask(
      Consulted pod, Stage stage, AdviceRequest.Question question, Instant now) {
    return consultations.ask(pod.pod(), pod.attempt(), pod.plan(), pod.asked(stage), question, now);
  }

  private Advised advised(Consulted pod, Advice.Nodes nodes) {
    return new Advised(pod.wanted().name(), nodes, state.nodes());
  }

  private Decision unadvised(Consulted pod, String why, Instant now) {
    return attempts.unadvised(pod.pod(), pod.attempt(), pod.plan(), why, now);
  }

  private static String misunderstood(Consulted pod) {
    return pod.wanted().name() + " gave an answer to another question";
  }
}
