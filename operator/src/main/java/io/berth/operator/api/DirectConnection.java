package io.berth.operator.api;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One open connection that carries one HTTP/1.1 request at a time. Not thread-safe. */
final class DirectConnection {

  private static final Logger LOG = LoggerFactory.getLogger(DirectConnection.class);
  private static final int LONGEST_LINE = 64 * 1024;
  private static final int LONGEST_BODY = 64 * 1024 * 1024;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private final byte[] buffer = new byte[8 * 1024];
  private int position;
  private int end;
  private boolean staysOpen = true;
  private long idleSince;

  DirectConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = socket.getInputStream();
    this.out = socket.getOutputStream();
  }

  /** Whether another request can be sent after the one that was answered. */
  boolean staysOpen() {
    return staysOpen && position == end;
  }

  /** How long ago the last answer came. */
  long idleNanos() {
    return System.nanoTime() - idleSince;
  }

  /**
   * Sends a request and reads its answer.
   *
   * @param head request line and headers, to the empty line
   */
  Answer exchange(byte[] head, byte @Nullable [] body) throws IOException {
    out.write(body == null ? head : joined(head, body)); // in one piece: one TLS record
    out.flush();
    Head answer = readHead();
    while (answer.code / 100 == 1) {
      answer = readHead();
    }
    byte[] content = content(answer);
    staysOpen &= !answer.closes;
    idleSince = System.nanoTime();
    return new Answer(answer.code, answer.retryAfter, content);
  }

  void close() {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("closing a connection failed", e);
    }
  }

  private static final class Head {
    int code;
    int length = -1;
    boolean chunked;
    boolean closes;
    Duration retryAfter = Duration.ZERO;
  }

  private Head readHead() throws IOException {
    Head head = new Head();
    String status = line();
    if (!status.startsWith("HTTP/1.") || status.length() < 12) {
      throw new IOException("this is no HTTP/1.1 answer: " + status);
    }
    head.code = number(status.substring(9, 12), 10);
    head.closes = status.startsWith("HTTP/1.0");
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        header(
            head,
            line.substring(0, colon).toLowerCase(Locale.ROOT),
            line.substring(colon + 1).strip());
      }
    }
    return head;
  }

  private static void header(Head head, String name, String value) throws IOException {
    switch (name) {
      case "content-length" -> head.length = number(value, 10);
      case "transfer-encoding" -> head.chunked = value.toLowerCase(Locale.ROOT).contains("chunked");
      case "connection" -> head.closes = value.equalsIgnoreCase("close");
      case "retry-after" -> head.retryAfter = Answer.pause(value);
      default -> {
        // says nothing to us
      }
    }
  }

  private byte[] content(Head head) throws IOException {
    if (head.code == 204 || head.code == 304) {
      return new byte[0];
    }
    if (head.chunked) {
      return chunks();
    }
    if (head.length >= 0) {
      return exactly(head.length);
    }
    staysOpen = false;
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(buffer, position, end - position);
    position = end;
    in.transferTo(all);
    return all.toByteArray();
  }

  private byte[] chunks() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    while (true) {
      String size = line();
      int semicolon = size.indexOf(';');
      int length = number((semicolon < 0 ? size : size.substring(0, semicolon)).strip(), 16);
      if (length == 0) {
        while (!line().isEmpty()) {
          // trailers say nothing to us
        }
        return all.toByteArray();
      }
      all.write(exactly(length));
      if (all.size() > LONGEST_BODY || !line().isEmpty()) {
        throw new IOException("the answer's chunks are broken");
      }
    }
  }

  private byte[] exactly(int length) throws IOException {
    if (length < 0 || length > LONGEST_BODY) {
      throw new IOException("an answer of " + length + " bytes is not read");
    }
    byte[] bytes = new byte[length];
    int copied = Math.min(length, end - position);
    System.arraycopy(buffer, position, bytes, 0, copied);
    position += copied;
    if (in.readNBytes(bytes, copied, length - copied) < length - copied) {
      throw new IOException("the connection ended within an answer");
    }
    return bytes;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder(64);
    while (true) {
      for (int i = position; i < end; i++) {
        if (buffer[i] == '\n') {
          line.append(new String(buffer, position, i - position, StandardCharsets.ISO_8859_1));
          position = i + 1;
          int last = line.length() - 1;
          if (last >= 0 && line.charAt(last) == '\r') {
            line.setLength(last);
          }
          return line.toString();
        }
      }
      line.append(new String(buffer, position, end - position, StandardCharsets.ISO_8859_1));
      position = 0;
      end = Math.max(0, in.read(buffer));
      if (end == 0 || line.length() > LONGEST_LINE) {
        throw new IOException(
            end == 0 ? "the connection ended before an answer" : "the answer's head is too long");
      }
    }
  }

  private static int number(String text, int radix) throws IOException {
    try {
      return Integer.parseInt(text, radix);
    } catch (NumberFormatException e) {
      throw new IOException("a number is expected where the answer says " + text, e);
    }
  }

  private static byte[] joined(byte[] head, byte[] body) {
    byte[] both = new byte[head.length + body.length];
    System.arraycopy(head, 0, both, 0, head.length);
    System.arraycopy(body, 0, both, head.length, body.length);
    return both;
  }
}
