package io.berth.operator.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The codecs of values, and values of other versions. */
class CodecsTest {
  private sealed interface Shape {}

  private record Circle(int radius) implements Shape {}

  private record Named(String name, Shape shape) implements Shape {}

  private enum Color implements Shape {
    RED,
    GREEN
  }

  private record Everything(
      boolean bit,
      int whole,
      long number,
      double fraction,
      String text,
      Instant at,
      Duration pause,
      BigDecimal exact,
      OptionalInt maybe,
      Optional<String> some,
      List<Shape> shapes,
      Set<Color> colors,
      Map<String, List<Integer>> lists,
      SortedMap<String, Long> sorted,
      @Nullable String absent,
      @Nullable Circle present) {}

  private static final Everything VALUE =
      new Everything(
          true,
          -7,
          Long.MIN_VALUE,
          0.1,
          "text",
          Instant.parse("2026-01-01T00:00:00.000000001Z"),
          Duration.ofMillis(-1),
          new BigDecimal("1.50"),
          OptionalInt.of(3),
          Optional.empty(),
          List.of(new Circle(1), new Named("text", new Circle(2)), Color.GREEN, new Circle(1)),
          Set.of(Color.RED),
          Map.of("a", List.of(1, 2)),
          new TreeMap<>(Map.of("b", 5L)),
          null,
          new Circle(Integer.MAX_VALUE));

  private static byte[] written(Object value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (BinaryOutput out = new BinaryOutput(bytes)) {
      new Codecs(new RecordedPolicies()).of(value.getClass()).write(value, out);
    }
    return bytes.toByteArray();
  }

  private static Object read(byte[] bytes, Class<?> type) throws IOException {
    BinaryInput in = new BinaryInput(new ByteArrayInputStream(bytes), UnaryOperator.identity());
    Object value = new Codecs(new RecordedPolicies()).of(type).read(in);
    assertThat(in.isAtEnd()).isTrue();
    return value;
  }

  @Test
  void values_areReadAsTheyWere() throws IOException {
    assertThat(read(written(VALUE), Everything.class)).isEqualTo(VALUE);
  }

  @Test
  void numbers_ofAllLengths_areReadAsTheyWere() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (BinaryOutput out = new BinaryOutput(bytes)) {
      for (int shift = 0; shift < Long.SIZE; shift++) {
        out.number(1L << shift);
        out.number(-(1L << shift));
        out.number((1L << shift) - 1);
      }
    }
    BinaryInput in =
        new BinaryInput(new ByteArrayInputStream(bytes.toByteArray()), UnaryOperator.identity());
    for (int shift = 0; shift < Long.SIZE; shift++) {
      assertThat(in.number()).isEqualTo(1L << shift);
      assertThat(in.number()).isEqualTo(-(1L << shift));
      assertThat(in.number()).isEqualTo((1L << shift) - 1);
    }
  }

  @Test
  void textsThatShareAPlace_areReadAsTheyWere() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (BinaryOutput out = new BinaryOutput(bytes)) {
      for (int i = 0; i < 3 * BinaryOutput.TEXTS; i++) {
        out.text("text-" + i % (2 * BinaryOutput.TEXTS));
        out.text("often");
      }
    }
    BinaryInput in =
        new BinaryInput(new ByteArrayInputStream(bytes.toByteArray()), UnaryOperator.identity());
    for (int i = 0; i < 3 * BinaryOutput.TEXTS; i++) {
      assertThat(in.text()).isEqualTo("text-" + i % (2 * BinaryOutput.TEXTS));
      assertThat(in.text()).isEqualTo("often");
    }
  }

  /** A definition of {@link Circle} as another version may have written it. */
  private static byte[] circle(String type, String... partsAndValues) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (BinaryOutput out = new BinaryOutput(bytes)) {
      out.count(0);
      out.text(type);
      out.count(partsAndValues.length / 3);
      for (int i = 0; i < partsAndValues.length; i += 3) {
        out.text(partsAndValues[i]);
        out.text(partsAndValues[i + 1]);
      }
      for (int i = 2; i < partsAndValues.length; i += 3) {
        if (partsAndValues[i - 1].equals("int")) {
          out.number(Integer.parseInt(partsAndValues[i]));
        } else {
          out.text(partsAndValues[i]);
        }
      }
    }
    return bytes.toByteArray();
  }

  @Test
  void partsThatThisVersionDoesNotHave_areLeftOut() throws IOException {
    byte[] bytes =
        circle(Circle.class.getName(), "color", "java.lang.String", "red", "radius", "int", "4");

    assertThat(read(bytes, Circle.class)).isEqualTo(new Circle(4));
  }

  @Test
  void partsThatTheRecordingDoesNotHave_standForNothing() throws IOException {
    assertThat(read(circle(Circle.class.getName()), Circle.class)).isEqualTo(new Circle(0));
  }

  @Test
  void partsWithoutAValueForNothing_andUnknownClasses_areNamed() {
    assertThatThrownBy(() -> read(circle(Everything.class.getName()), Everything.class))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("without at of Everything");
    assertThatThrownBy(() -> read(circle("io.berth.engine.Gone"), Circle.class))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("io.berth.engine.Gone");
    assertThatThrownBy(() -> read(circle("java.lang.ProcessBuilder"), Circle.class))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("java.lang.ProcessBuilder");
  }
}
