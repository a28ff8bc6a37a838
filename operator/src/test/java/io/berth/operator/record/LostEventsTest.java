package io.berth.operator.record;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.berth.engine.model.PodRef;
import io.berth.operator.record.ObjectEvent.Subject;
import java.util.ArrayDeque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Lost events are logged once a minute, whatever their number. */
class LostEventsTest {

  private final Logger logger = (Logger) LoggerFactory.getLogger(LostEvents.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final ArrayDeque<Runnable> later = new ArrayDeque<>();
  private final LostEvents lost = new LostEvents((pause, task) -> later.add(task));

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(log);
  }

  private void lose(String pod) {
    lost.lost(Subject.pod(new PodRef("default", pod, "uid")), "etcdserver: request timed out");
  }

  private void aMinutePasses() {
    later.remove().run();
  }

  @Test
  void manyLostEvents_areOneLineAtOnce_andOneAMinute() {
    for (int i = 0; i < 1000; i++) {
      lose("web-" + i);
    }
    aMinutePasses();
    aMinutePasses();
    lose("another");

    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "An event could not be written, on Pod default/web-0: etcdserver: request timed out",
            "999 more events could not be written within 60 s, the last on Pod default/web-999:"
                + " etcdserver: request timed out",
            "An event could not be written, on Pod default/another: etcdserver: request timed"
                + " out");
  }
}
