package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
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
    for (int from = 0; from < response.length; from += Math.min(partSize, response.length)) {
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

  static Stream<Arguments> sizes() {
    return IntStream.of(0, 1, 8_191, 8_192, 8_193, 1 << 20)
        .boxed()
        .flatMap(
            size ->
                IntStream.of(1_000, 8_192, Integer.MAX_VALUE)
                    .mapToObj(part -> Arguments.of(size, part)));
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void aFrameOfAnySize_isComplete_inOnePartAndInMany(int size, int partSize) throws IOException {
    String frame = "y".repeat(size);
    byte[] line = (frame + "\nend\n").getBytes(StandardCharsets.UTF_8);
    ByteBuffer sized = ByteBuffer.allocate(Integer.BYTES + size).putInt(size);
    sized.put(frame.getBytes(StandardCharsets.UTF_8));

    assertThat(split(new WatchFrames.Lines(), line, partSize))
        .as("an empty line is no event")
        .isEqualTo(size == 0 ? List.of("end") : List.of(frame, "end"));
    assertThat(split(new WatchFrames.Lengths(), sized.array(), partSize)).containsExactly(frame);
  }

  @Test
  void aFrameAtTheLimit_isComplete_andALongerLineIsAnError() throws IOException {
    byte[] part = "z".repeat(1 << 20).getBytes(StandardCharsets.UTF_8);
    WatchFrames.Lines lines = new WatchFrames.Lines();
    List<Integer> sizes = new ArrayList<>();
    for (int i = 0; i < WatchFrames.LONGEST_BYTES / part.length; i++) {
      lines.take(ByteBuffer.wrap(part), frame -> sizes.add(frame.length));
    }
    lines.take(ByteBuffer.wrap(new byte[] {'\n'}), frame -> sizes.add(frame.length));
    assertThat(sizes).containsExactly(WatchFrames.LONGEST_BYTES);

    for (int i = 0; i < WatchFrames.LONGEST_BYTES / part.length; i++) {
      lines.take(ByteBuffer.wrap(part), frame -> sizes.add(frame.length));
    }
    assertThatThrownBy(() -> lines.take(ByteBuffer.wrap(new byte[] {'z'}), frame -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("without an end");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, WatchFrames.LONGEST_BYTES + 1})
  void anImpossibleLength_isAnError(int length) {
    byte[] response = ByteBuffer.allocate(Integer.BYTES).putInt(length).array();

    assertThatThrownBy(() -> split(new WatchFrames.Lengths(), response, response.length))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(Integer.toString(length));
  }
}
