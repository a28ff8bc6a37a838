package io.berth.webhook.error;

/** Quotes user input for messages: truncates it, and escapes invisible characters. */
public final class Quoted {

  private static final int LONGEST = 80;

  private Quoted() {}

  /**
   * Quotes a name that should be ASCII; all other characters are escaped, so that look-alike
   * letters of other alphabets are visible.
   */
  public static String name(String text) {
    return quoted(text, true);
  }

  /**
   * Quotes a value; control characters, direction marks, lone surrogates, and other invisible
   * characters are escaped.
   */
  public static String value(String text) {
    return quoted(text, false);
  }

  /**
   * Returns whether a character is invisible or changes the display of adjacent characters. A plain
   * space counts as visible.
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
