package io.berth.sandbox.schema;

import com.google.re2j.Pattern;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.Map;

/** The string formats that the API server validates. Unknown formats accept every string. */
final class Formats {
  private static final String OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
  private static final String IPV4 = OCTET + "(\\." + OCTET + "){3}";
  private static final Map<String, Pattern> PATTERNS =
      Map.of(
          "uuid",
          Pattern.compile("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$"),
          "ipv4",
          Pattern.compile("^" + IPV4 + "$"),
          "ipv6",
          Pattern.compile("^[0-9a-fA-F:]*:[0-9a-fA-F:.]*$"),
          "cidr",
          Pattern.compile("^(" + IPV4 + "|[0-9a-fA-F:]*:[0-9a-fA-F:.]*)/[0-9]{1,3}$"),
          "hostname",
          Pattern.compile("^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\\.[a-zA-Z0-9-]+)*\\.?$"),
          "email",
          Pattern.compile("^[^@\\s]+@[^@\\s]+$"),
          "duration",
          Pattern.compile("^[+-]?(0|([0-9]*\\.?[0-9]+(ns|us|µs|ms|s|m|h))+)$"));

  private Formats() {}

  static boolean accepts(String format, String text) {
    Pattern pattern = PATTERNS.get(format);
    if (pattern != null) {
      return pattern.matcher(text).matches();
    }
    try {
      switch (format) {
        case "date-time" -> OffsetDateTime.parse(text.replace(' ', 'T'));
        case "date" -> LocalDate.parse(text);
        case "byte" -> Base64.getDecoder().decode(text);
        default -> {
          return true;
        }
      }
      return true;
    } catch (DateTimeParseException | IllegalArgumentException e) {
      return false;
    }
  }
}
