package io.berth.engine.state;

import java.util.Arrays;

/**
 * A column of numbers that takes one byte for each, as long as all of them fit. A greater number
 * makes the column wider, with two or four bytes each: most columns of a plan have a few small
 * numbers, and plans are kept for thousands of shapes.
 */
public final class NarrowColumn {
  private static final byte[] NO_BYTES = {};
  private static final short[] NO_SHORTS = {};
  private static final int[] NO_INTS = {};

  /** The numbers; only the array of the current width is used, the others are empty. */
  private byte[] bytes = NO_BYTES;

  private short[] shorts = NO_SHORTS;
  private int[] ints = NO_INTS;

  /** The number of bytes for each number: 1, 2 or 4. */
  private int width = 1;

  private int length;

  /** Returns the number of numbers. */
  public int length() {
    return length;
  }

  /** Returns one of the numbers. */
  public int get(int at) {
    if (width == 1) {
      return bytes[at];
    }
    return width == 2 ? shorts[at] : ints[at];
  }

  /** Sets one of the numbers. */
  public void set(int at, int number) {
    if (width == 1) {
      if (number == (byte) number) {
        bytes[at] = (byte) number;
        return;
      }
      widen(number);
    }
    if (width == 2) {
      if (number == (short) number) {
        shorts[at] = (short) number;
        return;
      }
      widen(number);
    }
    ints[at] = number;
  }

  /** Sets the numbers of a range to the same one. */
  public void fill(int from, int to, int number) {
    if (number != (byte) number && width < 4) {
      widen(number);
    }
    if (width == 1) {
      Arrays.fill(bytes, from, to, (byte) number);
    } else if (width == 2) {
      Arrays.fill(shorts, from, to, (short) number);
    } else {
      Arrays.fill(ints, from, to, number);
    }
  }

  /** Ensures that there are at least this many numbers; new ones are 0. */
  public void grow(int wanted) {
    if (wanted <= length) {
      return;
    }
    length = wanted;
    if (width == 1) {
      bytes = Arrays.copyOf(bytes, wanted);
    } else if (width == 2) {
      shorts = Arrays.copyOf(shorts, wanted);
    } else {
      ints = Arrays.copyOf(ints, wanted);
    }
  }

  /** Removes all numbers. */
  public void clear() {
    length = 0;
    width = 1;
    bytes = NO_BYTES;
    shorts = NO_SHORTS;
    ints = NO_INTS;
  }

  /** Returns whether the numbers of a range are all equal. */
  public boolean isUniform(int from, int to) {
    // Compares the numbers with their successors, which the JVM does many at a time.
    if (width == 1) {
      return Arrays.equals(bytes, from, to - 1, bytes, from + 1, to);
    }
    return width == 2
        ? Arrays.equals(shorts, from, to - 1, shorts, from + 1, to)
        : Arrays.equals(ints, from, to - 1, ints, from + 1, to);
  }

  /** Adds the weighted numbers, from the first on, to a column of sums. */
  public void addTo(int[] sums, int count, int weight) {
    if (width == 1) {
      for (int at = 0; at < count; at++) {
        sums[at] += weight * bytes[at];
      }
    } else if (width == 2) {
      for (int at = 0; at < count; at++) {
        sums[at] += weight * shorts[at];
      }
    } else {
      for (int at = 0; at < count; at++) {
        sums[at] += weight * ints[at];
      }
    }
  }

  private void widen(int number) {
    if (width == 1 && number == (short) number) {
      shorts = new short[length];
      for (int at = 0; at < length; at++) {
        shorts[at] = bytes[at];
      }
      width = 2;
    } else {
      int[] wider = new int[length];
      for (int at = 0; at < length; at++) {
        wider[at] = get(at);
      }
      ints = wider;
      shorts = NO_SHORTS;
      width = 4;
    }
    bytes = NO_BYTES;
  }

  /** Returns its memory in bytes. */
  public long bytes() {
    return 60L + (long) width * length;
  }
}
