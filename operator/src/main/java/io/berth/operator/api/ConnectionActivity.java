package io.berth.operator.api;

import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks when each open connection last received a response. A connection whose peer has vanished
 * without closing it looks healthy; without this tracking, one request after another would time out
 * on it.
 */
final class ConnectionActivity {

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionActivity.class);

  private final Map<HttpConnection, Long> heardAt = new ConcurrentHashMap<>();
  private volatile boolean http1;

  /** Begins to track a connection, until it is closed. */
  void opened(HttpConnection connection) {
    FlushGuard.guard(connection);
    heardAt.put(connection, System.nanoTime());
    connection.closeHandler(ignored -> heardAt.remove(connection));
    // The exchanges on the connection fail with the same reason.
    connection.exceptionHandler(failure -> LOG.debug("A connection failed", failure));
  }

  /** Returns whether any connection is open. */
  boolean anyIsOpen() {
    return !heardAt.isEmpty();
  }

  /** Records that a connection speaks this version of HTTP. */
  void speaks(HttpVersion version) {
    http1 |= version != HttpVersion.HTTP_2;
  }

  /** Returns whether a connection does not speak HTTP/2. */
  boolean speaksHttp1() {
    return http1;
  }

  /** Records that a response has begun on the connection. */
  void heard(HttpConnection connection) {
    heardAt.computeIfPresent(connection, (same, before) -> System.nanoTime());
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
            var _ = connection.close();
          }
        });
  }
}
