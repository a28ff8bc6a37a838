package io.berth.sandbox.http;

import java.nio.charset.StandardCharsets;

/**
 * The value of a Warning header as {@code NewWarningHeader} of k8s.io/apimachinery writes it: a
 * quoted string of raw UTF-8 in which quotes and backslashes are escaped and control characters are
 * omitted.
 */
final class WarningHeader {

  private WarningHeader() {}

  /**
   * Returns the header value with one character per UTF-8 byte, because the JDK's server writes
   * headers as ISO-8859-1.
   */
  static String of(String text) {
    StringBuilder value = new StringBuilder("299 - \"");
    text.codePoints()
        .filter(c -> Character.getType(c) != Character.CONTROL)
        .forEach(
            c -> {
              if (c == '"' || c == '\\') {
                value.append('\\');
              }
              value.appendCodePoint(c);
            });
    byte[] bytes = value.append('"').toString().getBytes(StandardCharsets.UTF_8);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
