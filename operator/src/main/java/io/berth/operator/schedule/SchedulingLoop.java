package io.berth.operator.schedule;

import io.berth.engine.ClusterEvent;
import io.berth.engine.Decision;
import io.berth.engine.Engine;
import io.berth.engine.Idle;
import io.berth.operator.schedule.Message.Begin;
import io.berth.operator.schedule.Message.Happened;
import io.berth.operator.schedule.Message.HappenedThen;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The thread that owns an {@link Engine}. If the engine fails, which is a bug, the loop ends and
 * says so by {@link #problem}: an engine that may count a pod twice or not at all must not place
 * others.
 *
 * <p>It takes messages in bounded batches, asks for decisions, hands them on and parks until a
 * message comes or the engine's time is due. Everything else talks to the engine by {@link #post}.
 */
public final class SchedulingLoop implements AutoCloseable {

  private static final int BATCH = 2048;
  private static final int DECISIONS_PER_BATCH = 64;
  private static final Duration STALLED = Duration.ofMinutes(2);
  private static final long BETWEEN_COUNTS_NANOS = Duration.ofMillis(500).toNanos();
  private static final long LONGEST_PARK_NANOS = Duration.ofSeconds(1).toNanos();

  private final Mailbox mailbox = new Mailbox();
  private final Engine engine;
  private final Decisions decisions;
  private final Clock clock;
  private final Thread thread;

  private volatile boolean stopped;
  private volatile @Nullable String failure;
  private volatile long lastTurnNanos = System.nanoTime();
  private long lastCountNanos;
  private boolean begun;
  private String doing = "starting";

  /** A loop over a fresh engine, not started. */
  public SchedulingLoop(Engine engine, Decisions decisions, Clock clock) {
    this.engine = engine;
    this.decisions = decisions;
    this.clock = clock;
    this.thread = Thread.ofPlatform().name("engine").daemon().unstarted(this::run);
  }

  public void start() {
    thread.start();
  }

  /** Tells the engine of an event. */
  public void post(ClusterEvent event) {
    mailbox.post(new Happened(event));
  }

  /** Tells the engine of an event, and the caller when the engine has taken it in. */
  public void post(ClusterEvent event, Consumer<Taken> taken) {
    mailbox.post(new HappenedThen(event, taken));
  }

  /** Lets the engine decide, once what was posted before has been taken in. */
  public void begin() {
    mailbox.post(new Begin());
  }

  /** Makes the loop look whether there is room for decisions again. */
  public void wake() {
    mailbox.wake();
  }

  /** How many messages wait. */
  public int backlog() {
    return mailbox.size();
  }

  /** How long ago the thread last came round; it does so at least once a second. */
  public Duration sinceLastTurn() {
    return Duration.ofNanos(System.nanoTime() - lastTurnNanos);
  }

  /** Why the process should be restarted; empty while all is well. */
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

  /** Stops at once: no decision is handed on after this returns. */
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
        doing = "taking in events";
        boolean more = takeBatch();
        doing = "deciding on the next pod";
        Instant idleUntil = begun ? decideSome() : Instant.MAX;
        boolean idle = !more && idleUntil != null;
        count(idle);
        if (idle) {
          park(idleUntil);
        }
      }
    } catch (RuntimeException | Error e) {
      failure = "failed while " + doing + " and decides nothing any more: " + e;
      decisions.failed(doing, e);
    }
  }

  private void count(boolean idle) {
    long now = System.nanoTime();
    if (idle || now - lastCountNanos > BETWEEN_COUNTS_NANOS) {
      lastCountNanos = now;
      decisions.counted(engine.queueCounts());
    }
  }

  /** Whether messages may be left. */
  private boolean takeBatch() {
    for (int i = 0; i < BATCH; i++) {
      Message message = mailbox.poll();
      if (message == null) {
        return false;
      }
      switch (message) {
        case Happened(ClusterEvent event) -> take(event);
        case HappenedThen(ClusterEvent event, Consumer<Taken> taken) -> taken.accept(take(event));
        case Begin() -> begun = true;
      }
    }
    return true;
  }

  private Taken take(ClusterEvent event) {
    Instant now = clock.instant();
    doing = "taking in " + event.getClass().getSimpleName();
    var refusal = engine.apply(event, now);
    refusal.ifPresent(decisions::refused);
    return new Taken(now, refusal);
  }

  /** Until when there is nothing to decide; null when there may be more at once. */
  private @Nullable Instant decideSome() {
    for (int i = 0; i < DECISIONS_PER_BATCH && !stopped; i++) {
      if (!decisions.hasRoom()) {
        return Instant.MAX;
      }
      long began = System.nanoTime();
      switch (engine.next(clock.instant())) {
        case Idle(Instant until) -> {
          return until;
        }
        case Decision decision -> {
          doing = "handing on the decision on " + decision.pod();
          decisions.decided(decision, System.nanoTime() - began);
          doing = "deciding on the next pod";
        }
      }
    }
    return null;
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
