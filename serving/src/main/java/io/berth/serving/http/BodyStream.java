package io.berth.serving.http;

import java.io.IOException;

/** The way to the client of a response whose body is written piece by piece. */
public interface BodyStream {

  /**
   * Sends bytes, and returns when the connection has taken them. The array must not be modified
   * afterwards.
   *
   * @throws IOException if the client has gone, or does not read
   */
  void write(byte[] bytes) throws IOException, InterruptedException;

  /**
   * Returns whether the client is connected, as far as is known: over HTTP/1.1, only a write finds
   * out that it is not.
   */
  boolean isOpen();
}
