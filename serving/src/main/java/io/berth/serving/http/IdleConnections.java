package io.berth.serving.http;

import java.net.InetAddress;
import java.nio.channels.SelectableChannel;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;

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
 * replaced at once. A new connection, whose request may not have been read yet, is left alone, also
 * beyond the share of its address. When three quarters of the connections are unread or in
 * progress, the server {@linkplain Intake pauses} until some are answered. If none is, although the
 * server has had the time to read what arrived, those that have sent nothing are closed if they are
 * beyond the share of their address, and can be replaced otherwise.
 */
final class IdleConnections implements Connection.Listener, SelectorManager.AcceptListener {
  private static final int SHORT_OF = 10;

  /** The time after a complete request for which a new connection does not replace this one. */
  private static final long IN_USE_NANOS = Duration.ofSeconds(5).toNanos();

  /** The rounds of the server in which it reads what has arrived on a connection. */
  private static final int ROUNDS = 10;

  /** The acceptance of connections by a server. */
  interface Intake {
    /** Accepts new connections, or lets them wait in the queue of the kernel. */
    void setAccepting(boolean accepting);

    /**
     * Runs a task after a moment, behind what the threads of the server have to do. When the server
     * stalls, or has more to do than it can, the task is delayed as everything else is.
     */
    void afterRound(Runnable task);
  }

  private final ServerSettings settings;
  private final Intake intake;
  private final Shares shares;
  private final ConnectionPace pace;
  private final Map<EndPoint, Use> uses = new ConcurrentHashMap<>();
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicBoolean paused = new AtomicBoolean();

  /**
   * The start of the last pause in which everything was read, on the clock of {@link
   * System#nanoTime}.
   */
  private volatile long readUntil = System.nanoTime();

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

    /** Returns whether the connection has a request, or may have one that was not read yet. */
    synchronized boolean isBusy(long readUntil) {
      return used ? requests > 0 : !isSilentSince(readUntil);
    }

    /** Returns whether the connection was opened before a time, and has sent no request. */
    synchronized boolean isSilentSince(long nanoTime) {
      return !used && since - nanoTime < 0;
    }

    /** Returns whether a new connection of the same address may replace this one. */
    synchronized boolean isReplaceable(ServerSettings settings, long readUntil) {
      if (requests > 0) {
        return false;
      }
      return settings.takesBodies()
          ? !sentCompleteRequest || idleNanos() >= IN_USE_NANOS
          : used || isSilentSince(readUntil);
    }

    synchronized boolean isOver(ServerSettings settings, boolean crowded) {
      long limit =
          used && !crowded
              ? settings.idleTimeout().toNanos()
              : settings.firstRequestTimeout().dividedBy(crowded ? SHORT_OF : 1).toNanos();
      return requests == 0 && System.nanoTime() - since > limit;
    }
  }

  IdleConnections(ServerSettings settings, Intake intake) {
    this.settings = settings;
    this.intake = intake;
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
      Optional<EndPoint> longestIdle = longestIdle(client);
      if (longestIdle.isPresent()) {
        int freed = forget(longestIdle.get());
        longestIdle.get().close();
        if (freed == 0) {
          uses.put(network, new Use(client, 0));
          return;
        }
      } else if (settings.takesBodies()) {
        network.close();
        return;
      } else {
        uses.put(network, new Use(client, 0));
        return;
      }
    }
    uses.put(network, new Use(client, 1));
  }

  @Override
  public void onAccepting(SelectableChannel channel) {
    accepted.incrementAndGet();
    if (!settings.takesBodies() && isFull() && paused.compareAndSet(false, true)) {
      intake.setAccepting(false);
      continuePause(System.nanoTime(), ROUNDS);
    }
  }

  @Override
  public void onAccepted(SelectableChannel channel) {
    accepted.decrementAndGet();
  }

  @Override
  public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
    accepted.decrementAndGet();
  }

  /** Returns whether three quarters of the connections are unread or in progress. */
  private boolean isFull() {
    int limit = settings.maxConnections() / 4 * 3;
    int opened = accepted.get();
    return opened + uses.size() >= limit
        && opened + uses.values().stream().filter(use -> use.isBusy(readUntil)).count() >= limit;
  }

  private void continuePause(long start, int rounds) {
    intake.afterRound(
        () -> {
          if (rounds == 1) {
            readUntil = start;
            closeSilent(start);
          }
          if (rounds > 1 ? isFull() : isAtLimit()) {
            continuePause(start, Math.max(1, rounds - 1));
          } else {
            paused.set(false);
            intake.setAccepting(true);
          }
        });
  }

  /** Returns whether Jetty would close the next connection. */
  private boolean isAtLimit() {
    return accepted.get() + uses.size() >= settings.maxConnections();
  }

  /** Closes the connections beyond the share of their address that have sent nothing. */
  private void closeSilent(long before) {
    uses.forEach(
        (endPoint, use) -> {
          if (use.share == 0 && use.isSilentSince(before)) {
            forget(endPoint);
            endPoint.close();
          }
        });
  }

  private Optional<EndPoint> longestIdle(InetAddress client) {
    return uses.entrySet().stream()
        .filter(each -> each.getValue().client.equals(client))
        .filter(each -> each.getValue().isReplaceable(settings, readUntil))
        .max(Comparator.comparingLong(each -> each.getValue().idleNanos()))
        .map(Map.Entry::getKey);
  }

  /** Returns the share that is free now. */
  private int forget(EndPoint network) {
    Use use = uses.remove(network);
    if (use == null) {
      return 0;
    }
    shares.giveBack(use.client, use.share);
    return use.share;
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
