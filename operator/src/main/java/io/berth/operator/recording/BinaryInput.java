package io.berth.operator.recording;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads what {@link BinaryOutput} writes. */
final class BinaryInput implements Closeable {
  /** More bytes than any text of a recording has. */
  private static final int LONGEST_TEXT = 64 << 20;

  private static final int LONGEST_NUMBER = 10;

  private final DataInputStream in;
  private final UnaryOperator<String> renaming;
  private final @Nullable String[] texts = new @Nullable String[BinaryOutput.TEXTS];
  private final @Nullable Object[] objects = new @Nullable Object[BinaryOutput.OBJECTS];
  private final List<Object> types = new ArrayList<>();

  /**
   * @param renaming returns what is read in place of a text
   */
  BinaryInput(InputStream in, UnaryOperator<String> renaming) {
    this.in = new DataInputStream(in);
    this.renaming = renaming;
  }

  /** Returns whether there is nothing more. */
  boolean isAtEnd() throws IOException {
    in.mark(1);
    boolean end = in.read() < 0;
    in.reset();
    return end;
  }

  boolean bit() throws IOException {
    return in.readUnsignedByte() != 0;
  }

  long count() throws IOException {
    long value = 0;
    for (int i = 0; i < LONGEST_NUMBER; i++) {
      int part = in.readUnsignedByte();
      value |= (long) (part & 0x7f) << (7 * i);
      if ((part & 0x80) == 0) {
        return value;
      }
    }
    throw new IOException("a number has more than " + LONGEST_NUMBER + " bytes");
  }

  /**
   * Reads the number of things that follow.
   *
   * @throws IOException if it is larger than the greatest possible one
   */
  int size(int greatest) throws IOException {
    long size = count();
    if (size < 0 || size > greatest) {
      throw new IOException(
          "%d is more than the greatest possible number %d".formatted(size, greatest));
    }
    return (int) size;
  }

  long number() throws IOException {
    long value = count();
    return (value >>> 1) ^ -(value & 1);
  }

  double fraction() throws IOException {
    return Double.longBitsToDouble(in.readLong());
  }

  long digest() throws IOException {
    return in.readLong();
  }

  String text() throws IOException {
    return renaming.apply(exactText());
  }

  /** Returns what is read in place of a text. */
  String renamed(String text) {
    return renaming.apply(text);
  }

  /** Reads a text that is never replaced, such as the name of a class. */
  String exactText() throws IOException {
    int reference = size(BinaryOutput.TEXTS);
    if (reference > 0) {
      return known(texts[reference - 1]);
    }
    byte[] bytes = in.readNBytes(size(LONGEST_TEXT));
    String value = new String(bytes, StandardCharsets.UTF_8);
    texts[BinaryOutput.place(value.hashCode(), BinaryOutput.TEXTS)] = value;
    return value;
  }

  private static <T> T known(@Nullable T value) throws IOException {
    if (value == null) {
      throw new EOFException("a reference to nothing");
    }
    return value;
  }

  /** Reads the content of an object. */
  @FunctionalInterface
  interface Content {
    Object read() throws IOException;
  }

  Object object(Content content) throws IOException {
    int reference = size(BinaryOutput.OBJECTS);
    if (reference > 0) {
      return known(objects[reference - 1]);
    }
    int place = size(BinaryOutput.OBJECTS);
    Object value = content.read();
    objects[place] = value;
    return value;
  }

  /** Reads the number of a class, and its definition when it is first used. */
  Object type(Content definition) throws IOException {
    int number = size(types.size());
    if (number > 0) {
      return types.get(number - 1);
    }
    // The definitions inside this one were written before its number was given.
    Object type = definition.read();
    types.add(type);
    return type;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
