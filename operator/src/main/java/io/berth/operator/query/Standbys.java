package io.berth.operator.query;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The replicas that do not lead and can answer reviews, as they announce themselves to the leader.
 * Thread-safe.
 */
public final class Standbys {
  /** The time for which a replica is known after it announced itself. */
  static final Duration KEPT = StandbyAnnouncements.EVERY.multipliedBy(5).dividedBy(2);

  /** More than there are; an announcement of a further one is ignored. */
  static final int MOST = 16;

  private static final Pattern ADDRESS =
      Pattern.compile("([A-Za-z0-9.-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}]):[0-9]{1,5}");

  private final Clock clock;

  /** The time of the last announcement by address, in the order of the first announcements. */
  private final Map<String, Instant> announced = new LinkedHashMap<>();

  public Standbys(Clock clock) {
    this.clock = clock;
  }

  /**
   * Notes that a replica answers reviews.
   *
   * @param address the {@code host:port} at which it serves the API group
   * @return whether the address is valid
   */
  public synchronized boolean announce(String address) {
    if (!ADDRESS.matcher(address).matches()) {
      return false;
    }
    forgetOld();
    if (announced.size() < MOST || announced.containsKey(address)) {
      announced.put(address, clock.instant());
    }
    return true;
  }

  /**
   * Returns the address of a replica to ask: the same one for as long as it announces itself,
   * because its mirror is up to date.
   */
  synchronized Optional<String> preferred() {
    forgetOld();
    return announced.keySet().stream().findFirst();
  }

  /** Asks a replica no more until it announces itself again. */
  synchronized void failed(String address) {
    announced.remove(address);
  }

  private void forgetOld() {
    Instant oldest = clock.instant().minus(KEPT);
    announced.values().removeIf(oldest::isAfter);
  }
}
