package io.berth.engine.decision;

import java.util.List;

/**
 * Texts of bounded length for conditions, events and log lines. Their content comes from objects
 * that any user may write, and the API server rejects statuses and events that are too long.
 */
public final class BoundedText {
  /** The maximum length of a text, in characters. */
  public static final int LONGEST = 4_096;

  /** The maximum length of a list that is written in full, in characters. */
  private static final int LONGEST_LIST = 2_048;

  private BoundedText() {}

  /** Returns the text, truncated if it is too long. */
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

  /**
   * Returns the parts, separated by commas. A long list is cut after its first parts, followed by
   * the number of the others.
   */
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
