package io.berth.serving.http;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * A limit on new connections per second, for each address by itself. A handshake costs far more CPU
 * time than a request, so clients that keep reconnecting would delay the reviews of others. IPv6
 * addresses of one /64 network count as one address. Thread-safe.
 */
final class ConnectionPace {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  /** The number of seconds whose connections an address may open at once. */
  static final int BURST_SECONDS = 4;

  private final long interval;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private final Map<InetAddress, Long> usedUntil = new HashMap<>();

  /**
   * Creates a limit.
   *
   * @param perSecond the limit, at least 1
   * @param nanoTime a clock such as {@link System#nanoTime}
   */
  ConnectionPace(int perSecond, LongSupplier nanoTime) {
    if (perSecond < 1) {
      throw new IllegalArgumentException("a pace is at least 1 connection/s, not " + perSecond);
    }
    this.interval = NANOS_PER_SECOND / perSecond;
    this.nanoTime = nanoTime;
  }

  /** Returns whether the address may open a connection now, and counts it if so. */
  synchronized boolean take(InetAddress client) {
    InetAddress network = ClientNetworks.of(client);
    long now = nanoTime.getAsLong();
    Long until = usedUntil.get(network);
    long from = until == null || until - now < 0 ? now : until;
    if (from + interval - now > BURST_SECONDS * NANOS_PER_SECOND) {
      return false;
    }
    usedUntil.put(network, from + interval);
    return true;
  }

  /** Forgets addresses whose full burst is available again. */
  synchronized void forgetIdle() {
    long now = nanoTime.getAsLong();
    usedUntil.values().removeIf(until -> until - now < 0);
  }
}
