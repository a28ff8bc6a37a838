package io.berth.engine.kube;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;

/**
 * Times of API objects as text: RFC 3339. API servers write them in UTC and without fractions, for
 * example {@code 2026-01-31T08:15:00Z}. This form is read and written without the JDK's formatters,
 * which cost more than the rest of a pod's metadata. All others are left to the JDK.
 */
public final class Timestamps {
  private static final String FORM = "0000-00-00T00:00:00Z";
  private static final int SECONDS_PER_DAY = 86_400;
  private static final int LAST_YEAR = 9_999;

  private Timestamps() {}

  /**
   * Returns the time that a text states.
   *
   * @throws DateTimeParseException if it is not a time
   */
  public static Instant parse(String text) {
    if (!hasUsualForm(text)) {
      return Instant.parse(text);
    }
    int hour = number(text, 11, 2);
    int minute = number(text, 14, 2);
    int second = number(text, 17, 2);
    if (hour > 23 || minute > 59 || second > 59) {
      return Instant.parse(text);
    }
    try {
      LocalDate day = LocalDate.of(number(text, 0, 4), number(text, 5, 2), number(text, 8, 2));
      return Instant.ofEpochSecond(
          day.toEpochDay() * SECONDS_PER_DAY + (hour * 60L + minute) * 60 + second);
    } catch (DateTimeException e) {
      throw new DateTimeParseException("not a day: " + text, text, 0, e);
    }
  }

  /**
   * Returns the text of a time.
   *
   * @param seconds the seconds since 1970-01-01T00:00:00Z
   * @throws DateTimeException if it is more than a billion years away
   */
  public static String text(long seconds) {
    Instant instant = Instant.ofEpochSecond(seconds);
    LocalDateTime time = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    if (time.getYear() < 0 || time.getYear() > LAST_YEAR) {
      return instant.toString();
    }
    char[] text = FORM.toCharArray();
    put(text, 0, 4, time.getYear());
    put(text, 5, 2, time.getMonthValue());
    put(text, 8, 2, time.getDayOfMonth());
    put(text, 11, 2, time.getHour());
    put(text, 14, 2, time.getMinute());
    put(text, 17, 2, time.getSecond());
    return new String(text);
  }

  private static boolean hasUsualForm(String text) {
    if (text.length() != FORM.length()) {
      return false;
    }
    for (int i = 0; i < FORM.length(); i++) {
      char there = text.charAt(i);
      boolean fits = FORM.charAt(i) == '0' ? there >= '0' && there <= '9' : there == FORM.charAt(i);
      if (!fits) {
        return false;
      }
    }
    return true;
  }

  private static int number(String text, int from, int digits) {
    int number = 0;
    for (int i = from; i < from + digits; i++) {
      number = 10 * number + text.charAt(i) - '0';
    }
    return number;
  }

  private static void put(char[] text, int from, int digits, int number) {
    int left = number;
    for (int i = from + digits - 1; i >= from; i--) {
      text[i] = (char) ('0' + left % 10);
      left /= 10;
    }
  }
}
