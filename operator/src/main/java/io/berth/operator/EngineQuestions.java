package io.berth.operator;

import io.berth.engine.api.EngineDump;
import io.berth.engine.cards.CardMap;
import io.berth.operator.schedule.SchedulerSession;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Questions to the engine of this replica while it leads, for pages. Thread-safe. */
final class EngineQuestions {
  private static final int PATIENCE_SECONDS = 3;

  /** The number of pods and groups that a dump lists. */
  private static final int UNITS = 1_000;

  /** The time for which a dump is used: each costs the engine a pass over all pending pods. */
  private static final long DUMP_NANOS = Duration.ofSeconds(5).toNanos();

  /** The last dump, with the session that it is of. */
  private record Dumped(SchedulerSession session, EngineDump dump, long nanos) {}

  private final Supplier<Optional<SchedulerSession>> session;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private @Nullable Dumped last;

  /**
   * @param session returns the session of this replica; empty if it does not lead
   * @param nanoTime a clock such as {@link System#nanoTime}
   */
  EngineQuestions(Supplier<Optional<SchedulerSession>> session, LongSupplier nanoTime) {
    this.session = session;
    this.nanoTime = nanoTime;
  }

  /** Returns the GPU cards of a node; empty if it has none, or the engine does not answer. */
  Optional<CardMap> cardMap(String nodeName) {
    return session.get().flatMap(current -> answer(current.loop().cardMap(nodeName)));
  }

  /** Returns the inside of the engine, at most five seconds old; empty if it does not answer. */
  synchronized Optional<EngineDump> dump() {
    Optional<SchedulerSession> current = session.get();
    Dumped before = last;
    if (current.isEmpty()) {
      last = null;
      return Optional.empty();
    }
    if (before != null
        && before.session() == current.get()
        && nanoTime.getAsLong() - before.nanos() < DUMP_NANOS) {
      return Optional.of(before.dump());
    }
    Optional<EngineDump> dump = answer(current.get().loop().dump(UNITS).thenApply(Optional::of));
    dump.ifPresent(known -> last = new Dumped(current.get(), known, nanoTime.getAsLong()));
    return dump;
  }

  private static <T> Optional<T> answer(CompletableFuture<Optional<T>> question) {
    return question.completeOnTimeout(Optional.empty(), PATIENCE_SECONDS, TimeUnit.SECONDS).join();
  }
}
