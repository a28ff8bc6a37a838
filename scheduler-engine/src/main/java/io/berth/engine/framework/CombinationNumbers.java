package io.berth.engine.framework;

import java.util.Arrays;

/**
 * Numbers for combinations of numbers. Equal combinations have the same number; numbers are
 * assigned from 0. Combinations are only forgotten all at once.
 */
public final class CombinationNumbers {
  private static final int LEAST_PLACES = 16;

  private final int width;
  private int[] parts;

  /** The number plus one, 0 for a free entry; open addressing. */
  private int[] places = new int[LEAST_PLACES];

  private int size;

  /**
   * @param width the number of numbers in a combination
   */
  public CombinationNumbers(int width) {
    this.width = width;
    this.parts = new int[width * LEAST_PLACES / 2];
  }

  /** Returns the number of the combination, and assigns a new one if it was not seen before. */
  public int numberOf(int[] combination) {
    int mask = places.length - 1;
    int at = hash(combination, 0) & mask;
    for (; places[at] != 0; at = at + 1 & mask) {
      if (is(places[at] - 1, combination)) {
        return places[at] - 1;
      }
    }
    int number = size++;
    places[at] = number + 1;
    if (parts.length < size * width) {
      parts = Arrays.copyOf(parts, 2 * size * width);
    }
    System.arraycopy(combination, 0, parts, number * width, width);
    if (size * 2 > places.length) {
      rehash();
    }
    return number;
  }

  /** Returns whether the combination has this number. */
  public boolean is(int number, int[] combination) {
    for (int i = 0; i < width; i++) {
      if (parts[number * width + i] != combination[i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns one part of a combination. */
  public int part(int number, int at) {
    return parts[number * width + at];
  }

  /** Returns the number of combinations. */
  public int size() {
    return size;
  }

  /** Forgets all combinations. */
  public void clear() {
    Arrays.fill(places, 0);
    size = 0;
  }

  /** Returns its memory in bytes. */
  public long bytes() {
    return 80L + 4L * parts.length + 4L * places.length;
  }

  private void rehash() {
    places = new int[places.length * 2];
    int mask = places.length - 1;
    for (int number = 0; number < size; number++) {
      int at = hash(parts, number * width) & mask;
      while (places[at] != 0) {
        at = at + 1 & mask;
      }
      places[at] = number + 1;
    }
  }

  private int hash(int[] numbers, int from) {
    int hash = 0;
    for (int i = 0; i < width; i++) {
      hash = (hash ^ numbers[from + i]) * 0x9E3779B9;
    }
    return hash ^ hash >>> 15;
  }
}
