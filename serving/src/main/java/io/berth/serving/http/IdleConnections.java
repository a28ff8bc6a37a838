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
 *
 * <p>Where requests have no bodies, they are soon complete, so an answered connection can be
 * replaced at once. A new connection, whose request may not have been read yet, is left alone for a
 * moment. If there are only such connections, the address may exceed its share while a quarter of
 * all connections is free; then the longest idle of them is replaced.
 */
final class IdleConnections implements Connection.Listener {
  private static final int SHORT_OF = 10;

  /** The time after a complete request for which a new connection does not replace this one. */
  private static final long IN_USE_NANOS = Duration.ofSeconds(5).toNanos();

  /** The time that a server may need to read the first request of a connection. */
  private static final long UNREAD_NANOS = Duration.ofMillis(250).toNanos();

  private final ServerSettings settings;
  private final Shares shares;
  private final ConnectionPace pace;
  private final Map<EndPoint, Use> uses = new ConcurrentHashMap<>();

  private static final class Use {
    private final InetAddress client;
    private final int share;

    // Guarded by this.
    private int requests;
    private boolean used;
    private boolean sentCompleteRequest;
    private long since = System.nanoTime();

    /**
     * @param share the connections that it takes of its address' share; 0 if it exceeds the share
     */
    Use(InetAddress client, int share) {
      this.client = client;
      this.share = share;
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

    /** Returns whether a new connection of the same address may replace this one. */
    synchronized boolean isReplaceable(ServerSettings settings, long unreadNanos) {
      if (requests > 0) {
        return false;
      }
      return settings.takesBodies()
          ? !sentCompleteRequest || idleNanos() >= IN_USE_NANOS
          : used || idleNanos() >= unreadNanos;
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
    InetAddress client = ClientNetworks.of(Dispatcher.client(network.getRemoteSocketAddress()));
    if (!pace.take(client)) {
      network.close();
      return;
    }
    while (!shares.take(client, 1)) {
      Optional<EndPoint> longestIdle = longestIdle(client, UNREAD_NANOS);
      boolean mayExceed = longestIdle.isEmpty() && mayExceedShares();
      if (longestIdle.isEmpty() && !mayExceed) {
        longestIdle = longestIdle(client, 0);
      }
      if (longestIdle.isPresent()) {
        forget(longestIdle.get());
        longestIdle.get().close();
      } else if (mayExceed) {
        uses.put(network, new Use(client, 0));
        return;
      } else {
        network.close();
        return;
      }
    }
    uses.put(network, new Use(client, 1));
  }

  private boolean mayExceedShares() {
    return !settings.takesBodies() && uses.size() < settings.maxConnections() / 4 * 3;
  }

  private Optional<EndPoint> longestIdle(InetAddress client, long unreadNanos) {
    return uses.entrySet().stream()
        .filter(each -> each.getValue().client.equals(client))
        .filter(each -> each.getValue().isReplaceable(settings, unreadNanos))
        .max(Comparator.comparingLong(each -> each.getValue().idleNanos()))
        .map(Map.Entry::getKey);
  }

  private void forget(EndPoint network) {
    Use use = uses.remove(network);
    if (use != null) {
      shares.giveBack(use.client, use.share);
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
