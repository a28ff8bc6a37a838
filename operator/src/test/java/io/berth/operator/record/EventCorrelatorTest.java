package io.berth.operator.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.model.PodRef;
import io.berth.operator.record.EventCorrelator.Action;
import io.berth.operator.record.EventCorrelator.Count;
import io.berth.operator.record.EventCorrelator.Create;
import io.berth.operator.record.EventCorrelator.Suppress;
import io.berth.operator.record.EventCorrelator.Wait;
import io.berth.operator.record.ObjectEvent.Subject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Reports that become events, with client-go's limits. */
class EventCorrelatorTest {

  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  private final EventCorrelator correlator = new EventCorrelator();
  private Instant now = NOON;

  private static ObjectEvent failed(String pod, String note) {
    return ObjectEvent.warning(
        Subject.pod(new PodRef("default", pod, "uid-" + pod)),
        "FailedScheduling",
        "Scheduling",
        note);
  }

  private static ObjectEvent reason(String reason) {
    Subject web = Subject.pod(new PodRef("default", "web", "uid-web"));
    return ObjectEvent.warning(web, reason, "Scheduling", "of many kinds");
  }

  /** Correlates a report, and confirms an event that it creates at once. */
  private Action report(ObjectEvent event) {
    Action action = correlator.correlate(event, now);
    if (action instanceof Create(EventCorrelator.Series series)) {
      correlator.created(series);
    }
    return action;
  }

  private void pass(Duration time) {
    now = now.plus(time);
  }

  private static String note(Action action) {
    return ((Create) action).series().event().note();
  }

  @Test
  void similarEvents_areCombinedFromTheTenthNoteOn_intoOneEvent() {
    List<String> notes =
        IntStream.range(0, 9).mapToObj(i -> note(report(failed("web", "reason " + i)))).toList();
    Action tenth = report(failed("web", "reason 9"));
    Action eleventh = report(failed("web", "reason 10"));

    assertThat(notes).contains("reason 0", "reason 8");
    assertThat(note(tenth)).isEqualTo("(combined from similar events): reason 9");
    assertThat(eleventh).isInstanceOf(Count.class);
    assertThat(((Count) eleventh).series().count()).isEqualTo(2);
  }

  @Test
  void similarEvents_ofDifferentPods_areNotCombined() {
    List<Action> actions =
        IntStream.range(0, 30).mapToObj(i -> report(failed("web-" + i, "reason " + i))).toList();

    assertThat(actions).allMatch(action -> !note(action).startsWith(EventCorrelator.COMBINED));
  }

  @Test
  void similarEvents_afterTenQuietMinutes_standForThemselvesAgain() {
    IntStream.range(0, 12).forEach(i -> report(failed("web", "reason " + i)));
    pass(EventCorrelator.SIMILAR_WINDOW.plusSeconds(1));

    assertThat(note(report(failed("web", "reason 20")))).isEqualTo("reason 20");
  }

  @Test
  void object_hasTwentyFiveEvents_thenOneEveryFiveMinutes() {
    long written = 0;
    for (int i = 0; i < 100; i++) {
      pass(Duration.ofSeconds(1));
      Action action = report(reason("Reason" + i));
      written += action instanceof Create ? 1 : 0;
    }
    assertThat(written).isEqualTo(EventCorrelator.BURST);

    pass(EventCorrelator.REFILL);
    assertThat(report(failed("web", "elsewhere"))).isInstanceOf(Create.class);
  }

  @Test
  void objectWithItsEventsSpent_doesNotCostAnotherIts() {
    for (int i = 0; i < 60; i++) {
      pass(EventCorrelator.SERIES_PAUSE.plusSeconds(1));
      report(failed("noisy", "the same"));
    }
    pass(Duration.ofSeconds(31));

    assertThat(report(failed("noisy", "the same"))).isInstanceOf(Suppress.class);
    assertThat(report(failed("quiet", "once"))).isInstanceOf(Create.class);
  }

  @Test
  void repeats_whileTheEventIsStillBeingWritten_onlyCount() {
    Action first = correlator.correlate(failed("web", "full"), now);
    Action second = correlator.correlate(failed("web", "full"), now);
    correlator.created(((Create) first).series());
    pass(EventCorrelator.SERIES_PAUSE);
    Action third = correlator.correlate(failed("web", "full"), now);

    assertThat(second).isInstanceOf(Wait.class);
    assertThat(((Count) third).series().count()).isEqualTo(3);
  }
}
