package io.berth.operator.record;

import io.berth.operator.api.LogKeys;
import io.berth.operator.record.ObjectEvent.Subject;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
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
  private @Nullable Lost last;

  private record Lost(Subject about, String why) {
    String text() {
      return about.kind() + " " + about.namespace() + "/" + about.name() + ": " + why;
    }

    LogKeys keys() {
      return LogKeys.object(about.kind(), about.namespace(), about.name());
    }
  }

  /**
   * @param later runs a task after a delay
   */
  LostEvents(BiConsumer<Duration, Runnable> later) {
    this.later = later;
  }

  void lost(Subject about, String why) {
    Lost lost = new Lost(about, why);
    synchronized (this) {
      if (collecting) {
        more++;
        last = lost;
        return;
      }
      collecting = true;
    }
    lost.keys().warn(LOG).accept("An event could not be written, on " + lost.text());
    later.accept(PAUSE, this::sum);
  }

  private void sum() {
    int counted;
    @Nullable Lost latest;
    synchronized (this) {
      counted = more;
      latest = last;
      more = 0;
      last = null;
      collecting = counted > 0;
    }
    if (latest != null) {
      latest
          .keys()
          .warn(LOG)
          .accept(
              "%d more events could not be written within %d s, the last on %s"
                  .formatted(counted, PAUSE.toSeconds(), latest.text()));
      later.accept(PAUSE, this::sum);
    }
  }
}
