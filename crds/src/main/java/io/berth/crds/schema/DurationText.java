package io.berth.crds.schema;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Kubernetes objects write them: {@code 90s}, {@code 1h30m}, {@code 250ms}. */
public final class DurationText {
  /** The pattern of a duration, for schemas: integers, each with its unit. */
  public static final String PATTERN = "^([0-9]{1,9}(ms|s|m|h))+$";

  private static final Pattern WHOLE = Pattern.compile(PATTERN);
  private static final Pattern PART = Pattern.compile("([0-9]+)(ms|s|m|h)");
  private static final Map<String, Duration> UNITS =
      Map.of(
          "ms", Duration.ofMillis(1),
          "s", Duration.ofSeconds(1),
          "m", Duration.ofMinutes(1),
          "h", Duration.ofHours(1));
  private static final int LONGEST_TEXT = 64;

  /** The longest duration, about a hundred years: any sum with a time of today is a valid time. */
  public static final Duration LONGEST = Duration.ofDays(36_500);

  private DurationText() {}

  /**
   * Returns the duration; empty if the text is not a valid duration. A longer one than {@link
   * #LONGEST} is read as this one.
   */
  public static Optional<Duration> read(String text) {
    if (text.length() > LONGEST_TEXT || !WHOLE.matcher(text).matches()) {
      return Optional.empty();
    }
    Duration sum = Duration.ZERO;
    Matcher part = PART.matcher(text);
    while (part.find()) {
      sum = sum.plus(UNITS.get(part.group(2)).multipliedBy(Long.parseLong(part.group(1))));
    }
    return Optional.of(sum.compareTo(LONGEST) < 0 ? sum : LONGEST);
  }
}
