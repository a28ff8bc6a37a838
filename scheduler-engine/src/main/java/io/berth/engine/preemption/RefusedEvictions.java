package io.berth.engine.preemption;

import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.Timer;
import io.berth.engine.time.Due;
import io.berth.rules.retry.DoublingPause;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * The pods whose eviction the API server rejected. They are not selected as victims for a pause
 * that doubles with each rejection, so that a preemptor tries other victims instead of repeating
 * the same request.
 */
public final class RefusedEvictions implements Timer {
  private static final DoublingPause PAUSE =
      new DoublingPause(Duration.ofSeconds(30), Duration.ofMinutes(16));

  /**
   * The rejections for one pod.
   *
   * @param until the time from which it may be a victim again; never once that time has passed
   */
  private record Refused(int times, Due until) {}

  private final ClusterState state;
  private final Map<String, Refused> byVictim = new HashMap<>();
  private Due due = Due.NEVER;

  public RefusedEvictions(ClusterState state) {
    this.state = state;
  }

  /**
   * Records a rejected eviction of the pod. Rejections during the pause are answers to evictions
   * that were requested before it, for other pods, and count once.
   */
  public void refused(PodEntry victim, Instant now) {
    Refused before = byVictim.get(victim.ref().uid());
    if (before != null && !before.until().equals(Due.NEVER)) {
      return;
    }
    int times = before == null ? 1 : before.times() + 1;
    Due until = Due.at(now.plus(PAUSE.before(times)));
    byVictim.put(victim.ref().uid(), new Refused(times, until));
    due = due.orEarlier(until);
    state.evictionChanged(victim);
  }

  /** Returns whether the pod must not be a victim now. */
  public boolean isRefused(PodEntry pod) {
    if (byVictim.isEmpty()) {
      return false;
    }
    Refused refused = byVictim.get(pod.ref().uid());
    return refused != null && !refused.until().equals(Due.NEVER);
  }

  /** Returns whether {@link #isRefused} is false for all pods. */
  boolean areNone() {
    return due.equals(Due.NEVER);
  }

  /** Removes a deleted pod. */
  public void forget(String victimUid) {
    byVictim.remove(victimUid);
  }

  /**
   * Returns the time at which the first pod can be a victim again; never if no eviction was
   * rejected.
   */
  @Override
  public Due due() {
    return due;
  }

  @Override
  public void run(Instant now) {
    due = Due.NEVER;
    for (Iterator<Map.Entry<String, Refused>> it = byVictim.entrySet().iterator(); it.hasNext(); ) {
      Map.Entry<String, Refused> entry = it.next();
      PodEntry victim = state.pods().byUid(entry.getKey());
      Due until = entry.getValue().until();
      if (victim == null) {
        it.remove();
      } else if (until.isReached(now)) {
        entry.setValue(new Refused(entry.getValue().times(), Due.NEVER));
        state.evictionChanged(victim);
      } else {
        due = due.orEarlier(until);
      }
    }
  }
}
