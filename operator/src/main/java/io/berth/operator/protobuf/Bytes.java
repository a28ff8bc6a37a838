package io.berth.operator.protobuf;

/**
 * A range of bytes, which are not copied.
 *
 * @param array an array that must not change
 * @param from the index of the first byte
 * @param length the number of bytes
 */
@SuppressWarnings("ArrayRecordComponent") // a range is never compared
public record Bytes(byte[] array, int from, int length) {

  /** Returns all bytes of an array. */
  static Bytes of(byte[] array) {
    return new Bytes(array, 0, array.length);
  }

  /** Returns a part of this range, given its start from the start of this range. */
  Bytes part(int start, int size) {
    return new Bytes(array, from + start, size);
  }
}
