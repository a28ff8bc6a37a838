package io.berth.operator.recording;

import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A digest of values with 64 bits, by steps like those of FNV-1a, but with whole words. It is the
 * same in every process: maps and sets, whose order differs between processes, are digested in the
 * order of their texts.
 */
final class Digest {
  private static final long BASIS = 0xcbf29ce484222325L;
  private static final long PRIME = 0x100000001b3L;

  private long value = BASIS;

  private Digest() {}

  static Digest of() {
    return new Digest();
  }

  /** Adds a text, by its hash, which texts that are used often remember. */
  Digest add(String text) {
    return add((long) text.hashCode() << Integer.SIZE | text.length());
  }

  Digest add(long part) {
    value = (value ^ part) * PRIME;
    value ^= value >>> Integer.SIZE;
    return this;
  }

  /** Adds a value: a record, a collection, or one whose text says all of it. */
  Digest add(Object part) {
    return add(text(part));
  }

  private static String text(Object part) {
    return switch (part) {
      case Record whole -> textOf(whole);
      case Map<?, ?> map -> {
        TreeMap<String, String> sorted = new TreeMap<>();
        map.forEach((key, item) -> sorted.put(text(key), text(item)));
        yield sorted.toString();
      }
      case Set<?> set -> {
        TreeSet<String> sorted = new TreeSet<>();
        set.forEach(item -> sorted.add(text(item)));
        yield sorted.toString();
      }
      case List<?> list -> list.stream().map(Digest::text).toList().toString();
      case Optional<?> optional -> optional.map(Digest::text).toString();
      default -> part.toString();
    };
  }

  private static String textOf(Record whole) {
    StringBuilder text = new StringBuilder(whole.getClass().getSimpleName());
    for (RecordComponent component : whole.getClass().getRecordComponents()) {
      component.getAccessor().setAccessible(true);
      try {
        Object value = component.getAccessor().invoke(whole);
        text.append(' ').append(value == null ? "" : text(value));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(whole.getClass() + " cannot be read", e);
      }
    }
    return text.toString();
  }

  long value() {
    return value;
  }
}
