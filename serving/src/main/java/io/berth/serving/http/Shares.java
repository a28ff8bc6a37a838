package io.berth.serving.http;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * A limited resource of a server, such as requests or bytes, that source addresses share. An
 * address may hold as much as it leaves free for others: alone it gets half of the limit, and each
 * of n greedy addresses gets 1/(n+1) of it. So the last of the resource always goes to an address
 * that holds little, however much one address asks for. IPv6 addresses of one /64 network count as
 * one address. Thread-safe.
 *
 * <p>The rule is that of dynamic thresholds for packet buffers, with a factor of one: Choudhury and
 * Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", IEEE/ACM Transactions
 * on Networking 6(2), 1998.
 */
final class Shares {
  private final long limit;

  // Guarded by this.
  private final Map<InetAddress, Long> held = new HashMap<>();
  private long taken;

  /**
   * @param limit the amount that all addresses may hold together
   */
  Shares(long limit) {
    this.limit = limit;
  }

  /** Takes an amount for an address; returns false, and takes nothing, if its share is used up. */
  synchronized boolean take(InetAddress client, long amount) {
    InetAddress network = ClientNetworks.of(client);
    long own = held.getOrDefault(network, 0L) + amount;
    if (own > limit - taken) {
      return false;
    }
    if (amount > 0) {
      held.put(network, own);
      taken += amount;
    }
    return true;
  }

  /** Gives back an amount that the address has taken. */
  synchronized void giveBack(InetAddress client, long amount) {
    if (amount > 0) {
      held.computeIfPresent(
          ClientNetworks.of(client), (address, own) -> own > amount ? own - amount : null);
      taken -= amount;
    }
  }

  /** Returns the amount that all addresses hold together. */
  synchronized long taken() {
    return taken;
  }
}
