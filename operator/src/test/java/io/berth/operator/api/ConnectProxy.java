package io.berth.operator.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An HTTP proxy that opens tunnels, and records the requests it receives. */
final class ConnectProxy implements AutoCloseable {

  private final ServerSocket server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
  private final List<String> asked = new CopyOnWriteArrayList<>();

  ConnectProxy() throws IOException {
    Thread.ofVirtual().name("proxy").start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  /** Returns the heads of all requests. */
  List<String> asked() {
    return asked;
  }

  @Override
  public void close() throws IOException {
    server.close();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket near = server.accept();
        Thread.ofVirtual().start(() -> tunnel(near));
      } catch (IOException e) {
        if (!server.isClosed()) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  private void tunnel(Socket near) {
    try (near) {
      StringBuilder head = new StringBuilder();
      InputStream in = near.getInputStream();
      while (head.indexOf("\r\n\r\n") < 0) {
        head.append((char) in.read());
      }
      asked.add(head.toString());
      String port = head.substring(head.indexOf(":") + 1, head.indexOf(" HTTP/"));
      try (Socket far = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port))) {
        near.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        Thread back = Thread.ofVirtual().start(() -> pass(far, near));
        pass(near, far);
        back.interrupt();
      }
    } catch (IOException e) {
      asked.add("broken: " + e);
    }
  }

  private static void pass(Socket from, Socket to) {
    try {
      OutputStream out = to.getOutputStream();
      from.getInputStream().transferTo(out);
      to.shutdownOutput();
    } catch (IOException e) {
      // one side has closed the connection, so the tunnel ends
    }
  }
}
