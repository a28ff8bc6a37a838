package io.berth.serving.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;

/**
 * A connection that sends its first write immediately, and buffers all further writes until they
 * are sent together. Under TLS 1.3 the first write is the ClientHello.
 */
final class HeldSocket extends Socket {
  private final ByteArrayOutputStream held = new ByteArrayOutputStream();
  private boolean first = true;

  HeldSocket(int port) throws IOException {
    super("localhost", port);
  }

  /** Sends the buffered data in one write. */
  void sendHeld() throws IOException {
    super.getOutputStream().write(held.toByteArray());
    held.reset();
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    OutputStream out = super.getOutputStream();
    return new OutputStream() {
      @Override
      public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int from, int length) throws IOException {
        if (first) {
          first = false;
          out.write(bytes, from, length);
        } else {
          held.write(bytes, from, length);
        }
      }
    };
  }
}
