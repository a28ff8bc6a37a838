package io.berth.engine.quantity;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * A parser for one quantity. Numbers of up to 18 digits, which includes all practical ones, are
 * parsed with long arithmetic only.
 */
final class QuantityReader {
  private static final int MAX_LENGTH = 128;
  private static final int LONG_DIGITS = 18;
  private static final int NANO_DIGITS = 9;
  private static final long[] POWERS_OF_TEN = new long[LONG_DIGITS + 1];

  static {
    POWERS_OF_TEN[0] = 1;
    for (int i = 1; i < POWERS_OF_TEN.length; i++) {
      POWERS_OF_TEN[i] = POWERS_OF_TEN[i - 1] * 10;
    }
  }

  private final String text;
  private int position;

  /** The digits as one number, valid while {@link #digits} does not exceed {@link #LONG_DIGITS}. */
  private long mantissa;

  /** The number of digits from the first nonzero one. */
  private int digits;

  /** The number of digits after the decimal point. */
  private int decimals;

  /** The number is mantissa · 10^(exponent10 - decimals) · 2^exponent2. */
  private int exponent10;

  private int exponent2;

  QuantityReader(String text) {
    this.text = text;
  }

  ExactQuantity read() {
    if (text.isEmpty() || text.length() > MAX_LENGTH) {
      throw new QuantityFormatException(
          "a quantity has 1 to " + MAX_LENGTH + " characters, this one has " + text.length());
    }
    boolean negative = text.charAt(0) == '-';
    if (negative || text.charAt(0) == '+') {
      position++;
    }
    int numberStart = position;
    readNumber();
    int numberEnd = position;
    readSuffix();
    if (digits == 0) {
      return ExactQuantity.ZERO;
    }
    if (negative) {
      throw new QuantityFormatException("quantity '" + text + "' is negative");
    }
    return digits <= LONG_DIGITS
        ? fromLong()
        : fromDecimal(new BigDecimal(text.substring(numberStart, numberEnd)));
  }

  private void readNumber() {
    boolean point = false;
    boolean anyDigit = false;
    for (; position < text.length(); position++) {
      char c = text.charAt(position);
      if (c == '.' && !point) {
        point = true;
      } else if (c >= '0' && c <= '9') {
        anyDigit = true;
        if (digits > 0 || c != '0') {
          digits++;
        }
        mantissa = digits <= LONG_DIGITS ? mantissa * 10 + (c - '0') : mantissa;
        decimals += point ? 1 : 0;
      } else {
        break;
      }
    }
    if (!anyDigit) {
      throw malformed();
    }
  }

  private void readSuffix() {
    String suffix = text.substring(position);
    if (suffix.length() > 1
        && (suffix.charAt(0) == 'e' || suffix.charAt(0) == 'E')
        && suffix.charAt(1) != 'i') {
      exponent10 = decimalExponent(suffix.substring(1));
      return;
    }
    switch (suffix) {
      case "n" -> exponent10 = -9;
      case "u" -> exponent10 = -6;
      case "m" -> exponent10 = -3;
      case "" -> exponent10 = 0;
      case "k" -> exponent10 = 3;
      case "M" -> exponent10 = 6;
      case "G" -> exponent10 = 9;
      case "T" -> exponent10 = 12;
      case "P" -> exponent10 = 15;
      case "E" -> exponent10 = 18;
      case "Ki" -> exponent2 = 10;
      case "Mi" -> exponent2 = 20;
      case "Gi" -> exponent2 = 30;
      case "Ti" -> exponent2 = 40;
      case "Pi" -> exponent2 = 50;
      case "Ei" -> exponent2 = 60;
      default -> throw malformed();
    }
  }

  private int decimalExponent(String signed) {
    boolean digitsOnly = signed.matches("[+-]?[0-9]{1,9}");
    if (!digitsOnly) {
      throw malformed();
    }
    return Integer.parseInt(signed);
  }

  private QuantityFormatException malformed() {
    return new QuantityFormatException(
        "'"
            + text
            + "' is not a quantity: write a decimal number, optionally with one of n, u, m, k, M,"
            + " G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei or an exponent such as e3");
  }

  private ExactQuantity fromLong() {
    if (exponent2 > 0 && (decimals > LONG_DIGITS || mantissa > Long.MAX_VALUE >> exponent2)) {
      return decimals == 0
          ? ExactQuantity.MAX
          : fromDecimal(BigDecimal.valueOf(mantissa, decimals));
    }
    long number = mantissa << exponent2;
    int power = exponent10 - decimals;
    if (power >= 0) {
      return power > LONG_DIGITS || number > Long.MAX_VALUE / POWERS_OF_TEN[power]
          ? ExactQuantity.MAX
          : ExactQuantity.ofUnits(number * POWERS_OF_TEN[power]);
    }
    int places = -power;
    if (places > LONG_DIGITS) {
      return new ExactQuantity(0, (int) divideUp(number, places - NANO_DIGITS));
    }
    long whole = number / POWERS_OF_TEN[places];
    long rest = number % POWERS_OF_TEN[places];
    long nanos =
        places <= NANO_DIGITS
            ? rest * POWERS_OF_TEN[NANO_DIGITS - places]
            : divideUp(rest, places - NANO_DIGITS);
    return nanos == ExactQuantity.NANOS_PER_UNIT
        ? ExactQuantity.ofUnits(whole + 1)
        : new ExactQuantity(whole, (int) nanos);
  }

  private static long divideUp(long number, int power) {
    if (power > LONG_DIGITS) {
      return number > 0 ? 1 : 0;
    }
    long divisor = POWERS_OF_TEN[power];
    return number / divisor + (number % divisor == 0 ? 0 : 1);
  }

  private ExactQuantity fromDecimal(BigDecimal number) {
    if (exponent10 > 2 * LONG_DIGITS + MAX_LENGTH) {
      return ExactQuantity.MAX;
    }
    if (exponent10 < -2 * LONG_DIGITS - MAX_LENGTH) {
      return new ExactQuantity(0, 1);
    }
    BigInteger nanos =
        number
            .scaleByPowerOfTen(exponent10 + NANO_DIGITS)
            .multiply(new BigDecimal(BigInteger.TWO.pow(exponent2)))
            .setScale(0, RoundingMode.UP)
            .toBigIntegerExact();
    BigInteger[] parts = nanos.divideAndRemainder(BigInteger.valueOf(ExactQuantity.NANOS_PER_UNIT));
    return parts[0].bitLength() > Long.SIZE - 1
        ? ExactQuantity.MAX
        : new ExactQuantity(parts[0].longValue(), parts[1].intValue());
  }
}
