package io.berth.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Columns of numbers that are as wide as their greatest number. */
class NarrowColumnTest {
  private static final int LENGTH = 1_000;

  private final NarrowColumn column = new NarrowColumn();

  @Test
  void takesOneByteEach_untilANumberDoesNotFit() {
    column.grow(LENGTH);
    long empty = column.bytes();

    column.set(3, 127);
    column.set(4, -128);
    assertThat(column.bytes()).isEqualTo(empty);
    column.set(5, 128);
    assertThat(column.bytes()).isEqualTo(empty + LENGTH);
    column.set(6, Short.MIN_VALUE - 1);
    assertThat(column.bytes()).isEqualTo(empty + 3 * LENGTH);

    assertThat(new int[] {column.get(3), column.get(4), column.get(5), column.get(6)})
        .containsExactly(127, -128, 128, Short.MIN_VALUE - 1);
    column.clear();
    column.grow(LENGTH);
    assertThat(column.bytes()).isEqualTo(empty);
    assertThat(column.get(3)).isZero();
  }

  @Test
  void equalsAnArray_whateverTheNumbersAre() {
    Random random = new Random(7);
    for (int bits : new int[] {5, 8, 9, 15, 16, 17, 32}) {
      column.clear();
      column.grow(LENGTH / 2);
      column.grow(LENGTH);
      int[] expected = new int[LENGTH];
      for (int i = 0; i < 5 * LENGTH; i++) {
        int at = random.nextInt(LENGTH);
        expected[at] = random.nextInt() >> (32 - bits);
        column.set(at, expected[at]);
      }
      int filled = random.nextInt() >> (32 - bits);
      column.fill(64, 128, filled);
      Arrays.fill(expected, 64, 128, filled);

      int[] sums = new int[LENGTH];
      column.addTo(sums, LENGTH, 3);
      for (int at = 0; at < LENGTH; at++) {
        assertThat(column.get(at)).isEqualTo(expected[at]);
        assertThat(sums[at]).isEqualTo(3 * expected[at]);
      }
      assertThat(column.isUniform(64, 128)).isTrue();
      column.set(100, filled + 1);
      assertThat(column.isUniform(64, 128)).isFalse();
    }
  }
}
