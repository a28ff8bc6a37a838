package io.berth.engine;

import java.util.List;

/**
 * Texts of a bounded length for conditions, events and log lines. What is in them comes from
 * objects that anybody may write, and the API server refuses statuses and events that are too long.
 */
public final class BoundedText {
  /** The longest text, in characters. */
  public static final int LONGEST = 4_096;

  /** The length up to which a list is written out, in characters. */
  private static final int LONGEST_LIST = 2_048;

  private BoundedText() {}

  /** The text, or its beginning. */
  public static String cut(String text) {
    return cut(text, LONGEST);
  }

  private static String cut(String text, int longest) {
    if (text.length() <= longest) {
      return text;
    }
    int end = longest - 3;
    return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end)
        + "...";
  }

  /** The parts, separated by commas: all of a short list, else the first and how many more. */
  public static String list(List<String> parts) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < parts.size(); i++) {
      String part = parts.get(i);
      if (i > 0 && text.length() + part.length() + 2 > LONGEST_LIST) {
        return text.append(" and ").append(parts.size() - i).append(" more").toString();
      }
      text.append(i == 0 ? "" : ", ").append(cut(part, LONGEST_LIST));
    }
    return text.toString();
  }
}
