package io.berth.serving.http;

import java.io.IOException;

/**
 * The body of a response that is written piece by piece while it comes into being. It does not
 * count as one of the requests that may run, so a handler limits the number of such bodies itself.
 */
public interface StreamedBody extends AutoCloseable {

  /**
   * Writes the body, and returns at its end. Called once, on a virtual thread, so it may block.
   *
   * @throws IOException if the client has gone, or does not read
   */
  void write(BodyStream to) throws IOException, InterruptedException;

  /** Gives back what the body holds; called whether or not it could be written. */
  @Override
  void close();
}
