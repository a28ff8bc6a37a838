package io.berth.operator.record;

import io.berth.operator.record.ObjectEvent.Subject;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs events that could not be written: the first at once, further ones as a summary once a
 * minute.
 */
final class LostEvents {

  static final Duration PAUSE = Duration.ofMinutes(1);

  private static final Logger LOG = LoggerFactory.getLogger(LostEvents.class);

  private final BiConsumer<Duration, Runnable> later;

  // Guarded by this.
  private boolean collecting;
  private int more;
  private String last = "";

  /**
   * @param later runs a task after a delay
   */
  LostEvents(BiConsumer<Duration, Runnable> later) {
    this.later = later;
  }

  void lost(Subject about, String why) {
    String text = about.kind() + " " + about.namespace() + "/" + about.name() + ": " + why;
    synchronized (this) {
      if (collecting) {
        more++;
        last = text;
        return;
      }
      collecting = true;
    }
    LOG.warn("An event could not be written, on {}", text);
    later.accept(PAUSE, this::sum);
  }

  private void sum() {
    int counted;
    String latest;
    synchronized (this) {
      counted = more;
      latest = last;
      more = 0;
      collecting = counted > 0;
    }
    if (counted > 0) {
      LOG.warn(
          "{} more events could not be written within {} s, the last on {}",
          counted,
          PAUSE.toSeconds(),
          latest);
      later.accept(PAUSE, this::sum);
    }
  }
}
