package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The report of a replica on a resource that it cannot watch. */
class WatchStatusTest {
  private final AtomicLong nanos = new AtomicLong();
  private final WatchStatus groups = new WatchStatus("podgroups", false, failure -> {}, nanos::get);

  private void after(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private static WatchFailure failure(String reason) {
    return new WatchFailure("list", "podgroups", reason, "no answer");
  }

  @Test
  void aKindThatWasNeverServed_isAsOldAsTheLastAnswerAboutIt() {
    groups.lost(failure(WatchFailure.NOT_FOUND));
    after(Duration.ofHours(1));
    groups.lost(failure(WatchFailure.NOT_FOUND));
    assertThat(groups.watchOutage()).isEmpty();

    after(Duration.ofSeconds(12));
    groups.lost(failure(WatchFailure.NO_ANSWER));

    WatchOutage outage = groups.watchOutage().orElseThrow();
    assertThat(outage.lasting()).isEqualTo(Duration.ofSeconds(12));
    assertThat(outage.served()).isFalse();
    assertThat(outage.text()).endsWith("(not served before; no answer for 12 s)");
  }

  @Test
  void aKindThatWasServed_saysWhenItWasSeen_andWhetherItIsServedStill() {
    groups.seen();
    after(Duration.ofSeconds(5));
    groups.lost(failure(WatchFailure.NOT_FOUND));

    WatchOutage outage = groups.watchOutage().orElseThrow();
    assertThat(outage.text()).endsWith("(not seen for 5 s)");
    assertThat(outage.isUnserved()).isTrue();
  }
}
