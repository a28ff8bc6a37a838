package io.berth.sandbox;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A persistent HTTPS connection for use by one thread. Except for TLS it needs hardly any CPU time,
 * so that a load test measures the server and not the client.
 */
final class PlainConnection implements AutoCloseable {
  private static final int BUFFER = 16_384;

  private final SSLSocket socket;
  private final InputStream in;
  private final OutputStream out;
  private final String fixedHeaders;

  PlainConnection(URI server, SSLContext trust, String token) throws IOException {
    socket = (SSLSocket) trust.getSocketFactory().createSocket();
    socket.setTcpNoDelay(true);
    socket.connect(new InetSocketAddress(server.getHost(), server.getPort()));
    in = new BufferedInputStream(socket.getInputStream(), BUFFER);
    out = socket.getOutputStream();
    fixedHeaders =
        "Host: "
            + server.getAuthority()
            + "\r\nUser-Agent: berth-load/1.0\r\nAccept: application/json\r\nAuthorization: Bearer "
            + token
            + "\r\n";
  }

  /** Sends a POST request with a JSON body and returns the body of the response. */
  byte[] post(String path, String json, int expected) throws IOException {
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    byte[] head =
        ("POST "
                + path
                + " HTTP/1.1\r\n"
                + fixedHeaders
                + "Content-Type: application/json\r\nContent-Length: "
                + body.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    byte[] request = new byte[head.length + body.length];
    System.arraycopy(head, 0, request, 0, head.length);
    System.arraycopy(body, 0, request, head.length, body.length);
    out.write(request);
    return answer(expected);
  }

  /** Sends a GET request and returns the body of the response. */
  byte[] get(String path) throws IOException {
    out.write(
        ("GET " + path + " HTTP/1.1\r\n" + fixedHeaders + "\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    return answer(200);
  }

  /** Reads a watch to its end and returns the number of events. */
  int watch(String path) throws IOException {
    out.write(
        ("GET " + path + " HTTP/1.1\r\n" + fixedHeaders + "\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    int events = 0;
    byte[] buffer = new byte[BUFFER];
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      for (int i = 0; i < read; i++) {
        if (buffer[i] == '\n' && i > 0 && buffer[i - 1] == '}') {
          events++;
        }
      }
    }
    return events;
  }

  private byte[] answer(int expected) throws IOException {
    int code = Integer.parseInt(line().split(" ", 3)[1]);
    int length = 0;
    for (String header = line(); !header.isEmpty(); header = line()) {
      if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Integer.parseInt(header.substring(header.indexOf(':') + 1).strip());
      }
    }
    byte[] body = in.readNBytes(length);
    if (code != expected) {
      throw new IOException(code + " " + new String(body, StandardCharsets.UTF_8));
    }
    return body;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (b != '\r') {
        line.append((char) b);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
