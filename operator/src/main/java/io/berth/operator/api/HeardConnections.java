package io.berth.operator.api;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.client.ConnectionPool;
import org.eclipse.jetty.client.Destination;
import org.eclipse.jetty.client.MultiplexConnectionPool;
import org.eclipse.jetty.util.ConcurrentPool;
import org.jspecify.annotations.Nullable;

/**
 * Tracks when each open connection last received a response. A connection whose peer has vanished
 * without closing it looks healthy; without this tracking, one request after another would time out
 * on it.
 */
final class HeardConnections {

  /**
   * The number of concurrent requests that a connection is expected to carry before its protocol is
   * known.
   */
  private static final int STREAMS = 64;

  private final int most;
  private final int expectedStreams;
  private final Map<Connection, Long> heardAt = new ConcurrentHashMap<>();

  /**
   * @param most the maximum number of connections
   * @param multiplexed whether HTTP/2 is expected, so that a burst of requests opens one connection
   */
  HeardConnections(int most, boolean multiplexed) {
    this.most = most;
    this.expectedStreams = multiplexed ? STREAMS : 1;
  }

  /** Returns a connection pool whose connections are tracked. */
  ConnectionPool pool(Destination destination) {
    return new Pool(destination);
  }

  /** Records that a response has begun on the connection. */
  void heard(@Nullable Connection connection) {
    if (connection != null) {
      heardAt.computeIfPresent(connection, (same, before) -> System.nanoTime());
    }
  }

  /**
   * Closes every connection, idle or not, that has received no response since the given time.
   * Requests in flight on them fail at once.
   *
   * @param nanoTime a time by {@link System#nanoTime}
   */
  void closeThoseSilentSince(long nanoTime) {
    heardAt.forEach(
        (connection, heard) -> {
          if (heard - nanoTime < 0) {
            connection.close();
          }
        });
  }

  private final class Pool extends MultiplexConnectionPool {

    Pool(Destination destination) {
      super(
          destination,
          () ->
              new ConcurrentPool<Connection>(
                  ConcurrentPool.StrategyType.FIRST, most, newMaxMultiplexer(1)),
          expectedStreams);
    }

    @Override
    protected void onCreated(Connection connection) {
      super.onCreated(connection);
      setInitialMaxMultiplex(
          connection instanceof MaxMultiplexable multiplex
              ? Math.max(1, multiplex.getMaxMultiplex())
              : 1);
      heardAt.put(connection, System.nanoTime());
    }

    @Override
    protected void onRemoved(@Nullable Connection connection) {
      // A connection that was still being opened when the pool closed is null.
      if (connection != null) {
        super.onRemoved(connection);
        heardAt.remove(connection);
      }
    }
  }
}
