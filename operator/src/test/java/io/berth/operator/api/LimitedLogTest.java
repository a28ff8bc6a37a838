package io.berth.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LimitedLogTest {

  private final AtomicLong now = new AtomicLong();
  private final LimitedLog log = new LimitedLog(now::get);

  @Test
  void refusals_areSaidOnce_andCountedFromThenOn() {
    assertThat(log.refused(403, "may not bind")).contains("may not bind");
    for (int i = 0; i < 599; i++) {
      now.addAndGet(Duration.ofMillis(100).toNanos());
      assertThat(log.refused(403, "may not bind")).isEmpty();
    }

    now.addAndGet(Duration.ofMillis(100).toNanos());

    assertThat(log.refused(403, "may not bind"))
        .contains("may not bind (600 like this, status 403, in 60 s)");
  }

  @Test
  void refusalOfAnotherKind_isSaidAtOnce() {
    assertThat(log.refused(403, "may not bind")).isPresent();

    assertThat(log.refused(422, "is malformed")).contains("is malformed");
  }
}
