package io.berth.operator;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that advances only when the test moves it. */
public final class MovedClock extends Clock {
  private final AtomicReference<Instant> now;

  /** Creates a clock that shows the first instant of 2026. */
  public MovedClock() {
    this(Instant.parse("2026-01-01T00:00:00Z"));
  }

  public MovedClock(Instant now) {
    this.now = new AtomicReference<>(now);
  }

  /** Moves the clock; backward if the duration is negative. */
  public void move(Duration by) {
    now.updateAndGet(before -> before.plus(by));
  }

  @Override
  public Instant instant() {
    return now.get();
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return Clock.fixed(instant(), zone);
  }
}
