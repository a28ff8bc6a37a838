package io.berth.operator.schedule;

import io.berth.engine.CardMap;
import io.berth.engine.CardTotals;
import io.berth.engine.ClusterEvent;
import io.berth.engine.Consult;
import io.berth.engine.Decision;
import io.berth.engine.Engine;
import io.berth.engine.EngineFailedException;
import io.berth.engine.Idle;
import io.berth.engine.Outcome;
import io.berth.engine.Refusal;
import io.berth.operator.schedule.Message.Asked;
import io.berth.operator.schedule.Message.Begin;
import io.berth.operator.schedule.Message.Happened;
import io.berth.operator.schedule.Message.HappenedThen;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that owns an {@link Engine}. It processes messages in bounded batches, asks the engine
 * for decisions, passes them on, and parks until a message arrives or the engine has work. All
 * other threads communicate with the engine through {@link #post}.
 *
 * <p>An engine that has failed, which is a bug, may count a pod twice or not at all, so it must not
 * place pods. It is replaced by a new one that is built from the informers' caches, without the
 * object on which it failed; see {@link LeftOut}. If that fails too, the loop ends and reports it
 * through {@link #problem}.
 */
public final class SchedulingLoop implements AutoCloseable {

  private static final int BATCH = 2048;
  private static final int DECISIONS_PER_BATCH = 64;
  private static final Duration STALLED = Duration.ofMinutes(2);
  private static final long BETWEEN_COUNTS_NANOS = Duration.ofMillis(500).toNanos();
  private static final long BETWEEN_GROUPS_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long ALL_GROUPS_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long LONGEST_PARK_NANOS = Duration.ofSeconds(1).toNanos();

  /** The number of objects in a row that a new engine may fail on before the loop gives up. */
  private static final int REPLACEMENTS = 50;

  private final Mailbox mailbox = new Mailbox();
  private final Supplier<Engine> engines;
  private final EngineInputs inputs;
  private final LeftOut leftOut = new LeftOut();
  private final Decisions decisions;
  private final Clock clock;
  private final Thread thread;

  private volatile boolean stopped;
  private volatile CardTotals cardTotals = CardTotals.none();
  private volatile @Nullable String failure;
  private volatile long lastTurnNanos = System.nanoTime();
  private Engine engine;
  private long lastCountNanos;
  private long lastCardsNanos = System.nanoTime() - BETWEEN_COUNTS_NANOS;
  private long lastGaugesNanos = System.nanoTime() - BETWEEN_COUNTS_NANOS;
  private long lastGroupsNanos = System.nanoTime() - BETWEEN_GROUPS_NANOS;
  private long allGroupsNanos = System.nanoTime() - ALL_GROUPS_NANOS;
  private boolean begun;
  private String doing = "starting";

  /**
   * Creates a loop over a new engine, without starting it.
   *
   * @param engines creates an empty engine
   * @param caches passes all existing objects to a consumer; may be called from any thread
   */
  public SchedulingLoop(
      Supplier<Engine> engines,
      Consumer<Consumer<ClusterEvent>> caches,
      Decisions decisions,
      Clock clock) {
    this.engines = engines;
    this.engine = engines.get();
    this.inputs = new EngineInputs(caches);
    this.decisions = decisions;
    this.clock = clock;
    this.thread = Thread.ofPlatform().name("engine").daemon().unstarted(this::run);
  }

  public void start() {
    thread.start();
  }

  /** Sends an event to the engine. */
  public void post(ClusterEvent event) {
    mailbox.post(new Happened(event));
  }

  /** Sends an event to the engine, and calls back when the engine has processed it. */
  public void post(ClusterEvent event, Consumer<EventReceipt> receipt) {
    mailbox.post(new HappenedThen(event, receipt));
  }

  /** Lets the engine begin to decide, after it has processed all earlier messages. */
  public void begin() {
    mailbox.post(new Begin());
  }

  /** Queries the engine for the GPU cards of a node. */
  public CompletableFuture<Optional<CardMap>> cardMap(String nodeName) {
    CompletableFuture<Optional<CardMap>> answer = new CompletableFuture<>();
    mailbox.post(new Asked(asked -> answer.complete(asked.cardMap(nodeName))));
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
    return Duration.ofNanos(System.nanoTime() - lastTurnNanos);
  }

  /** Returns the reason why the process should be restarted; empty if there is none. */
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
    try {
      while (!stopped) {
        lastTurnNanos = System.nanoTime();
        doing = "processing events";
        boolean more = takeBatch();
        takeAgain();
        doing = "deciding on the next pod";
        Instant idleUntil = begun ? decideSome() : Instant.MAX;
        boolean idle = !more && idleUntil != null;
        count(idle);
        if (idle) {
          park(idleUntil);
        }
      }
    } catch (RuntimeException | Error e) {
      failure = "failed while " + doing + " and has stopped scheduling: " + e;
      decisions.failed(doing, e);
    }
  }

  private void count(boolean idle) {
    long now = System.nanoTime();
    if (idle || now - lastCountNanos > BETWEEN_COUNTS_NANOS) {
      lastCountNanos = now;
      decisions.counted(engine.queueCounts());
    }
    if (now - lastCardsNanos > BETWEEN_COUNTS_NANOS) { // a pass over all nodes
      lastCardsNanos = now;
      cardTotals = engine.cardTotals();
    }
    if (begun && now - lastGaugesNanos > BETWEEN_COUNTS_NANOS) {
      lastGaugesNanos = now;
      decisions.gauged(engine.gauges());
    }
    if (begun && now - lastGroupsNanos > BETWEEN_GROUPS_NANOS) {
      // Reports all groups periodically, so that a failed write of a status is retried.
      boolean changed = !engine.takeChangedGroups().isEmpty();
      if (changed || now - allGroupsNanos > ALL_GROUPS_NANOS) {
        allGroupsNanos = now;
        decisions.grouped(engine.groups());
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
        case HappenedThen(ClusterEvent event, Consumer<EventReceipt> receipt) ->
            receipt.accept(take(event));
        case Asked(Consumer<Engine> question) -> question.accept(engine);
        case Begin() -> begun = true;
      }
    }
    return true;
  }

  private EventReceipt take(ClusterEvent event) {
    Instant now = clock.instant();
    doing = "processing " + event.getClass().getSimpleName();
    inputs.told(event);
    Optional<ClusterEvent> told = leftOut.instead(event, now);
    if (told.isEmpty()) {
      return new EventReceipt(now, Optional.empty());
    }
    Optional<Refusal> refusal;
    try {
      refusal = engine.apply(told.get(), now);
      if (told.get() == event) {
        leftOut.took(event);
      }
    } catch (RuntimeException | StackOverflowError e) {
      refusal = leftOut.add(event, e, now);
      replaceEngine(e);
    }
    refusal.ifPresent(decisions::refused);
    return new EventReceipt(now, refusal);
  }

  /** Sends objects on which the engine failed to it again, if they have changed since. */
  private void takeAgain() {
    leftOut.due(clock.instant()).forEach(this::take);
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

  /** Builds a new engine from the caches, without the objects on which earlier ones failed. */
  private void replaceEngine(Throwable failure) {
    decisions.replaced(doing, failure);
    doing = "rebuilding the engine";
    inputs.gauges(engine.gauges());
    for (int i = 0; i < REPLACEMENTS; i++) {
      Engine fresh = engines.get();
      try {
        inputs.replay(event -> replay(event, fresh));
        engine = fresh;
        return;
      } catch (ReplayException e) {
        Optional<Refusal> refusal =
            leftOut.add(e.event, Objects.requireNonNull(e.getCause()), clock.instant());
        if (refusal.isEmpty()) {
          throw e;
        }
        decisions.refused(refusal.get());
      }
    }
    throw new IllegalStateException(
        "the engine failed on " + REPLACEMENTS + " objects while it was rebuilt", failure);
  }

  private void replay(ClusterEvent event, Engine fresh) {
    Instant now = clock.instant();
    lastTurnNanos = System.nanoTime();
    Optional<ClusterEvent> told = leftOut.instead(event, now);
    if (told.isPresent()) {
      try {
        // Rejections were already reported when the event arrived.
        fresh.apply(told.get(), now);
      } catch (RuntimeException | StackOverflowError e) {
        throw new ReplayException(event, e);
      }
    }
  }

  /**
   * Makes a batch of decisions; returns the time until which the engine is idle, or null if there
   * may be more decisions at once.
   */
  private @Nullable Instant decideSome() {
    for (int i = 0; i < DECISIONS_PER_BATCH && !stopped; i++) {
      if (!decisions.hasRoom()) {
        return Instant.MAX;
      }
      long began = System.nanoTime();
      switch (next()) {
        case Idle(Instant until) -> {
          return until;
        }
        case Consult consult -> {
          doing = "requesting advice about " + consult.pod();
          decisions.consulted(consult);
          doing = "deciding on the next pod";
        }
        case Decision decision -> {
          if (decision instanceof Decision.Placed placed) {
            inputs.placed(placed);
          }
          doing = "passing on the decision on " + decision.pod();
          decisions.decided(decision, System.nanoTime() - began);
          doing = "deciding on the next pod";
        }
      }
    }
    return null;
  }

  private Outcome next() {
    while (true) {
      try {
        return engine.next(clock.instant());
      } catch (EngineFailedException e) {
        decisions.refused(leftOut.add(e.pod(), e, clock.instant()));
        replaceEngine(e);
      }
    }
  }

  private void park(Instant until) {
    long nanos = LONGEST_PARK_NANOS;
    Instant now = clock.instant();
    if (until.isBefore(now.plusNanos(nanos))) {
      nanos = Duration.between(now, until).toNanos();
    }
    if (nanos > 0 && !stopped) {
      mailbox.await(nanos);
    }
  }
}
