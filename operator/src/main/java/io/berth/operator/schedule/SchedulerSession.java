package io.berth.operator.schedule;

import io.berth.engine.Engine;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Decision.GivenBack;
import io.berth.engine.api.Decision.Nominated;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.api.Decision.Quarantined;
import io.berth.engine.api.Decision.Unschedulable;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.GroupState;
import io.berth.engine.api.QueueCounts;
import io.berth.engine.api.QueueState;
import io.berth.engine.api.Refusal;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.api.ShadowState;
import io.berth.engine.api.WaitCause;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.LimitedLog;
import io.berth.operator.api.LogKeys;
import io.berth.operator.bind.Binder;
import io.berth.operator.bind.BindingOutcomes;
import io.berth.operator.bind.ClaimRelease;
import io.berth.operator.bind.Evictor;
import io.berth.operator.bind.PodStatusWriter;
import io.berth.operator.bind.VolumePreparation;
import io.berth.operator.extender.ExtenderAdvisor;
import io.berth.operator.gpu.CardHandover;
import io.berth.operator.group.GroupStatusWriter;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.BerthMetrics.Result;
import io.berth.operator.record.DecisionLog;
import io.berth.operator.record.Metric;
import io.berth.operator.record.PodEvents;
import io.berth.operator.rollout.RolloutTally;
import io.berth.operator.trace.PodTraces;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * One term as leader: a new engine on its own thread, and a binder for its decisions. Both end with
 * the term; their state is discarded, because the next leader reads it from the API server.
 */
public final class SchedulerSession implements Decisions, BindingOutcomes {

  private static final Duration QUIET_TIMEOUT = Duration.ofSeconds(5);

  private final Parts parts;
  private final Clock clock;
  private final LimitedLog refusals;
  private final EngineFeed feed;
  private final SchedulingLoop loop;
  private final Binder binder;
  private final Instant began;
  private volatile Optional<List<GaugeReading>> gauges = Optional.empty();

  /** The pod of the latest decision, once its placement is passed to the binder. */
  private @Nullable PodRef lastPassedOn;

  private volatile Optional<List<QueueState>> queues = Optional.empty();
  private final RolloutTally rollouts = new RolloutTally();
  private volatile Optional<List<ShadowState>> shadows = Optional.empty();
  private volatile QueueCounts counts = new QueueCounts(0, 0, 0, 0, List.of());

  /**
   * The dependencies of a session, which outlive it.
   *
   * @param schedulerOf returns the name of a pod's scheduler, one of those that Berth serves
   * @param nodeExists returns whether a node of this name exists
   * @param onFailed called when the engine has failed and cannot be replaced; must not block
   * @param log the log of the session's actions
   */
  public record Parts(
      ApiCalls api,
      VolumePreparation volumes,
      ClaimRelease claims,
      CardHandover cards,
      PodStatusWriter statuses,
      Evictor evictor,
      ExtenderAdvisor advisor,
      PodEvents events,
      DecisionLog decisions,
      BerthMetrics metrics,
      GroupStatusWriter groups,
      PodTraces traces,
      Function<PodRef, String> schedulerOf,
      Predicate<String> nodeExists,
      Runnable onFailed,
      Logger log) {}

  /**
   * Creates a session without starting it.
   *
   * @param engines creates an empty engine
   * @param feed the source of what the engine is fed, to which {@link #loop} is subscribed
   * @param observer follows what the engine is given and what it answers
   */
  public SchedulerSession(
      Supplier<Engine> engines,
      EngineFeed feed,
      Parts parts,
      EngineObserver observer,
      Clock clock) {
    this.parts = parts;
    this.feed = feed;
    this.clock = clock;
    this.refusals = new LimitedLog(parts.api()::nanoTime);
    this.began = clock.instant();
    this.binder =
        new Binder(
            parts.api(), parts.volumes(), parts.advisor().binding(), parts.nodeExists(), this);
    this.loop =
        new SchedulingLoop(engines, feed::replay, this, observer, clock, parts.api()::nanoTime);
  }

  /** The start of this term. */
  public Instant began() {
    return began;
  }

