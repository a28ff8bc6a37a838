package io.berth.operator.bind;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Rate limits the log of rejected requests: the first rejection with each status code is logged at
 * once, then one line a minute with the count. Thread-safe.
 */
final class RefusalLog {

  private static final Duration PAUSE = Duration.ofMinutes(1);

  private final LongSupplier nanoTime;
  private final Map<Integer, Kind> kinds = new HashMap<>();

  private static final class Kind {
    long loggedAt;
    long since;
  }

  /**
   * @param nanoTime a clock like {@link System#nanoTime}
   */
  RefusalLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Counts a rejection.
   *
   * @return the line to log now, if any
   */
  synchronized Optional<String> refused(int code, String what) {
    long now = nanoTime.getAsLong();
    Kind kind = kinds.get(code);
    if (kind == null) {
      kind = new Kind();
      kind.loggedAt = now;
      kinds.put(code, kind);
      return Optional.of(what);
    }
    kind.since++;
    long past = now - kind.loggedAt;
    if (past < PAUSE.toNanos()) {
      return Optional.empty();
    }
    String line =
        "%s (%d refusals with status %d in %d s)"
            .formatted(what, kind.since, code, Duration.ofNanos(past).toSeconds());
    kind.loggedAt = now;
    kind.since = 0;
    return Optional.of(line);
  }
}
