package io.berth.operator.recording;

import io.berth.engine.model.ResourceAmounts;
import java.io.IOException;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Codecs of the types of Java's library, and of those collections. */
final class PlainCodecs {
  /** More than any collection of a recording has. */
  private static final int MOST_ITEMS = 10_000_000;

  private static final Map<Type, ValueCodec> OF_VALUES = ofValues();

  private PlainCodecs() {}

  private interface Writer {
    void write(Object value, BinaryOutput out) throws IOException;
  }

  private interface Reader {
    Object read(BinaryInput in) throws IOException;
  }

  private record Plain(Writer writer, Reader reader, @Nullable Object whenAbsent)
      implements ValueCodec {
    @Override
    public void write(Object value, BinaryOutput out) throws IOException {
      writer.write(value, out);
    }

    @Override
    public Object read(BinaryInput in) throws IOException {
      return reader.read(in);
    }

    @Override
    public @Nullable Object absent() {
      return whenAbsent;
    }
  }

  /** Returns the codec of a type without parts; null if the type has parts. */
  static @Nullable ValueCodec of(Type type) {
    return OF_VALUES.get(type);
  }

  private static Map<Type, ValueCodec> ofValues() {
    Map<Type, ValueCodec> codecs = new HashMap<>();
    codecs.put(String.class, new Plain((v, out) -> out.text((String) v), BinaryInput::text, ""));
    ValueCodec bit = new Plain((v, out) -> out.bit((Boolean) v), BinaryInput::bit, false);
    codecs.put(boolean.class, bit);
    codecs.put(Boolean.class, bit);
    ValueCodec whole =
        new Plain((v, out) -> out.number((Integer) v), in -> Math.toIntExact(in.number()), 0);
    codecs.put(int.class, whole);
    codecs.put(Integer.class, whole);
    ValueCodec number = new Plain((v, out) -> out.number((Long) v), BinaryInput::number, 0L);
    codecs.put(long.class, number);
    codecs.put(Long.class, number);
    ValueCodec fraction =
        new Plain((v, out) -> out.fraction((Double) v), BinaryInput::fraction, 0.0);
    codecs.put(double.class, fraction);
    codecs.put(Double.class, fraction);
    codecs.put(
        BigDecimal.class,
        new Plain((v, out) -> out.text(v.toString()), in -> new BigDecimal(in.exactText()), null));
    codecs.put(Instant.class, new Plain(PlainCodecs::instant, PlainCodecs::instant, null));
    codecs.put(Duration.class, new Plain(PlainCodecs::duration, PlainCodecs::duration, null));
    codecs.put(
        OptionalInt.class,
        new Plain(PlainCodecs::optionalInt, PlainCodecs::optionalInt, OptionalInt.empty()));
    codecs.put(
        ResourceAmounts.class,
        new Plain(PlainCodecs::amounts, PlainCodecs::amounts, ResourceAmounts.none()));
    return codecs;
  }

  private static void instant(Object value, BinaryOutput out) throws IOException {
    Instant time = (Instant) value;
    out.number(time.getEpochSecond());
    out.count(time.getNano());
  }

  private static Instant instant(BinaryInput in) throws IOException {
    return Instant.ofEpochSecond(in.number(), in.count());
  }

  private static void duration(Object value, BinaryOutput out) throws IOException {
    Duration time = (Duration) value;
    out.number(time.toSeconds());
    out.count(time.toNanosPart());
  }

  private static Duration duration(BinaryInput in) throws IOException {
    return Duration.ofSeconds(in.number(), in.count());
  }

  private static void optionalInt(Object value, BinaryOutput out) throws IOException {
    OptionalInt number = (OptionalInt) value;
    out.bit(number.isPresent());
    if (number.isPresent()) {
      out.number(number.getAsInt());
    }
  }

  private static OptionalInt optionalInt(BinaryInput in) throws IOException {
    return in.bit() ? OptionalInt.of(Math.toIntExact(in.number())) : OptionalInt.empty();
  }

  private static void amounts(Object value, BinaryOutput out) throws IOException {
    ResourceAmounts amounts = (ResourceAmounts) value;
    out.count(amounts.size());
    for (int i = 0; i < amounts.size(); i++) {
      out.text(amounts.name(i));
      out.number(amounts.amount(i));
    }
  }

  private static ResourceAmounts amounts(BinaryInput in) throws IOException {
    int size = in.size(MOST_ITEMS);
    Map<String, Long> byName = new HashMap<>();
    for (int i = 0; i < size; i++) {
      String name = in.exactText();
      byName.put(name, in.number());
    }
    return ResourceAmounts.of(byName);
  }

  /** Returns the codec of optional values. */
  static ValueCodec optional(ValueCodec item) {
    return new Plain(
        (v, out) -> {
          Optional<?> value = (Optional<?>) v;
          out.bit(value.isPresent());
          if (value.isPresent()) {
            item.write(value.get(), out);
          }
        },
        in -> in.bit() ? Optional.of(item.read(in)) : Optional.empty(),
        Optional.empty());
  }

  /** Returns the codec of lists. */
  static ValueCodec list(ValueCodec item) {
    return new Plain(
        (v, out) -> {
          List<?> values = (List<?>) v;
          out.count(values.size());
          for (Object value : values) {
            item.write(value, out);
          }
        },
        in -> {
          int size = in.size(MOST_ITEMS);
          List<Object> values = new ArrayList<>();
          for (int i = 0; i < size; i++) {
            values.add(item.read(in));
          }
          return List.copyOf(values);
        },
        List.of());
  }

  /** Returns the codec of sets. */
  static ValueCodec set(ValueCodec item) {
    return new Plain(
        (v, out) -> {
          Set<?> values = (Set<?>) v;
          out.count(values.size());
          for (Object value : values) {
            item.write(value, out);
          }
        },
        in -> {
          int size = in.size(MOST_ITEMS);
          Set<Object> values = new LinkedHashSet<>();
          for (int i = 0; i < size; i++) {
            values.add(item.read(in));
          }
          return Set.copyOf(values);
        },
        Set.of());
  }

  /** Returns the codec of maps, in the order that they have. */
  static ValueCodec map(ValueCodec key, ValueCodec item) {
    return map(key, item, Map.of(), () -> new LinkedHashMap<>(), Map::copyOf);
  }

  /** Returns the codec of maps that are sorted by the natural order of their keys. */
  static ValueCodec sortedMap(ValueCodec key, ValueCodec item) {
    return map(key, item, new TreeMap<>(), TreeMap::new, map -> (SortedMap<Object, Object>) map);
  }

  private interface NewMap {
    Map<Object, Object> make();
  }

  private static ValueCodec map(
      ValueCodec key,
      ValueCodec item,
      Object whenAbsent,
      NewMap maker,
      Function<Map<Object, Object>, Object> finished) {
    return new Plain(
        (v, out) -> {
          Map<?, ?> values = (Map<?, ?>) v;
          out.count(values.size());
          for (Map.Entry<?, ?> entry : values.entrySet()) {
            key.write(entry.getKey(), out);
            item.write(entry.getValue(), out);
          }
        },
        in -> {
          int size = in.size(MOST_ITEMS);
          Map<Object, Object> values = maker.make();
          for (int i = 0; i < size; i++) {
            Object name = key.read(in);
            values.put(name, item.read(in));
          }
          return finished.apply(values);
        },
        whenAbsent);
  }
}