  /** The loop that owns the engine. */
  public SchedulingLoop loop() {
    return loop;
  }

  public Binder binder() {
    return binder;
  }

  /**
   * Ends the session immediately: waiting pods are dropped, and requests in flight are not awaited.
   */
  public void abort() {
    loop.close();
    binder.close();
    parts.metrics().gauges(List.of());
    parts.metrics().tenantQueues(List.of());
    parts.metrics().shadows(List.of());
    parts.metrics().groups(List.of());
    parts.advisor().close();
    parts.statuses().clear();
  }

  /**
   * Ends the session gracefully: no new decisions are made, and requests in flight get a few
   * seconds.
   */
  public void finish() throws InterruptedException {
    abort();
    if (!binder.awaitQuiet(QUIET_TIMEOUT)) {
      parts
          .log()
          .warn(
              "{} Bindings are still in flight; the next leader learns their results from its"
                  + " watches",
              binder.pending());
    }
  }

  @Override
  public boolean hasRoom() {
    return binder.hasRoom();
  }

  @Override
  public void decided(Decision decision, long tookNanos) {
    lastPassedOn = null;
    try {
      passOn(decision, tookNanos);
    } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
      if (decision instanceof Placed placed && !placed.pod().equals(lastPassedOn)) {
        String reason = "Berth failed before it sent the Binding: " + e;
        feed.publish(new ClusterEvent.BindingFailed(placed.pod(), reason, true));
        parts.cards().failed(placed);
      }
      throw e;
    }
  }

  private void passOn(Decision decision, long tookNanos) {
    Instant now = clock.instant();
    parts.metrics().decided(tookNanos);
    parts.traces().decided(decision, now, tookNanos);
    parts.decisions().decided(decision, now);
    rollouts.decided(decision);
    switch (decision) {
      case Placed placed -> {
        feed.placed(placed, loop);
        parts
            .cards()
            .written(placed)
            .ifPresentOrElse(
                ready -> bind(ready, placed.isNominatedMeanwhile()),
                () ->
                    failed(
                        placed,
                        "the GPU cards of node " + placed.nodeName() + " have changed",
                        true));
      }
      case Unschedulable waiting when waiting.waits() ->
          attempted(waiting.pod(), Result.UNSCHEDULABLE, Duration.ofNanos(tookNanos));
      case Unschedulable unschedulable -> {
        unschedulable(unschedulable.pod(), unschedulable.message(), tookNanos);
        parts
            .statuses()
            .waits(
                unschedulable.pod(),
                unschedulable.cause(),
                unschedulable.message(),
                unschedulable.nominatedNode().orElse(""));
        parts.claims().afterAttempt(unschedulable);
        unschedulable.wouldEvict().ifPresent(named -> wouldEvict(unschedulable.pod(), named));
      }
      case Quarantined quarantined -> quarantined(quarantined, tookNanos);
      case GivenBack givenBack -> giveBack(givenBack);
      case Nominated nominated -> {
        unschedulable(nominated.pod(), nominated.message(), tookNanos);
        parts
            .statuses()
            .waits(nominated.pod(), WaitCause.NO_ROOM, nominated.message(), nominated.nodeName());
        nominated.yielding().forEach(parts.statuses()::nominationEnded);
        preempt(nominated);
      }
    }
  }

  private void bind(Placed placed, boolean nominated) {
    if (nominated) {
      parts.statuses().nominated(placed.pod(), placed.nodeName());
    }
    lastPassedOn = placed.pod();
    binder.bind(placed);
  }

  @Override
  public void prepared(Placed placed) {
    parts.statuses().bindingFollows(placed.pod());
  }

  @Override
  public void consulted(AdviceRequest adviceRequest) {
    parts.advisor().advise(adviceRequest, loop::post);
  }

  private void wouldEvict(PodRef pod, Decision.WouldEvict named) {
    parts.metrics().wouldEvict(named.victims().size());
    parts.events().wouldPreempt(pod, named);
  }

  private void quarantined(Quarantined decision, long tookNanos) {
    parts.metrics().count(Metric.QUARANTINED_PODS);
    LogKeys.pod(decision.pod())
        .error(
            parts.log(),
            ("The attempt to place pod %s failed and was rolled back. The pod is retried after %s."
                    + " This is a bug in Berth, or a pod that is too expensive to schedule; please"
                    + " report it with the pod")
                .formatted(decision.pod(), decision.until()),
            decision.cause());
    unschedulable(decision.pod(), decision.message(), tookNanos);
    parts.statuses().failed(decision.pod(), decision.message());
  }

  @Override
  public void bound(Placed placed, Duration took) {
    feed.publish(new ClusterEvent.BindingConfirmed(placed.pod()));
    parts.cards().bound(placed);
    attempted(placed.pod(), Result.SCHEDULED, took);
    parts.metrics().bound(took);
    parts.traces().bound(placed);
    parts.decisions().ended(placed.pod(), "bound", OptionalLong.of(took.toMillis()));
    parts
        .metrics()
        .scheduled(
            Duration.between(placed.attempt().firstActive(), clock.instant()),
            placed.attempt().number());
    parts.events().scheduled(placed);
  }

  @Override
  public void failed(Placed placed, String reason, boolean retry) {
    if (retry) {
      // Before the engine hears of it: its next placement of the pod may nominate it again.
      String message = "binding rejected: " + reason;
      parts.statuses().failed(placed.pod(), message);
      parts.events().failedScheduling(placed.pod(), message);
    }
    feed.publish(new ClusterEvent.BindingFailed(placed.pod(), reason, retry));
    parts.cards().failed(placed);
    attempted(placed.pod(), Result.ERROR, Duration.ZERO);
    parts.traces().failed(placed, reason);
    parts.decisions().ended(placed.pod(), "not bound: " + reason, OptionalLong.empty());
    LogKeys.pod(placed.pod())
        .andNode(placed.nodeName())
        .debug(parts.log())
        .accept(
            "Pod %s was not bound to %s: %s".formatted(placed.pod(), placed.nodeName(), reason));
  }

  @Override
  public void hasRoomAgain() {
    loop.wake();
  }

  @Override
  public void refused(Refusal refusal) {
    parts.metrics().count(Metric.REFUSED_OBJECTS, refusal.kind());
    refusals
        .line(
            refusal.kind(),
            "%s %s cannot be used: %s".formatted(refusal.kind(), refusal.name(), refusal.reason()))
        .ifPresent(parts.log()::warn);
    if (refusal.kind().equals("Node")) {
      parts.events().unreadableCards(refusal.name(), refusal.reason());
    }
    refusal
        .pending()
        .ifPresent(
            pod -> {
              String message = "the pod cannot be scheduled as specified: " + refusal.reason();
              parts.statuses().invalid(pod, message);
              unschedulable(pod, message, 0);
            });
  }

  @Override
  public void replaced(String doing, Throwable failure) {
    countFailure();
    parts
        .log()
        .error(
            "The engine failed while {}. This is a bug in Berth; please report it. The engine is"
                + " rebuilt from the caches, without the object that it failed on",
            doing,
            failure);
  }

  @Override
  public void unheard(String doing, Throwable failure) {
    countFailure();
    parts
        .log()
        .error(
            "A report of the engine could not be processed, while it was {}. This is a bug in"
                + " Berth; please report it. Scheduling is not affected",
            doing,
            failure);
  }

  private void countFailure() {
    parts.metrics().count(Metric.ENGINE_FAILURES);
  }

  @Override
  public void failed(String doing, Throwable failure) {
    countFailure();
    parts
        .log()
        .error(
            "The engine failed while {}, and could not be rebuilt. This is a bug in Berth; please"
                + " report it. This replica releases the Lease, and its process exits, so that"
                + " another one schedules",
            doing,
            failure);
    parts.onFailed().run();
  }

  @Override
  public void counted(QueueCounts now) {
    Map<QueueCounts.Incoming, Long> before = new HashMap<>();
    counts.incoming().forEach(known -> before.put(unnumbered(known), known.pods()));
    for (QueueCounts.Incoming incoming : now.incoming()) {
      long more = incoming.pods() - before.getOrDefault(unnumbered(incoming), 0L);
      if (more > 0) {
        parts.metrics().queued(incoming.queue(), incoming.event(), more);
      }
    }
    counts = now;
  }

  @Override
  public void gauged(List<GaugeReading> readings) {
    gauges = Optional.of(List.copyOf(readings));
    feed.gauged(readings);
    parts.metrics().gauges(readings);
  }

  @Override
  public void queues(List<QueueState> states) {
    queues = Optional.of(List.copyOf(states));
    parts.metrics().tenantQueues(states);
  }

  @Override
  public void shadowed(ShadowDecision decision) {
    parts.decisions().shadowed(decision);
  }

  @Override
  public void shadows(List<ShadowState> states) {
    shadows = Optional.of(List.copyOf(states));
    parts.metrics().shadows(states);
  }

  /**
   * Returns the latest states of the shadows of policies; empty until the engine has decided once.
   */
  public Optional<List<ShadowState>> shadows() {
    return shadows;
  }

  /** Returns the results of both revisions of each policy whose change is rolled out. */
  public RolloutTally rollouts() {
    return rollouts;
  }

  /** Returns the latest states of the queues; empty until the engine has decided once. */
  public Optional<List<QueueState>> queues() {
    return queues;
  }

  @Override
  public void grouped(List<GroupState> reports) {
    parts.metrics().groups(reports);
    parts.groups().take(reports);
    parts.decisions().groups(reports);
  }

  /**
   * Returns the latest readings of all policies' gauges; empty until the engine has decided once.
   */
  public Optional<List<GaugeReading>> gauges() {
    return gauges;
  }

  private static QueueCounts.Incoming unnumbered(QueueCounts.Incoming incoming) {
    return new QueueCounts.Incoming(incoming.queue(), incoming.event(), 0);
  }

  /** Returns the latest number of pods by queue. */
  public QueueCounts counts() {
    return counts;
  }

  private void attempted(PodRef pod, Result result, Duration took) {
    parts.metrics().attempted(parts.schedulerOf().apply(pod), result, took);
  }

  private void unschedulable(PodRef pod, String message, long tookNanos) {
    attempted(pod, Result.UNSCHEDULABLE, Duration.ofNanos(tookNanos));
    parts.events().failedScheduling(pod, message);
  }

  /**
   * Cancels the placement of a pod whose Binding has not been sent, and evicts a pod that may
   * already be bound.
   */
  private void giveBack(GivenBack decision) {
    PodRef pod = decision.pod();
    parts.events().groupIncomplete(decision);
    if (!binder.cancelPreparation(pod, decision.message())) {
      LogKeys.pod(pod)
          .andNode(decision.nodeName())
          .info(parts.log())
          .accept(
              "Pod %s is evicted from %s: %s"
                  .formatted(pod, decision.nodeName(), decision.message()));
      parts
          .evictor()
          .evict(
              pod,
              Evictor.Cause.groupIncomplete(decision.message()),
              () -> {},
              reason -> feed.publish(new ClusterEvent.EvictionFailed(pod, reason)));
    }
  }

  private void preempt(Nominated nominated) {
    if (nominated.victims().isEmpty()) {
      return;
    }
    parts.metrics().preempted(nominated.victims().size());
    LogKeys.pod(nominated.pod())
        .andNode(nominated.nodeName())
        .info(parts.log())
        .accept(
            "Pod %s preempts %s on %s"
                .formatted(nominated.pod(), nominated.victims(), nominated.nodeName()));
    nominated.victims().forEach(victim -> preempt(victim, nominated));
  }

  private void preempt(PodRef victim, Nominated nominated) {
    // A victim whose volumes are still being prepared is not running, so it only returns to the
    // queue.
    if (binder.cancelPreparation(victim, "preempted by pod " + nominated.pod().uid())) {
      parts.events().preemptedUnbound(nominated, victim);
      return;
    }
    parts
        .evictor()
        .evict(
            victim,
            Evictor.Cause.PREEMPTION,
            () -> parts.events().preempted(nominated, victim),
            reason -> feed.publish(new ClusterEvent.EvictionFailed(victim, reason)));
  }
}
