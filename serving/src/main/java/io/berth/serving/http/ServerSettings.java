package io.berth.serving.http;

import java.time.Duration;

/**
 * The port and the limits of one server. Together, the limits bound the heap that request bodies
 * can use: twice {@link #maxRequests} times {@link #freeBodyBytes}, once for complete and once for
 * incomplete bodies, plus {@link #maxBufferedBytes}. Of connections, requests, and bytes, each
 * source address gets a share ({@link Shares}).
 *
 * @param port the port to listen on; 0 chooses a free port
 * @param portOption the command-line option that sets the port, for the error message if the port
 *     is in use
 * @param maxConnections the maximum number of open connections; further connections wait until they
 *     are accepted, and idle connections are closed early. An address that has used up its share
 *     loses the connection that has been idle longest, unless all of them are in use
 * @param connectionsPerSecond the maximum number of connections per second that one address may
 *     open, after a burst of four times as many; further connections are closed before their
 *     handshake
 * @param maxRequests the maximum number of requests in progress whose body is complete; further
 *     requests are rejected with status 503
 * @param maxBodyBytes the maximum size of a body, in bytes; larger bodies are rejected with status
 *     413. With 0, requests with a body are rejected without waiting for it
 * @param freeBodyBytes the number of bytes of each body that do not count toward {@code
 *     maxBufferedBytes}, so that large bodies cannot block small ones
 * @param maxBufferedBytes the maximum total size of all bodies, in bytes, without the free bytes of
 *     each; a request that exceeds it is rejected with status 503
 * @param discardedBytesPerSecond the maximum rate at which the rest of all rejected bodies is read,
 *     in bytes per second
 * @param bodyTimeout the maximum time in which a client must send a body
 * @param firstRequestTimeout the maximum time until the first request of a new connection
 * @param idleTimeout the maximum time for which a connection stays open without a request
 */
public record ServerSettings(
    int port,
    String portOption,
    int maxConnections,
    int connectionsPerSecond,
    int maxRequests,
    int maxBodyBytes,
    int freeBodyBytes,
    long maxBufferedBytes,
    int discardedBytesPerSecond,
    Duration bodyTimeout,
    Duration firstRequestTimeout,
    Duration idleTimeout) {

  /**
   * The maximum number of requests whose body is not complete, per request that may run. One
   * address can have 1,024 of them at the webhook.
   */
  private static final int WAITING_PER_REQUEST = 4;

  /** More than a server can accept. */
  private static final int UNLIMITED_CONNECTIONS_PER_SECOND = 1_000_000;

  /**
   * Returns the maximum number of requests whose body is not complete; further requests are
   * rejected with status 503.
   */
  int maxWaitingRequests() {
    return maxRequests * WAITING_PER_REQUEST;
  }

  /** Returns whether requests may have a body. */
  boolean takesBodies() {
    return maxBodyBytes > 0;
  }

  /**
   * Returns the settings for AdmissionReviews. The API server accepts objects of up to 3 MiB, and
   * the review of an update contains the old and the new object. Beside one address that has used
   * up its share of the bytes, another one still has room for a body of the maximum size. The API
   * server keeps idle connections for 90 seconds.
   */
  public static ServerSettings reviews(int port) {
    return new ServerSettings(
        port,
        "--webhook-port",
        512,
        32,
        512,
        8 << 20,
        32 << 10,
        32L << 20,
        4 << 20,
        Duration.ofSeconds(10),
        Duration.ofSeconds(10),
        Duration.ofSeconds(120));
  }

  /**
   * Returns the settings for requests that API servers forward, with objects of up to 3 MiB. The
   * address of an API server stands for all users, so limits of each user are up to the handler.
   */
  public static ServerSettings forwarded(int port, String portOption) {
    return new ServerSettings(
        port,
        portOption,
        128,
        32,
        128,
        3 << 20,
        32 << 10,
        12L << 20,
        4 << 20,
        Duration.ofSeconds(10),
        Duration.ofSeconds(10),
        Duration.ofSeconds(120));
  }

  /**
   * Returns the settings for probes over plain HTTP. Kubelets share their address with pods in the
   * network of the host, and with all that is forwarded by their node, so one address may open any
   * number of connections: without a handshake, a connection costs little more than a refusal.
   */
  public static ServerSettings probes(int port, String portOption) {
    return withoutBodies(port, portOption, 1024, UNLIMITED_CONNECTIONS_PER_SECOND);
  }

  /**
   * Returns the settings for pages that are read by GET over HTTPS, without a body: metrics and
   * diagnostics.
   */
  public static ServerSettings pages(int port, String portOption) {
    return withoutBodies(port, portOption, 128, 32);
  }

  private static ServerSettings withoutBodies(
      int port, String portOption, int maxConnections, int connectionsPerSecond) {
    return new ServerSettings(
        port,
        portOption,
        maxConnections,
        connectionsPerSecond,
        64,
        0,
        0,
        0,
        1 << 20,
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(60));
  }
}
