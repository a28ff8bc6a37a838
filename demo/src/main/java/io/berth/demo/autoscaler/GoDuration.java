package io.berth.demo.autoscaler;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations in annotations that autoscalers read: {@code 90s}, {@code 1m30s}, {@code 1.5h}.
 *
 * @see <a href="https://pkg.go.dev/time#ParseDuration">time.ParseDuration</a>
 */
final class GoDuration {
  private static final String NUMBER = "([0-9]{1,18}\\.?[0-9]{0,18}|\\.[0-9]{1,18})";
  private static final String UNIT = "(ns|us|µs|ms|s|m|h)";
  private static final Pattern WHOLE = Pattern.compile("([-+]?)((?:" + NUMBER + UNIT + ")+|0)");
  private static final Pattern PART = Pattern.compile(NUMBER + UNIT);
  private static final int LONGEST_TEXT = 64;
  private static final BigDecimal MAXIMUM = BigDecimal.valueOf(Long.MAX_VALUE);
  private static final Map<String, BigDecimal> NANOS =
      Map.of(
          "ns", BigDecimal.ONE,
          "us", BigDecimal.valueOf(1_000),
          "µs", BigDecimal.valueOf(1_000),
          "ms", BigDecimal.valueOf(1_000_000),
          "s", BigDecimal.valueOf(1_000_000_000L),
          "m", BigDecimal.valueOf(60_000_000_000L),
          "h", BigDecimal.valueOf(3_600_000_000_000L));

  private GoDuration() {}

  /** Returns the duration; empty if the text is none, or longer than about 292 years. */
  static Optional<Duration> read(String text) {
    if (text.length() > LONGEST_TEXT) {
      return Optional.empty();
    }
    Matcher whole = WHOLE.matcher(text);
    if (!whole.matches()) {
      return Optional.empty();
    }
    BigDecimal sum = BigDecimal.ZERO;
    Matcher part = PART.matcher(whole.group(2));
    while (part.find()) {
      sum = sum.add(new BigDecimal(part.group(1)).multiply(NANOS.get(part.group(2))));
    }
    if (sum.compareTo(MAXIMUM) > 0) {
      return Optional.empty();
    }
    Duration found = Duration.ofNanos(sum.longValue());
    return Optional.of(whole.group(1).equals("-") ? found.negated() : found);
  }
}
