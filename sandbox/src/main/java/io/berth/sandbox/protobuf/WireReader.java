package io.berth.sandbox.protobuf;

import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads one protobuf message field by field: {@link #next} moves to a field, then one of the other
 * methods takes its value.
 */
final class WireReader {
  static final int VARINT = 0;
  static final int LENGTH_DELIMITED = 2;
  private static final int FIXED64 = 1;
  private static final int FIXED32 = 5;
  private static final int LONGEST_VARINT_BITS = 64;

  private final byte[] bytes;
  private final int end;
  private int position;
  private int number;
  private int wireType;

  WireReader(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
  }

  /** Returns whether there is another field; if so, it is the current one. */
  boolean next() {
    if (position >= end) {
      return false;
    }
    long tag = varint();
    number = (int) (tag >>> 3);
    wireType = (int) (tag & 7);
    return true;
  }

  boolean more() {
    return position < end;
  }

  int number() {
    return number;
  }

  int wireType() {
    return wireType;
  }

  long varint() {
    long value = 0;
    for (int shift = 0; shift < LONGEST_VARINT_BITS; shift += 7) {
      if (position >= end) {
        throw malformed("it ends within a number");
      }
      byte b = bytes[position++];
      value |= (b & 0x7FL) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw malformed("a number is longer than 64 bits");
  }

  /** The message, or the packed numbers, in the current field. */
  WireReader message() {
    int length = length();
    WireReader inner = new WireReader(bytes, position, position + length);
    position += length;
    return inner;
  }

  byte[] bytes() {
    int length = length();
    byte[] copy = Arrays.copyOfRange(bytes, position, position + length);
    position += length;
    return copy;
  }

  String text() {
    int length = length();
    String text = new String(bytes, position, length, StandardCharsets.UTF_8);
    position += length;
    return text;
  }

  void skip() {
    switch (wireType) {
      case VARINT -> varint();
      case FIXED64 -> advance(Long.BYTES);
      case LENGTH_DELIMITED -> advance(length());
      case FIXED32 -> advance(Integer.BYTES);
      default -> throw malformed("wire type " + wireType + " is unknown");
    }
  }

  private int length() {
    if (wireType != LENGTH_DELIMITED) {
      throw malformed("field " + number + " has wire type " + wireType + " instead of 2");
    }
    long length = varint();
    if (length < 0 || length > end - position) {
      throw malformed("field " + number + " is longer than its message");
    }
    return (int) length;
  }

  private void advance(int count) {
    if (count > end - position) {
      throw malformed("field " + number + " is longer than its message");
    }
    position += count;
  }

  static ApiException malformed(String what) {
    return Failures.badRequest("the body is not the protobuf message it says it is: " + what);
  }
}
