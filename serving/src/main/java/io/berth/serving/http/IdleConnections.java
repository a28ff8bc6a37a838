package io.berth.serving.http;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;

/**
 * Closes connections of a server that have had no request for longer than their timeout. Other data
 * does not extend the timeout: a header that arrives byte by byte is not a request.
 *
 * <p>Each address has a share of the connections. When it is used up, a new connection replaces the
 * one of the same address that has been idle longest; if none is idle, the new one is closed. A
 * connection that has just sent a complete request is not idle in this sense: it is worth more than
 * one that has not sent anything. Connections that an address opens faster than the {@link
 * ConnectionPace} allows are closed, too.
 */
final class IdleConnections implements Connection.Listener {
  private static final int SHORT_OF = 10;

  /** The time after a complete request for which a new connection does not replace this one. */
  private static final long IN_USE_NANOS = Duration.ofSeconds(5).toNanos();

  private final ServerSettings settings;
  private final Shares shares;
  private final ConnectionPace pace;
  private final Map<EndPoint, Use> uses = new ConcurrentHashMap<>();

  private static final class Use {
    private final InetAddress client;

    // Guarded by this.
    private int requests;
    private boolean used;
    private boolean sentCompleteRequest;
    private long since = System.nanoTime();

    Use(InetAddress client) {
      this.client = client;
    }

    /** Restarts the timeout: a slow handshake does not use up the time for the first request. */
    synchronized void handshakeProceeded() {
      since = System.nanoTime();
    }

    synchronized void began() {
      requests++;
      used = true;
    }

    synchronized void ended(boolean complete) {
      requests--;
      sentCompleteRequest |= complete;
      since = System.nanoTime();
    }

    /** Returns the time since the last request, in nanoseconds. */
    synchronized long idleNanos() {
      return System.nanoTime() - since;
    }

    synchronized boolean isInUse() {
      return requests > 0 || (sentCompleteRequest && idleNanos() < IN_USE_NANOS);
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
    this.shares = new Shares(settings.maxConnections());
    this.pace = new ConnectionPace(settings.connectionsPerSecond(), System::nanoTime);
  }

  /** Called for TLS, for the choice of the protocol, and for the protocol, one after the other. */
  @Override
  public void onOpened(Connection connection) {
    EndPoint network = network(connection.getEndPoint());
    Use known = uses.get(network);
    if (known != null) {
      known.handshakeProceeded();
    } else if (network.isOpen()) {
      admit(network);
    }
  }

  private void admit(EndPoint network) {
    InetAddress client = Dispatcher.client(network.getRemoteSocketAddress());
    if (!pace.take(client)) {
      network.close();
      return;
    }
    while (!shares.take(client, 1)) {
      Optional<EndPoint> longestIdle = longestIdle(client);
      if (longestIdle.isEmpty()) {
        network.close();
        return;
      }
      forget(longestIdle.get());
      longestIdle.get().close();
    }
    uses.put(network, new Use(client));
  }

  private Optional<EndPoint> longestIdle(InetAddress client) {
    return uses.entrySet().stream()
        .filter(each -> each.getValue().client.equals(client))
        .filter(each -> !each.getValue().isInUse())
        .max(Comparator.comparingLong(each -> each.getValue().idleNanos()))
        .map(Map.Entry::getKey);
  }

  private void forget(EndPoint network) {
    Use use = uses.remove(network);
    if (use != null) {
      shares.giveBack(use.client, 1);
    }
  }

  @Override
  public void onClosed(Connection connection) {
    EndPoint network = network(connection.getEndPoint());
    if (!network.isOpen()) {
      forget(network);
    }
  }

  void requestBegan(EndPoint endPoint) {
    Use use = uses.get(network(endPoint));
    if (use != null) {
      use.began();
    }
  }

  /**
   * @param complete whether the complete request was received
   */
  void requestEnded(EndPoint endPoint, boolean complete) {
    Use use = uses.get(network(endPoint));
    if (use != null) {
      use.ended(complete);
    }
  }

  /** Closes connections whose timeout has passed. */
  void closeOver() {
    pace.forgetIdle();
    boolean crowded = uses.size() >= settings.maxConnections();
    uses.forEach(
        (endPoint, use) -> {
          if (!endPoint.isOpen()) {
            forget(endPoint);
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
