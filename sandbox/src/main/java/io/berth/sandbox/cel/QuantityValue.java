package io.berth.sandbox.cel;

import java.math.BigDecimal;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A resource quantity such as {@code 100m} or {@code 2Gi}, as an exact number. */
public final class QuantityValue {
  private static final Pattern FORM =
      Pattern.compile(
          "([+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+))"
              + "(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?[0-9]+)?");
  private static final String DECIMAL = "kMGTPE";
  private static final String BINARY = "KMGTPE";

  private QuantityValue() {}

  /** The number that a text stands for; empty where it is no quantity. */
  public static Optional<BigDecimal> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    BigDecimal number = new BigDecimal(matcher.group(1));
    String suffix = matcher.group(2);
    return Optional.of(suffix == null ? number : scaled(number, suffix));
  }

  private static BigDecimal scaled(BigDecimal number, String suffix) {
    if (suffix.endsWith("i")) {
      return number.multiply(BigDecimal.valueOf(1024).pow(BINARY.indexOf(suffix.charAt(0)) + 1));
    }
    return switch (suffix) {
      case "n" -> number.movePointLeft(9);
      case "u" -> number.movePointLeft(6);
      case "m" -> number.movePointLeft(3);
      default ->
          suffix.length() == 1
              ? number.movePointRight(3 * (DECIMAL.indexOf(suffix.charAt(0)) + 1))
              : number.scaleByPowerOfTen(Integer.parseInt(suffix.substring(1)));
    };
  }
}
