package io.berth.operator.api;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Rate limits log lines that one tenant can cause many of: the first line of each kind is logged at
 * once, then one line a minute with the count. Thread-safe.
 */
public final class LimitedLog {

  /** The time between two lines of one kind. */
  public static final Duration PAUSE = Duration.ofMinutes(1);

  private final LongSupplier nanoTime;
  private final Map<String, Kind> kinds = new HashMap<>();

  private static final class Kind {
    long loggedAt;
    long since;
  }

  /**
   * @param nanoTime a clock like {@link System#nanoTime}
   */
  public LimitedLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Counts the rejection of a request.
   *
   * @param code the HTTP status
   * @return the line to log now, if any
   */
  public Optional<String> refused(int code, String what) {
    return line("status " + code, what);
  }

  /**
   * Counts a line.
   *
   * @param kind one of a few kinds of lines, each of which is limited by itself; not a name that a
   *     tenant can choose
   * @return the line to log now, if any
   */
  public synchronized Optional<String> line(String kind, String what) {
    long now = nanoTime.getAsLong();
    Kind known = kinds.get(kind);
    if (known == null) {
      known = new Kind();
      known.loggedAt = now;
      kinds.put(kind, known);
      return Optional.of(what);
    }
    known.since++;
    long past = now - known.loggedAt;
    if (past < PAUSE.toNanos()) {
      return Optional.empty();
    }
    String line =
        "%s (%d like this, %s, in %d s)"
            .formatted(what, known.since, kind, Duration.ofNanos(past).toSeconds());
    known.loggedAt = now;
    known.since = 0;
    return Optional.of(line);
  }
}
