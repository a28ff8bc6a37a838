package io.berth.sandbox.kubelet;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parsing of durations in Go notation, such as {@code 1h30m}, {@code 5s}, and {@code 300ms}. */
final class Durations {
  private static final Pattern PART = Pattern.compile("([0-9]+)(ms|s|m|h)");

  private Durations() {}

  /** Returns the sum of the duration's parts. Text that is not a duration is ignored. */
  static Duration parse(String text) {
    Duration sum = Duration.ZERO;
    Matcher parts = PART.matcher(text);
    while (parts.find()) {
      long count = Long.parseLong(parts.group(1));
      sum =
          sum.plus(
              switch (parts.group(2)) {
                case "ms" -> Duration.ofMillis(count);
                case "s" -> Duration.ofSeconds(count);
                case "m" -> Duration.ofMinutes(count);
                default -> Duration.ofHours(count);
              });
    }
    return sum;
  }
}
