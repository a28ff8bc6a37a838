package io.berth.operator.trace;

import io.micrometer.tracing.Span;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Creates spans with explicit start and end times. */
final class Spans {

  private Spans() {}

  static Span.Builder beginning(Span.Builder builder, Instant start) {
    return builder.startTimestamp(epochNanos(start), TimeUnit.NANOSECONDS);
  }

  static void end(Span span, Instant end) {
    span.end(epochNanos(end), TimeUnit.NANOSECONDS);
  }

  private static long epochNanos(Instant at) {
    return TimeUnit.SECONDS.toNanos(at.getEpochSecond()) + at.getNano();
  }
}
