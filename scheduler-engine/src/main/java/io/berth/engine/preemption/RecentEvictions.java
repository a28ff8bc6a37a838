package io.berth.engine.preemption;

import io.berth.engine.api.WaitCause;
import io.berth.engine.framework.EvictionLimits;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.journal.Journal;
import io.berth.engine.state.PodEntry;
import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The evictions within the last minute, for the limits of policies. A new engine starts without
 * them: after a change of the leader, the full limit of a minute is available again.
 */
public final class RecentEvictions {
  private static final Duration WINDOW = Duration.ofMinutes(1);

  private record Eviction(Instant at, String namespace) {}

  private final Journal journal;
  private final ArrayDeque<Eviction> recent = new ArrayDeque<>();
  private final Map<String, Integer> byNamespace = new HashMap<>();

  public RecentEvictions(Journal journal) {
    this.journal = journal;
  }

  /** Records the evictions of these victims. */
  public void add(Collection<PodEntry> victims, Instant now) {
    for (PodEntry victim : victims) {
      String namespace = victim.ref().namespace();
      recent.add(new Eviction(now, namespace));
      byNamespace.merge(namespace, 1, Integer::sum);
      journal.record(() -> forget(recent.removeLast()));
    }
  }

  /**
   * Returns whether the limits never allow so many victims at once, whatever was evicted before.
   */
  static boolean isTooMuch(Collection<PodEntry> victims, EvictionLimits limits) {
    if (victims.size() > limits.perMinute()) {
      return true;
    }
    if (victims.size() <= limits.perMinutePerNamespace()) {
      return false;
    }
    Map<String, Integer> wanted = new HashMap<>();
    victims.forEach(victim -> wanted.merge(victim.ref().namespace(), 1, Integer::sum));
    return wanted.values().stream().anyMatch(count -> count > limits.perMinutePerNamespace());
  }

  /**
   * Returns the time from which the victims may be evicted within the limits; never if the limits
   * do not allow so many. Victims that are only reported need not wait for others.
   */
  public Due allowedAt(Collection<PodEntry> victims, PreemptionRules rules, Instant now) {
    EvictionLimits limits = rules.limits();
    if (rules.isDryRun()) {
      return isTooMuch(victims, limits) ? Due.NEVER : Due.AT_ONCE;
    }
    expire(now);
    Due allowedAt = Due.AT_ONCE;
    if (limits.perMinute() != EvictionLimits.NO_LIMIT) {
      allowedAt = room(victims.size(), limits.perMinute(), recent.size(), null);
    }
    if (limits.perMinutePerNamespace() != EvictionLimits.NO_LIMIT) {
      Map<String, Integer> wanted = new HashMap<>();
      victims.forEach(victim -> wanted.merge(victim.ref().namespace(), 1, Integer::sum));
      for (Map.Entry<String, Integer> entry : wanted.entrySet()) {
        String namespace = entry.getKey();
        int known = byNamespace.getOrDefault(namespace, 0);
        allowedAt =
            allowedAt.orLater(
                room(entry.getValue(), limits.perMinutePerNamespace(), known, namespace));
      }
    }
    return allowedAt;
  }

  /**
   * Returns the time at which this many further evictions fit within the limit, of one namespace
   * or, without one, of the whole cluster.
   */
  private Due room(int wanted, int limit, int known, @Nullable String namespace) {
    if (wanted > limit) {
      return Due.NEVER;
    }
    int tooMany = known + wanted - limit;
    for (Iterator<Eviction> it = recent.iterator(); tooMany > 0 && it.hasNext(); ) {
      Eviction eviction = it.next();
      if (namespace == null || namespace.equals(eviction.namespace())) {
        tooMany--;
        if (tooMany == 0) {
          return Due.at(eviction.at().plus(WINDOW));
        }
      }
    }
    return Due.AT_ONCE;
  }

  /**
   * Returns the cause of waiting for evictions that are possible from this time on: within the time
   * of the limits, no other room is needed.
   */
  public static WaitCause causeOfWaitUntil(Due allowedAt, Instant now) {
    return allowedAt.isReached(now.plus(WINDOW)) ? WaitCause.EVICTIONS_HELD : WaitCause.NO_ROOM;
  }

  /** Forgets all evictions. */
  void clear() {
    journal.requireClosed("forgetting evictions");
    recent.clear();
    byNamespace.clear();
  }

  private void expire(Instant now) {
    while (!recent.isEmpty() && !recent.getFirst().at().plus(WINDOW).isAfter(now)) {
      forget(recent.removeFirst());
    }
  }

  private void forget(Eviction eviction) {
    byNamespace.computeIfPresent(
        eviction.namespace(), (namespace, count) -> count == 1 ? null : count - 1);
  }
}
