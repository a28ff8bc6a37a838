package io.berth.webhook.http;

import java.util.Optional;

/** A server's handler of requests. Called on virtual threads: it may block. */
public interface RequestHandler {

  /**
   * Returns the rejection of a request whose body need not be read; empty if the body is to be
   * read.
   */
  Optional<HttpAnswer> refusal(RequestHead head);

  /** Returns the response to a request that was not rejected. */
  HttpAnswer answer(RequestHead head, byte[] body);

  /**
   * Called for each request after its response was sent or could not be sent.
   *
   * @param nanos from the head of the request to the end of the answer, in nanoseconds
   */
  default void answered(RequestHead head, int status, long nanos) {}
}
