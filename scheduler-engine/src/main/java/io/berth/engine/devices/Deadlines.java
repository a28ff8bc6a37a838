package io.berth.engine.devices;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The claims whose devices are being prepared, by the time at which that takes too long. */
final class Deadlines<K> {
  private final TreeMap<Instant, Set<K>> byTime = new TreeMap<>();
  private final Map<K, Instant> pending = new HashMap<>();
  private final Set<K> overdue = new HashSet<>();

  void set(K key, Instant deadline) {
    remove(key);
    pending.put(key, deadline);
    byTime.computeIfAbsent(deadline, absent -> new HashSet<>()).add(key);
  }

  void remove(K key) {
    overdue.remove(key);
    Instant deadline = pending.remove(key);
    if (deadline != null) {
      byTime.computeIfPresent(
          deadline, (at, keys) -> keys.remove(key) && keys.isEmpty() ? null : keys);
    }
  }

  Optional<Instant> next() {
    return byTime.isEmpty() ? Optional.empty() : Optional.of(byTime.firstKey());
  }

  /** Marks what is overdue; returns whether anything is newly so. */
  boolean expire(Instant now) {
    boolean any = false;
    while (!byTime.isEmpty() && !byTime.firstKey().isAfter(now)) {
      for (K key : byTime.pollFirstEntry().getValue()) {
        pending.remove(key);
        overdue.add(key);
        any = true;
      }
    }
    return any;
  }

  boolean isOverdue(K key) {
    return overdue.contains(key);
  }
}
