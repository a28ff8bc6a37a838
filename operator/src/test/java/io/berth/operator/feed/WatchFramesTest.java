package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames of watch responses whose parts end anywhere. */
class WatchFramesTest {
  private static final List<String> EVENTS = List.of("first", "x".repeat(300), "last");

  private static byte[] lines() {
    return (String.join("\n", EVENTS) + "\n\n").getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] lengths() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (String event : EVENTS) {
      byte[] bytes = event.getBytes(StandardCharsets.UTF_8);
      out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
      out.writeBytes(bytes);
    }
    return out.toByteArray();
  }

  private static List<String> split(WatchFrames frames, byte[] response, int partSize)
      throws IOException {
    List<String> split = new ArrayList<>();
    for (int from = 0; from < response.length; from += partSize) {
      int size = Math.min(partSize, response.length - from);
      frames.take(
          ByteBuffer.wrap(response, from, size),
          frame -> split.add(new String(frame, StandardCharsets.UTF_8)));
    }
    return split;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 299, 1000})
  void everyFrameIsComplete(int partSize) throws IOException {
    assertThat(split(new WatchFrames.Lines(), lines(), partSize)).isEqualTo(EVENTS);
    assertThat(split(new WatchFrames.Lengths(), lengths(), partSize)).isEqualTo(EVENTS);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, WatchFrames.Lengths.LONGEST_BYTES + 1})
  void anImpossibleLength_isAnError(int length) {
    byte[] response = ByteBuffer.allocate(Integer.BYTES).putInt(length).array();

    assertThatThrownBy(() -> split(new WatchFrames.Lengths(), response, response.length))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(Integer.toString(length));
  }
}
