package io.berth.webhook.http;

import java.util.Optional;

/** A server's handler of requests. Called on virtual threads: it may block. */
public interface RequestHandler {

  /** The refusal of a request whose body need not be read; empty where it is wanted. */
  Optional<HttpAnswer> refusal(RequestHead head);

  /** The answer to a request that was not refused. */
  HttpAnswer answer(RequestHead head, byte[] body);

  /**
   * Hears of each request once its answer is sent, or has failed to be.
   *
   * @param nanos from the head of the request to the end of the answer, in nanoseconds
   */
  default void answered(RequestHead head, int status, long nanos) {}
}
