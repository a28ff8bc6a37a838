package io.berth.operator.protobuf;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.berth.engine.kube.Timestamps;
import java.io.IOException;
import java.time.DateTimeException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A reader of a protobuf message, field by field. Not thread-safe.
 *
 * <p>In Go, a field that is not a pointer is written even if it is zero, while JSON omits it. The
 * methods whose names begin with "non" read such a field: they return null for zero.
 *
 * <p>All methods throw an {@link IOException} if the bytes are not a message, or if a field has
 * another type.
 */
final class MessageReader {
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int TIME_SECONDS = 1;
  private static final int QUANTITY_TEXT = 1;

  private final Bytes bytes;
  private final CodedInputStream in;
  private int tag;

  /** Reads the content of a message. */
  @FunctionalInterface
  interface Content<T> {
    T read(MessageReader in) throws IOException;
  }

  private MessageReader(Bytes bytes) {
    this.bytes = bytes;
    this.in = CodedInputStream.newInstance(bytes.array(), bytes.from(), bytes.length());
  }

  static MessageReader of(Bytes bytes) {
    return new MessageReader(bytes);
  }

  /** Returns the bytes of an embedded message or of a text; empty if there is no such field. */
  static Optional<Bytes> find(Bytes message, int number) throws IOException {
    MessageReader in = of(message);
    while (in.next()) {
      if (in.field() == number) {
        return Optional.of(in.embedded());
      }
      in.skip();
    }
    return Optional.empty();
  }

  /** Advances to the next field; returns false at the end of the message. */
  boolean next() throws IOException {
    tag = in.readTag();
    return tag != 0;
  }

  /** The number of the current field. */
  int field() {
    return WireFormat.getTagFieldNumber(tag);
  }

  void skip() throws IOException {
    in.skipField(tag);
  }

  <T> T message(Content<T> content) throws IOException {
    expect(WireFormat.WIRETYPE_LENGTH_DELIMITED);
    int outer = in.pushLimit(in.readRawVarint32());
    T read = content.read(this);
    in.checkLastTagWas(0);
    in.popLimit(outer);
    return read;
  }

  /** Returns the bytes of an embedded message without reading it. */
  Bytes embedded() throws IOException {
    expect(WireFormat.WIRETYPE_LENGTH_DELIMITED);
    int length = in.readRawVarint32();
    Bytes embedded = bytes.part(in.getTotalBytesRead(), length);
    in.skipRawBytes(length);
    return embedded;
  }

  String text() throws IOException {
    expect(WireFormat.WIRETYPE_LENGTH_DELIMITED);
    return in.readString();
  }

  @Nullable String nonEmpty() throws IOException {
    String text = text();
    return text.isEmpty() ? null : text;
  }

  /**
   * Reads the rest of the message.
   *
   * @return the text of the field with this number; null if there is none or it is empty
   */
  @Nullable String onlyText(int number) throws IOException {
    String text = null;
    while (next()) {
      if (field() == number) {
        text = nonEmpty();
      } else {
        skip();
      }
    }
    return text;
  }

  boolean bool() throws IOException {
    return int64() != 0;
  }

  @Nullable Boolean nonFalse() throws IOException {
    return bool() ? true : null;
  }

  long int64() throws IOException {
    expect(WireFormat.WIRETYPE_VARINT);
    return in.readInt64();
  }

  int int32() throws IOException {
    return (int) int64();
  }

  @Nullable Integer nonZero() throws IOException {
    int number = int32();
    return number == 0 ? null : number;
  }

  /** Returns a Time in the format of its JSON encoding; null for the zero time. */
  @Nullable String nonZeroTime() throws IOException {
    return message(
        time -> {
          boolean empty = true;
          long seconds = 0;
          while (time.next()) {
            empty = false;
            if (time.field() == TIME_SECONDS) {
              seconds = time.int64();
            } else {
              time.skip(); // the JSON encoding has no nanoseconds either
            }
          }
          try {
            return empty ? null : Timestamps.text(seconds);
          } catch (DateTimeException e) {
            throw new IOException(seconds + " seconds is not a valid time", e);
          }
        });
  }

  /** Returns the text of a Quantity. */
  String quantity() throws IOException {
    String text = message(quantity -> quantity.onlyText(QUANTITY_TEXT));
    return text == null ? "0" : text;
  }

  /** Adds an entry of a map from strings to strings. */
  void entry(Map<String, String> map) throws IOException {
    entry(map, "", MessageReader::text);
  }

  /** Adds an entry of a map; an entry without a value gets {@code zero}. */
  <V> void entry(Map<String, V> map, V zero, Content<V> content) throws IOException {
    message(
        entry -> {
          String key = "";
          V value = zero;
          while (entry.next()) {
            switch (entry.field()) {
              // Keys are the same in most pods, which are kept in memory.
              case KEY -> key = entry.text().intern();
              case VALUE -> value = content.read(entry);
              default -> entry.skip();
            }
          }
          return map.put(key, value);
        });
  }

  private void expect(int wireType) throws IOException {
    if (WireFormat.getTagWireType(tag) != wireType) {
      throw new IOException(
          "field %d of a message has wire type %d instead of %d"
              .formatted(field(), WireFormat.getTagWireType(tag), wireType));
    }
  }
}
