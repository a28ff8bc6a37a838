package io.berth.operator.query;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A value about the whole cluster that is computed at most once within {@link #KEPT}, however many
 * users ask for it. Thread-safe.
 */
final class Recent<T> {
  /** The longest age of a value. */
  static final Duration KEPT = Duration.ofSeconds(5);

  private final Function<Instant, T> compute;
  private final InstantSource clock;

  // Guarded by this.
  private @Nullable T value;
  private Instant at = Instant.MIN;

  /**
   * @param compute computes the value as of this time
   */
  Recent(Function<Instant, T> compute, InstantSource clock) {
    this.compute = compute;
    this.clock = clock;
  }

  /** Returns the value. */
  synchronized T get() {
    Instant now = clock.instant();
    T known = value;
    if (known == null || now.isBefore(at) || at.isBefore(now.minus(KEPT))) {
      known = compute.apply(now);
      value = known;
      at = now;
    }
    return known;
  }
}
