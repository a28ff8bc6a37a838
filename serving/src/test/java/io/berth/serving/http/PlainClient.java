package io.berth.serving.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A connection of HTTP/1.1 over TLS that tests write to byte by byte. */
final class PlainClient implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final SSLSocket socket;

  /** The reply of the server; {@code closed} if the connection was closed instead. */
  record Reply(String status, String headers, String body) {
    static final Reply CLOSED = new Reply("closed", "", "");
  }

  PlainClient(SSLContext tls, int port) throws IOException {
    this(tls, new Socket("localhost", port));
  }

  /** Creates a client that uses TLS over an open connection. */
  PlainClient(SSLContext tls, Socket connection) throws IOException {
    connection.setTcpNoDelay(true);
    socket =
        (SSLSocket)
            tls.getSocketFactory()
                .createSocket(connection, "localhost", connection.getPort(), true);
    socket.setSoTimeout((int) PATIENCE.toMillis());
    socket.startHandshake();
  }

  PlainClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.US_ASCII));
  }

  PlainClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /** Sends the header of a request with a JSON body of this length. */
  PlainClient head(String method, String path, int length) throws IOException {
    return send(
        "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            .formatted(method, path, length));
  }

  Reply reply() throws IOException {
    InputStream in = socket.getInputStream();
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    try {
      while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
        int next = in.read();
        if (next < 0) {
          return Reply.CLOSED;
        }
        head.write(next);
      }
    } catch (SocketTimeoutException e) {
      throw new AssertionError("no answer within " + PATIENCE, e);
    } catch (IOException e) {
      return Reply.CLOSED; // reset
    }
    String headers = head.toString(StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT);
    int length =
        headers
            .lines()
            .filter(line -> line.startsWith("content-length:"))
            .mapToInt(line -> Integer.parseInt(line.substring("content-length:".length()).strip()))
            .findFirst()
            .orElse(0);
    byte[] body = in.readNBytes(length);
    return new Reply(headers.split(" ", 3)[1], headers, new String(body, StandardCharsets.UTF_8));
  }

  /** Returns the status of the reply; {@code closed} if there is none. */
  String replyStatus() {
    try {
      return reply().status();
    } catch (IOException e) {
      return Reply.CLOSED.status();
    }
  }

  X509Certificate certificate() throws IOException {
    return (X509Certificate) socket.getSession().getPeerCertificates()[0];
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
