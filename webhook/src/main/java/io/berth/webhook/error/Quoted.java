package io.berth.webhook.error;

/**
 * Quotes what a user wrote for messages: cut to a bearable length, and with every invisible
 * character escaped.
 */
public final class Quoted {

  private static final int LONGEST = 80;

  private Quoted() {}

  /**
   * A name that should be ASCII: everything else is escaped, so that letters of another alphabet
   * stand out.
   */
  public static String name(String text) {
    return quoted(text, true);
  }

  /** A value: control characters, direction marks, lone surrogates and the like are escaped. */
  public static String value(String text) {
    return quoted(text, false);
  }

  /**
   * Returns whether a character leaves no visible mark, or changes how its neighbours are shown. A
   * space does not count.
   */
  public static boolean isInvisible(int codePoint) {
    if (codePoint == ' ') {
      return false;
    }
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SPACE_SEPARATOR ->
          true;
      default -> false;
    };
  }

  private static String quoted(String text, boolean asciiOnly) {
    StringBuilder shown = new StringBuilder(Math.min(text.length(), LONGEST) + 8).append('"');
    int index = 0;
    while (index < text.length() && shown.length() <= LONGEST) {
      int codePoint = text.codePointAt(index);
      if (codePoint == '"' || codePoint == '\\') {
        shown.append('\\').append((char) codePoint);
      } else if (isInvisible(codePoint) || (asciiOnly && codePoint > '~')) {
        shown.append(String.format("\\u%04x", codePoint));
      } else {
        shown.appendCodePoint(codePoint);
      }
      index += Character.charCount(codePoint);
    }
    return index < text.length()
        ? shown.append("...\" (" + text.length() + " characters)").toString()
        : shown.append('"').toString();
  }
}
