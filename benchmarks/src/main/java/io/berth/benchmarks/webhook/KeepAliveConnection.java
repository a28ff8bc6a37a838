package io.berth.benchmarks.webhook;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A persistent HTTPS connection that posts reviews and reads the responses with minimal overhead.
 */
final class KeepAliveConnection implements AutoCloseable {
  private final SSLSocket socket;
  private final InputStream in;
  private final OutputStream out;

  KeepAliveConnection(SSLContext tls, int port) throws IOException {
    socket = (SSLSocket) tls.getSocketFactory().createSocket("localhost", port);
    socket.setTcpNoDelay(true);
    socket.startHandshake();
    in = new BufferedInputStream(socket.getInputStream(), 16 * 1024);
    out = socket.getOutputStream();
  }

  /** Posts a review to {@code /mutate/pods}, and returns the body of the response. */
  byte[] post(byte[] body) throws IOException {
    byte[] head =
        ("POST /mutate/pods HTTP/1.1\r\n"
                + "Host: localhost\r\n"
                + "Content-Type: application/json\r\n"
                + "Content-Length: "
                + body.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    byte[] request = new byte[head.length + body.length];
    System.arraycopy(head, 0, request, 0, head.length);
    System.arraycopy(body, 0, request, head.length, body.length);
    out.write(request);
    String status = line();
    if (!status.startsWith("HTTP/1.1 200")) {
      throw new IOException("the webhook responded with " + status);
    }
    int length = -1;
    for (String header = line(); !header.isEmpty(); header = line()) {
      if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Integer.parseInt(header.substring("content-length:".length()).strip());
      }
    }
    byte[] answer = in.readNBytes(length);
    if (answer.length < length) {
      throw new EOFException("the webhook closed the connection in the middle of a response");
    }
    return answer;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder(64);
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the webhook closed the connection");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }
}
