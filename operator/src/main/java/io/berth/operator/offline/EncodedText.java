package io.berth.operator.offline;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Decodes the bytes of text files: UTF-8, or UTF-16 with a byte order mark. */
final class EncodedText {
  private EncodedText() {}

  /**
   * Decodes a file.
   *
   * @param source the name of the file in messages
   * @throws UnreadableFileException if the bytes are not text of the encoding
   */
  static String decode(String source, byte[] bytes) throws UnreadableFileException {
    if (startsWith(bytes, 0xEF, 0xBB, 0xBF)) {
      return decode(source, bytes, 3, StandardCharsets.UTF_8);
    }
    if (startsWith(bytes, 0xFF, 0xFE)) {
      return decode(source, bytes, 2, StandardCharsets.UTF_16LE);
    }
    if (startsWith(bytes, 0xFE, 0xFF)) {
      return decode(source, bytes, 2, StandardCharsets.UTF_16BE);
    }
    return decode(source, bytes, 0, StandardCharsets.UTF_8);
  }

  private static boolean startsWith(byte[] bytes, int... mark) {
    if (bytes.length < mark.length) {
      return false;
    }
    for (int i = 0; i < mark.length; i++) {
      if ((bytes[i] & 0xFF) != mark[i]) {
        return false;
      }
    }
    return true;
  }

  private static String decode(String source, byte[] bytes, int start, Charset charset)
      throws UnreadableFileException {
    ByteBuffer in = ByteBuffer.wrap(bytes, start, bytes.length - start);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    CoderResult result =
        charset
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT)
            .decode(in, out, true);
    if (result.isError()) {
      long line = 1 + out.flip().chars().filter(each -> each == '\n').count();
      throw new UnreadableFileException(
          "%s, line %d: the bytes are not %s: save the file as UTF-8"
              .formatted(source, line, charset.name()));
    }
    return out.flip().toString();
  }
}
