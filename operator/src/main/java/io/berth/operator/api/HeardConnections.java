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
 * Remembers when each open connection last brought an answer. A connection whose other end is gone
 * without a word looks like any other: without this, one request after the other would run out of
 * time on each of them.
 */
final class HeardConnections {

  /**
   * The number of parallel requests that a connection is expected to carry before its protocol is
   * known.
   */
  private static final int STREAMS = 64;

  private final int most;
  private final int expectedStreams;
  private final Map<Connection, Long> heardAt = new ConcurrentHashMap<>();

  /**
   * @param most how many connections there may be
   * @param multiplexed whether HTTP/2 is expected, so that a burst of requests opens one connection
   */
  HeardConnections(int most, boolean multiplexed) {
    this.most = most;
    this.expectedStreams = multiplexed ? STREAMS : 1;
  }

  /** A pool whose connections are remembered. */
  ConnectionPool pool(Destination destination) {
    return new Pool(destination);
  }

  /** An answer has begun on the connection. */
  void heard(@Nullable Connection connection) {
    if (connection != null) {
      heardAt.computeIfPresent(connection, (same, before) -> System.nanoTime());
    }
  }

  /**
   * Closes every connection, idle or not, that has brought nothing since. What is under way on them
   * counts as lost at once.
   *
   * @param nanoTime a moment by {@link System#nanoTime}
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
      // A connection that was still being opened when the pool closes has no object yet.
      if (connection != null) {
        super.onRemoved(connection);
        heardAt.remove(connection);
      }
    }
  }
}
