package io.berth.operator.recording;

import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The compact form of a recording: numbers of variable length, and references to texts and objects
 * that were written shortly before. {@link BinaryInput} reads it.
 *
 * <p>Texts and objects that repeat are remembered in a table of fixed size, at the place that their
 * hash names, by the writer and the reader alike. So memory is bounded, and the most recent value
 * of each place is written once.
 */
final class BinaryOutput implements Closeable {
  /** The number of remembered texts; a power of two. */
  static final int TEXTS = 1 << 14;

  /** The number of remembered objects; a power of two. */
  static final int OBJECTS = 1 << 12;

  private static final int SEVEN_BITS = 0x7f;

  private final DataOutputStream out;
  private final @Nullable String[] texts = new @Nullable String[TEXTS];
  private final @Nullable Object[] objects = new @Nullable Object[OBJECTS];
  private final Map<Class<?>, Integer> classes = new HashMap<>();

  BinaryOutput(OutputStream out) {
    this.out = new DataOutputStream(out);
  }

  /** Returns the place of a hash in a table of this size, a power of two. */
  static int place(int hash, int size) {
    int mixed = hash * 0x9e3779b9; // 2^32 divided by the golden ratio, as Knuth proposes
    return (mixed ^ (mixed >>> 16)) & (size - 1);
  }

  void bit(boolean value) throws IOException {
    out.writeByte(value ? 1 : 0);
  }

  /** Writes a number of 0 or more in as few bytes as possible. */
  void count(long value) throws IOException {
    long rest = value;
    while ((rest & ~SEVEN_BITS) != 0) {
      out.writeByte((int) (rest & SEVEN_BITS) | 0x80);
      rest >>>= 7;
    }
    out.writeByte((int) rest);
  }

  /** Writes any number; numbers near 0 take the fewest bytes. */
  void number(long value) throws IOException {
    count((value << 1) ^ (value >> 63));
  }

  void fraction(double value) throws IOException {
    out.writeLong(Double.doubleToRawLongBits(value));
  }

  void digest(long value) throws IOException {
    out.writeLong(value);
  }

  void text(String value) throws IOException {
    int place = place(value.hashCode(), TEXTS);
    if (value.equals(texts[place])) {
      count(place + 1);
      return;
    }
    count(0);
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    count(bytes.length);
    out.write(bytes);
    texts[place] = value;
  }

  /** Writes the content of an object that was not written shortly before. */
  @FunctionalInterface
  interface Content {
    void write() throws IOException;
  }

  /** Writes an object, or a reference if an equal one was written shortly before. */
  void object(Object value, Content content) throws IOException {
    int place = place(value.hashCode(), OBJECTS);
    if (value.equals(objects[place])) {
      count(place + 1);
      return;
    }
    count(0);
    count(place);
    content.write();
    objects[place] = value;
  }

  /**
   * Writes the number of a class, and its definition when it is first used.
   *
   * @param definition writes the definition
   */
  void type(Class<?> type, Content definition) throws IOException {
    Integer known = classes.get(type);
    if (known != null) {
      count(known);
      return;
    }
    count(0);
    definition.write();
    classes.put(type, classes.size() + 1);
  }

  void flush() throws IOException {
    out.flush();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
