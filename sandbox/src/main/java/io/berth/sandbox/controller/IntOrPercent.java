package io.berth.sandbox.controller;

/** Resolution of an absolute number or a percentage of a total. */
final class IntOrPercent {
  private IntOrPercent() {}

  static int of(String value, int total, boolean roundUp) {
    if (!value.endsWith("%")) {
      return Integer.parseInt(value);
    }
    long scaled = (long) Integer.parseInt(value.substring(0, value.length() - 1)) * total;
    return (int) (roundUp ? Math.ceilDiv(scaled, 100) : scaled / 100);
  }
}
