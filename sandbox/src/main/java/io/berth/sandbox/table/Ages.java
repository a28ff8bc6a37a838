package io.berth.sandbox.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;

/** Ages and durations in the short format of kubectl, such as {@code 5m12s} and {@code 3d}. */
final class Ages {
  static final String UNKNOWN = "<unknown>";

  private Ages() {}

  static String age(JsonNode object, Instant now) {
    return since(object.path("metadata").path("creationTimestamp").asText(), now);
  }

  static String since(String timestamp, Instant now) {
    if (timestamp.isEmpty()) {
      return UNKNOWN;
    }
    try {
      return human(Duration.between(Instant.parse(timestamp), now));
    } catch (DateTimeParseException e) {
      return "<invalid>";
    }
  }

  /**
   * Formats a duration with one or two units. The thresholds are those of HumanDuration in
   * k8s.io/apimachinery.
   */
  static String human(Duration duration) {
    long seconds = duration.toSeconds();
    if (seconds < -1) {
      return "<invalid>";
    }
    if (seconds < 0) {
      return "0s";
    }
    if (seconds < 120) {
      return seconds + "s";
    }
    long minutes = seconds / 60;
    if (minutes < 10) {
      return two(minutes, "m", seconds % 60, "s");
    }
    if (minutes < 180) {
      return minutes + "m";
    }
    long hours = minutes / 60;
    if (hours < 8) {
      return two(hours, "h", minutes % 60, "m");
    }
    if (hours < 48) {
      return hours + "h";
    }
    long days = hours / 24;
    if (hours < 192) {
      return two(days, "d", hours % 24, "h");
    }
    if (days < 730) {
      return days + "d";
    }
    long years = days / 365;
    return years < 8 ? two(years, "y", days % 365, "d") : years + "y";
  }

  private static String two(long major, String majorUnit, long minor, String minorUnit) {
    return minor == 0 ? major + majorUnit : major + majorUnit + minor + minorUnit;
  }
}
