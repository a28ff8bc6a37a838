package io.berth.webhook.http;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;

/**
 * Closes connections of a server that have had no request for longer than their timeout. Other data
 * does not extend the timeout: a header that arrives byte by byte is not a request.
 */
final class IdleConnections implements Connection.Listener {
  private static final int SHORT_OF = 10;

  private final ServerSettings settings;
  private final Map<EndPoint, Use> uses = new ConcurrentHashMap<>();

  private static final class Use {
    // Guarded by this.
    private int requests;
    private boolean used;
    private long since = System.nanoTime();

    /** Restarts the timeout: a slow handshake does not use up the time for the first request. */
    synchronized void handshakeProceeded() {
      since = System.nanoTime();
    }

    synchronized void began() {
      requests++;
      used = true;
    }

    synchronized void ended() {
      requests--;
      since = System.nanoTime();
    }

    synchronized boolean isOver(ServerSettings settings, boolean crowded) {
      long limit =
          used && !crowded
              ? settings.idleTimeout().toNanos()
              : settings.firstRequestTimeout().dividedBy(crowded ? SHORT_OF : 1).toNanos();
      return requests == 0 && System.nanoTime() - since > limit;
    }
  }

  IdleConnections(ServerSettings settings) {
    this.settings = settings;
  }

  /** Called for TLS, for the choice of the protocol, and for the protocol, one after the other. */
  @Override
  public void onOpened(Connection connection) {
    uses.computeIfAbsent(network(connection.getEndPoint()), ignored -> new Use())
        .handshakeProceeded();
  }

  @Override
  public void onClosed(Connection connection) {
    EndPoint network = network(connection.getEndPoint());
    if (!network.isOpen()) {
      uses.remove(network);
    }
  }

  void requestBegan(EndPoint endPoint) {
    uses.computeIfAbsent(network(endPoint), ignored -> new Use()).began();
  }

  void requestEnded(EndPoint endPoint) {
    Use use = uses.get(network(endPoint));
    if (use != null) {
      use.ended();
    }
  }

  /** Closes connections whose timeout has passed. */
  void closeOver() {
    boolean crowded = uses.size() >= settings.maxConnections();
    uses.forEach(
        (endPoint, use) -> {
          if (!endPoint.isOpen()) {
            uses.remove(endPoint);
          } else if (use.isOver(settings, crowded)) {
            endPoint.close();
          }
        });
  }

  private static EndPoint network(EndPoint endPoint) {
    EndPoint found = endPoint;
    while (found instanceof EndPoint.Wrapper wrapper) {
      found = wrapper.unwrap();
    }
    return found;
  }
}
