package io.berth.engine.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Times are read and written as the JDK does. */
class TimestampsTest {

  @Test
  void anyTime_isReadAndWrittenAsTheJdkDoes() {
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      long seconds = random.nextLong(-70_000_000_000L, 260_000_000_000L);
      String text = Instant.ofEpochSecond(seconds).toString();

      assertThat(Timestamps.text(seconds)).isEqualTo(text);
      assertThat(Timestamps.parse(text)).isEqualTo(Instant.ofEpochSecond(seconds));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1970-01-01T00:00:00Z",
        "2024-02-29T23:59:59Z",
        "2026-11-24T10:00:00.123456Z",
        "2026-11-24T10:00:00+02:00",
        "2026-11-24T24:00:00Z",
        "2016-12-31T23:59:60Z"
      })
  void otherForms_areReadAsTheJdkDoes(String text) {
    assertThat(Timestamps.parse(text)).isEqualTo(Instant.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "yesterday",
        "2026-11-24",
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-11-24T25:00:00Z",
        "2026-11-24T00:60:00Z",
        "2026-11-24 00:00:00Z",
        "2026-11-2\u0664T00:00:00Z"
      })
  void whatIsNotATime_isRefused(String text) {
    assertThatThrownBy(() -> Instant.parse(text)).isInstanceOf(DateTimeParseException.class);
    assertThatThrownBy(() -> Timestamps.parse(text)).isInstanceOf(DateTimeParseException.class);
  }
}
