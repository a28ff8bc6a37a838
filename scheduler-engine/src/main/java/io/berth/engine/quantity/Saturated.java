package io.berth.engine.quantity;

/** Arithmetic of amounts that nobody has checked: what is too large is the largest number. */
public final class Saturated {
  private Saturated() {}

  /** Returns the sum of an amount and one that is not negative. */
  public static long sum(long amount, long more) {
    return amount > Long.MAX_VALUE - more ? Long.MAX_VALUE : amount + more;
  }

  /** Returns a multiple of an amount that is not negative. */
  public static long product(long amount, int count) {
    return count > 0 && amount > Long.MAX_VALUE / count ? Long.MAX_VALUE : amount * count;
  }
}
