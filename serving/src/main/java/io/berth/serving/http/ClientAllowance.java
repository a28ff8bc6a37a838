package io.berth.serving.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;

/**
 * Limits the API server requests that each client may cause: a token bucket with a burst and a
 * steady refill rate. IPv6 addresses share a bucket per /64 network, which usually belongs to one
 * client.
 */
public final class ClientAllowance {
  private static final int CLIENTS = 10_000;

  private final int burst;
  private final Duration refill;
  private final InstantSource clock;
  private final Cache<String, Bucket> buckets;

  private static final class Bucket {
    // Guarded by this.
    private double left;
    private long at;

    Bucket(double left, long at) {
      this.left = left;
      this.at = at;
    }

    synchronized boolean take(int burst, Duration refill, long now) {
      left = Math.min(burst, left + (now - at) / (double) refill.toMillis());
      at = now;
      if (left < 1) {
        return false;
      }
      left--;
      return true;
    }
  }

  /**
   * @param burst the size of the bucket
   * @param refill the time after which one request is added
   */
  public ClientAllowance(int burst, Duration refill, InstantSource clock) {
    this.burst = burst;
    this.refill = refill;
    this.clock = clock;
    this.buckets =
        Caffeine.newBuilder()
            .maximumSize(CLIENTS)
            .expireAfterAccess(refill.multipliedBy(burst))
            .build();
  }

  /** Takes one request from the client's bucket; returns false if it is empty. */
  public boolean take(InetAddress client) {
    return take(ClientNetworks.of(client).getHostAddress());
  }

  /** Takes one request from the bucket of a client that is known by a name. */
  public boolean take(String client) {
    long now = clock.millis();
    return buckets.get(client, ignored -> new Bucket(burst, now)).take(burst, refill, now);
  }
}
