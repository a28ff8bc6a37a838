package io.berth.webhook.http;

import java.time.Duration;

/**
 * The limits of one server. What they bound together is what its clients can cost the process:
 * {@link #maxRequests} times {@link #freeBodyBytes} plus {@link #maxBufferedBytes} of heap for
 * bodies.
 *
 * @param port where it listens, on all addresses; 0 takes a free port
 * @param portOption the command line option that sets the port, named when the port is taken
 * @param maxConnections connections that are open at the same time; further ones wait to be
 *     accepted, and idle ones are closed early
 * @param maxRequests requests that are handled at the same time; further ones are answered 503
 * @param maxBodyBytes bytes of one request's body; larger ones are answered 413
 * @param freeBodyBytes bytes of each body that do not count against {@code maxBufferedBytes}, so
 *     that large bodies cannot crowd out ordinary ones
 * @param maxBufferedBytes bytes beyond the free ones that the bodies of all requests hold together;
 *     a request that needs more is answered 503
 * @param discardedBytesPerSecond bytes per second that are read of all refused bodies together
 * @param bodyTimeout how long a client may take to send a body
 * @param firstRequestTimeout how long a new connection may take to send its first request
 * @param idleTimeout how long a connection stays open without a request
 */
public record ServerSettings(
    int port,
    String portOption,
    int maxConnections,
    int maxRequests,
    int maxBodyBytes,
    int freeBodyBytes,
    long maxBufferedBytes,
    int discardedBytesPerSecond,
    Duration bodyTimeout,
    Duration firstRequestTimeout,
    Duration idleTimeout) {

  /**
   * For AdmissionReviews. An API server takes objects of up to 3 MiB, and a review of an update
   * carries the old and the new one; it keeps idle connections for 90 seconds.
   */
  public static ServerSettings reviews(int port) {
    return new ServerSettings(
        port,
        "--webhook-port",
        512,
        512,
        8 << 20,
        32 << 10,
        24L << 20,
        4 << 20,
        Duration.ofSeconds(10),
        Duration.ofSeconds(10),
        Duration.ofSeconds(120));
  }

  /** For pages that are read with GET, by probes, monitoring and people. */
  public static ServerSettings pages(int port, String portOption) {
    return new ServerSettings(
        port,
        portOption,
        128,
        64,
        1 << 10,
        1 << 10,
        0,
        1 << 20,
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(60));
  }
}
