package io.berth.operator.schedule;

import io.berth.engine.Engine;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineDump;
import io.berth.engine.api.EngineFailedException;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.GroupState;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.QueueCounts;
import io.berth.engine.api.QueueState;
import io.berth.engine.api.Refusal;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.api.ShadowState;
import io.berth.engine.cards.CardMap;
import io.berth.engine.cards.CardTotals;
import io.berth.engine.model.PodRef;
import io.berth.engine.time.Due;
import io.berth.operator.feed.EventReceipt;
import io.berth.operator.schedule.Message.Asked;
import io.berth.operator.schedule.Message.Begin;
import io.berth.operator.schedule.Message.Happened;
import io.berth.operator.schedule.Message.HappenedThen;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that owns an {@link Engine}. It processes messages in bounded batches, asks the engine
 * for decisions, passes them on, and parks until a message arrives or the engine has work. All
 * other threads communicate with the engine through {@link #post}.
 *
 * <p>An engine that has failed, which is a bug, may count a pod twice or not at all, so it must not
 * place pods. Whatever fails on this thread, the engine is replaced by a new one that is built from
 * the informers' caches, without the object on which it failed; see {@link ExcludedObjects}. If
 * that is impossible, the loop ends and reports it through {@link #problem}.
 */
public final class SchedulingLoop implements AutoCloseable, EngineFeed.Subscriber {

  private static final int BATCH = 2048;
  private static final int DECISIONS_PER_BATCH = 64;
  private static final Duration STALLED = Duration.ofMinutes(2);
  private static final long BETWEEN_COUNTS_NANOS = Duration.ofMillis(500).toNanos();
  private static final long BETWEEN_QUEUES_NANOS = Duration.ofSeconds(2).toNanos();
  private static final long BETWEEN_GROUPS_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long ALL_GROUPS_NANOS = Duration.ofSeconds(5).toNanos();
  private static final Duration LONGEST_PARK = Duration.ofSeconds(1);

  /**
   * The time after which the loop gives up building engines that fail on one object after another.
   */
  private static final long LONGEST_REBUILDING_NANOS = Duration.ofMinutes(5).toNanos();

  /** The number of failures in a row, without a known cause, before the loop gives up. */
  private static final int MOST_UNEXPLAINED = 10;

  /** The time without such a failure after which they are counted from the start. */
  private static final long QUIET_NANOS = Duration.ofMinutes(1).toNanos();

  private final Mailbox mailbox = new Mailbox();
  private final Supplier<Engine> engines;
  private final EngineInputs inputs;
  private final EngineObserver observer;
  private final ExcludedObjects excluded = new ExcludedObjects();
  private final Decisions decisions;
  private final Clock clock;
  private final LongSupplier nanoTime;
  private final Thread thread;

  private volatile boolean stopped;
  private volatile CardTotals cardTotals = CardTotals.none();
  private volatile @Nullable String failure;
  private volatile long lastTurnNanos;
  private Engine engine;
  private long lastCountNanos;
  private long lastCardsNanos;
  private long lastGaugesNanos;
  private long lastGroupsNanos;
  private long lastQueuesNanos;
  private long allGroupsNanos;
  private boolean begun;
  private int unexplained;
  private long lastUnexplainedNanos;
  private String doing = "starting";

  /**
   * Creates a loop over a new engine, without starting it.
   *
   * @param engines creates an empty engine
   * @param feed repeats all that engines are fed, as {@link EngineFeed#replay} does; may be called
   *     from any thread
   * @param observer follows what the engines are given and what they answer
   * @param nanoTime a clock like {@link System#nanoTime}
   */
  public SchedulingLoop(
      Supplier<Engine> engines,
      Consumer<Consumer<ClusterEvent>> feed,
      Decisions decisions,
      EngineObserver observer,
      Clock clock,
      LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    long began = nanoTime.getAsLong();
    this.lastTurnNanos = began;
    this.lastCardsNanos = began - BETWEEN_COUNTS_NANOS;
    this.lastGaugesNanos = began - BETWEEN_COUNTS_NANOS;
    this.lastGroupsNanos = began - BETWEEN_GROUPS_NANOS;
    this.lastQueuesNanos = began - BETWEEN_QUEUES_NANOS;
    this.allGroupsNanos = began - ALL_GROUPS_NANOS;
    this.lastUnexplainedNanos = began;
    this.engines = engines;
    this.observer = observer;
    this.engine = newEngine();
    this.inputs = new EngineInputs(feed);
    this.decisions = decisions;
    this.clock = clock;
    this.thread = Thread.ofPlatform().name("engine").daemon().unstarted(this::run);
  }

  public void start() {
    thread.start();
  }

  /** Sends an event to the engine. */
  @Override
  public void post(ClusterEvent event) {
    mailbox.post(new Happened(event));
  }

  /** Sends an event to the engine, and calls back when the engine has processed it. */
  @Override
  public void post(ClusterEvent event, Consumer<EventReceipt> receipt) {
    mailbox.post(new HappenedThen(event, receipt));
  }

  /** Lets the engine begin to decide, after it has processed all earlier messages. */
  public void begin() {
    mailbox.post(new Begin());
  }

  /** Queries the engine for the GPU cards of a node. */
  public CompletableFuture<Optional<CardMap>> cardMap(String nodeName) {
    return ask(asked -> asked.cardMap(nodeName));
  }

  /** Queries the engine for its inside, with at most so many pods and groups that wait. */
  public CompletableFuture<EngineDump> dump(int mostUnits) {
    return ask(asked -> asked.dump(mostUnits, clock.instant()));
  }

  private <T> CompletableFuture<T> ask(Function<Engine, T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    mailbox.post(
        new Asked(
            asked -> {
              try {
                answer.complete(question.apply(asked));
              } catch (RuntimeException e) {
                answer.completeExceptionally(e);
                throw e;
              }
            }));
    return answer;
  }

  /** Returns the latest GPU card totals; less than two seconds old while the loop runs. */
  public CardTotals cardTotals() {
    return cardTotals;
  }

  /** Makes the loop check again whether there is room for decisions. */
  public void wake() {
    mailbox.wake();
  }

  /** Returns the number of waiting messages. */
  public int backlog() {
    return mailbox.size();
  }

  /** Returns the time since the loop's last iteration; it iterates at least once a second. */
  public Duration sinceLastTurn() {
    return Duration.ofNanos(nanoTime.getAsLong() - lastTurnNanos);
  }

  /**
   * Returns the reason why nothing is scheduled, and will not be until the process is restarted;
   * empty if there is none.
   */
  public Optional<String> problem() {
    String failed = failure;
    if (failed != null) {
      return Optional.of(failed);
    }
    Duration since = sinceLastTurn();
    return since.compareTo(STALLED) > 0
        ? Optional.of("has been busy with one pod for " + since.toSeconds() + " s")
        : Optional.empty();
  }

  /** Stops the loop: no decision is passed on after this method returns. */
  @Override
  public void close() {
    stopped = true;
    mailbox.wake();
    if (Thread.currentThread() == thread) {
      return;
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!stopped) {
      try {
        park(turn());
      } catch (RebuildException e) {
        giveUp(e);
      } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
        failedWithoutCause(e);
      } catch (Error e) { // such as OutOfMemoryError: the process cannot be trusted any more
        giveUp(e);
      }
    }
  }

  /**
   * Processes messages and makes decisions, as many as belong together. Only for callers that do
   * not {@link #start} the loop's own thread.
   *
   * @return the time of the next turn if no message arrives before
   */
  public Due turn() {
    lastTurnNanos = nanoTime.getAsLong();
    doing = "processing events";
    boolean more = takeBatch();
    takeAgain();
    observer.eventsEnded();
    if (observer.wantsNewEngine()) {
      renewEngine();
    }
    doing = "deciding on the next pod";
    Due next = begun ? decideSome() : Due.NEVER;
    boolean idle = !more && !next.equals(Due.AT_ONCE);
    doing = "counting pods";
    count(idle);
    return more ? Due.AT_ONCE : next;
  }

  /** Ends the loop: the engine cannot go on, and a new one cannot be built. */
  private void giveUp(Throwable cause) {
    stopped = true;
    failure = "failed while " + doing + " and has stopped scheduling: " + cause;
    decisions.failed(doing, cause);
  }

  private void count(boolean idle) {
    long now = nanoTime.getAsLong();
    if (idle || now - lastCountNanos > BETWEEN_COUNTS_NANOS) {
      lastCountNanos = now;
      QueueCounts counts = engine.queueCounts();
      report(() -> decisions.counted(counts));
    }
    if (now - lastCardsNanos > BETWEEN_COUNTS_NANOS) { // a pass over all nodes
      lastCardsNanos = now;
      cardTotals = engine.cardTotals();
    }
    if (begun && now - lastGaugesNanos > BETWEEN_COUNTS_NANOS) {
      lastGaugesNanos = now;
      List<GaugeReading> gauges = engine.gauges();
      report(() -> decisions.gauged(gauges));
      List<ShadowState> shadows = engine.shadows(clock.instant());
      report(() -> decisions.shadows(shadows));
    }
    if (begun && now - lastQueuesNanos > BETWEEN_QUEUES_NANOS) { // a pass over all pending pods
      lastQueuesNanos = now;
      List<QueueState> queues = engine.queues();
      report(() -> decisions.queues(queues));
    }
    if (begun && now - lastGroupsNanos > BETWEEN_GROUPS_NANOS) {
      // Reports all groups periodically, so that a failed write of a status is retried.
      boolean changed = !engine.takeChangedGroups().isEmpty();
      if (changed || now - allGroupsNanos > ALL_GROUPS_NANOS) {
        allGroupsNanos = now;
        List<GroupState> groups = engine.groups();
        report(() -> decisions.grouped(groups));
      }
      lastGroupsNanos = now;
    }
  }

  /** Processes a batch of messages; returns whether messages may be left. */
  private boolean takeBatch() {
    for (int i = 0; i < BATCH; i++) {
      Message message = mailbox.poll();
      if (message == null) {
        return false;
      }
      switch (message) {
        case Happened(ClusterEvent event) -> take(event);
        case HappenedThen(ClusterEvent event, Consumer<EventReceipt> receipt) -> {
          EventReceipt taken = take(event);
          report(() -> receipt.accept(taken));
        }
        case Asked(Consumer<Engine> question) -> report(() -> question.accept(engine));
        case Begin() -> begun = true;
      }
    }
    return true;
  }

  private EventReceipt take(ClusterEvent event) {
    Instant now = clock.instant();
    doing = "processing " + event.getClass().getSimpleName();
    inputs.received(event);
    Optional<ClusterEvent> passed = excluded.instead(event, now);
    if (passed.isEmpty()) {
      return new EventReceipt(now, Optional.empty());
    }
    Optional<Refusal> refusal;
    try {
      refusal = apply(passed.get(), engine, now);
      if (passed.get().equals(event)) {
        if (excluded.contains(event)) {
          // The engine was rebuilt without the pod, and so without its placement.
          inputs.replayPlacement(event.subject(), assumed -> apply(assumed, engine, now));
        }
        excluded.taken(event);
      }
    } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
      refusal = Optional.of(excluded.add(event, e, now));
      replaceEngine(e);
    }
    refusal.ifPresent(refused -> report(() -> decisions.refused(refused)));
    return new EventReceipt(now, refusal);
  }

  private Optional<Refusal> apply(ClusterEvent event, Engine to, Instant now) {
    observer.applied(event, now);
    return to.apply(event, now);
  }

  /** Sends objects on which the engine failed to it again, if they may be tried again. */
  private void takeAgain() {
    excluded.due(clock.instant()).forEach(this::take);
  }

  /**
   * Passes on a report. Nothing depends on its receiver, so one that fails is reported itself, and
   * the loop goes on.
   */
  private void report(Runnable report) {
    try {
      report.run();
    } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
      decisions.unheard(doing, e);
    }
  }

  /** Thrown if a new engine fails on an event during its construction. */
  private static final class ReplayException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final transient ClusterEvent event;

    ReplayException(ClusterEvent event, Throwable cause) {
      super(cause);
      this.event = event;
    }
  }

  /** Thrown if no new engine can be built. */
  private static final class RebuildException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RebuildException(Throwable failureOfTheOldEngine, Throwable cause) {
      super(cause.toString(), cause);
      addSuppressed(failureOfTheOldEngine);
    }
  }

  /** Replaces an engine that failed although no object can be named as the cause. */
  private void failedWithoutCause(Throwable failure) {
    long now = nanoTime.getAsLong();
    unexplained = now - lastUnexplainedNanos < QUIET_NANOS ? unexplained + 1 : 1;
    lastUnexplainedNanos = now;
    if (unexplained > MOST_UNEXPLAINED) {
      giveUp(failure);
      return;
    }
    try {
      replaceEngine(failure);
    } catch (RebuildException e) {
      giveUp(e);
    }
  }

  /**
   * Builds a new engine from the caches, without the objects on which earlier ones failed. It fails
   * on each further object once at most, so this ends.
   *
   * @throws RebuildException if the caches cannot be read, or fail on so many objects that it takes
   *     too long
   */
  private void replaceEngine(Throwable failure) {
    report(() -> decisions.replaced(doing, failure));
    buildEngine(failure);
  }

  /** Replaces an engine that has not failed, so that a recording begins with the whole state. */
  private void renewEngine() {
    try {
      buildEngine(new IllegalStateException("the last engine has not failed"));
    } catch (RebuildException e) {
      observer.abandoned();
      report(() -> decisions.unheard(doing, e));
    }
  }

  private void buildEngine(Throwable failure) {
    doing = "rebuilding the engine";
    report(() -> inputs.gauges(engine.gauges()));
    long began = nanoTime.getAsLong();
    Optional<Engine> fresh = Optional.empty();
    while (fresh.isEmpty()) {
      if (nanoTime.getAsLong() - began > LONGEST_REBUILDING_NANOS) {
        throw new RebuildException(failure, new TimeoutException("too many objects fail"));
      }
      try {
        fresh = rebuilt();
      } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
        throw new RebuildException(failure, e);
      }
    }
    engine = fresh.get();
  }

  private Engine newEngine() {
    Engine fresh = engines.get();
    observer.begun(fresh.options());
    return fresh;
  }

  /** Returns a new engine; empty if it failed on an object, which is excluded from now on. */
  private Optional<Engine> rebuilt() {
    Engine fresh = newEngine();
    try {
      inputs.replay(event -> replay(event, fresh));
      return Optional.of(fresh);
    } catch (ReplayException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      Refusal refusal = excluded.add(e.event, cause, clock.instant());
      report(() -> decisions.refused(refusal));
      return Optional.empty();
    }
  }

  private void replay(ClusterEvent event, Engine fresh) {
    Instant now = clock.instant();
    lastTurnNanos = nanoTime.getAsLong();
    Optional<ClusterEvent> passed = excluded.instead(event, now);
    if (passed.isPresent()) {
      try {
        // Rejections were already reported when the event arrived.
        var _ = apply(passed.get(), fresh, now);
      } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
        throw new ReplayException(event, e);
      }
    }
  }

  /** Makes a batch of decisions; returns the time of the next one if no message arrives before. */
  private Due decideSome() {
    for (int i = 0; i < DECISIONS_PER_BATCH && !stopped; i++) {
      if (!decisions.hasRoom()) {
        return Due.NEVER;
      }
      long began = nanoTime.getAsLong();
      switch (next()) {
        case Idle(Due until) -> {
          return until;
        }
        case AdviceRequest adviceRequest ->
            passOn(
                "requesting advice about " + adviceRequest.pod(),
                adviceRequest.pod(),
                () -> decisions.consulted(adviceRequest));
        case Decision decision -> {
          if (decision instanceof Decision.Placed placed) {
            inputs.placed(placed);
          }
          passOn(
              "passing on the decision on " + decision.pod(),
              decision.pod(),
              () -> decisions.decided(decision, nanoTime.getAsLong() - began));
          for (ShadowDecision shadowed : engine.takeShadowDecisions()) {
            report(() -> decisions.shadowed(shadowed));
          }
        }
      }
      doing = "deciding on the next pod";
    }
    return Due.AT_ONCE;
  }

  /**
   * Passes on a decision about a pod. If that fails, it is not known what was done for the pod: a
   * new engine learns that from the caches, and tries the pod after a pause.
   */
  private void passOn(String what, PodRef pod, Runnable decision) {
    doing = what;
    try {
      decision.run();
    } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
      exclude(pod, e);
    }
  }

  private Outcome next() {
    while (true) {
      Instant now = clock.instant();
      try {
        Outcome outcome = engine.next(now);
        observer.answered(outcome, now);
        return outcome;
      } catch (EngineFailedException e) {
        observer.failed(e.pod(), now);
        exclude(e.pod(), e);
      }
    }
  }

  private void exclude(PodRef pod, Throwable failure) {
    Refusal refusal = excluded.add(pod, failure, clock.instant());
    report(() -> decisions.refused(refusal));
    replaceEngine(failure);
  }

  private void park(Due until) {
    Duration pause = until.pause(clock.instant(), LONGEST_PARK);
    if (pause.isPositive() && !stopped) {
      mailbox.await(pause.toNanos());
    }
  }
}
