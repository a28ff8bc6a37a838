package io.berth.serving.http;

import java.util.Optional;

/** The request handler of a server. Called on virtual threads, so methods may block. */
public interface RequestHandler {

  /**
   * Returns the response to a probe: a request that is answered before all limits, whether or not
   * its body has come. Probes must cost little, because nothing limits them. Empty for other
   * requests.
   */
  default Optional<HttpAnswer> probe(RequestHead head) {
    return Optional.empty();
  }

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
   * @param nanos the time from the header of the request to the end of the response, in nanoseconds
   */
  default void answered(RequestHead head, int status, long nanos) {}
}
