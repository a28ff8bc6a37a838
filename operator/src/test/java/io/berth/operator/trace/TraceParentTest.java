package io.berth.operator.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {

  @Test
  void aSampledTraceparent_isReadAndWritten() {
    String text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    assertThat(TraceParent.parse(text))
        .contains(new TraceParent("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"))
        .map(TraceParent::text)
        .contains(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-extra",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n"
      })
  void anythingElse_isNone(String text) {
    assertThat(TraceParent.parse(text)).isEmpty();
  }
}
