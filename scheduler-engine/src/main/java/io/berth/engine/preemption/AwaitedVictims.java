package io.berth.engine.preemption;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The evicted pods that are not deleted yet, by the pod that they were evicted for. While a
 * preemptor waits for a victim, it does not evict more pods, and is not retried when other pods are
 * deleted.
 */
public final class AwaitedVictims {
  private final Map<String, Set<String>> victimsOf = new HashMap<>();
  private final Map<String, Set<String>> preemptorsOf = new HashMap<>();

  /** The preemptors that were tried without success since they began to wait. */
  private final Set<String> triedMeanwhile = new HashSet<>();

  /** Records that the preemptor waits for exactly these victims. All arguments are pod UIDs. */
  public void await(String preemptor, List<String> victims) {
    forget(preemptor);
    if (victims.isEmpty()) {
      return;
    }
    victimsOf.put(preemptor, new HashSet<>(victims));
    for (String victim : victims) {
      preemptorsOf.computeIfAbsent(victim, uid -> new HashSet<>()).add(preemptor);
    }
  }

  /** Returns whether any victim of this preemptor still exists. */
  public boolean isWaiting(String preemptor) {
    return victimsOf.containsKey(preemptor);
  }

  /**
   * Records that the preemptor was tried and still waits. Since something other than the victims
   * had changed, it may fit before all of them are deleted: from now on, each deletion wakes it.
   */
  public void triedMeanwhile(String preemptor) {
    if (isWaiting(preemptor)) {
      triedMeanwhile.add(preemptor);
    }
  }

  /**
   * Returns whether the preemptor waits for this victim and others, so that the deletion of this
   * one is not sufficient.
   */
  public boolean isOneOfSeveral(String preemptor, String victim) {
    Set<String> victims = victimsOf.get(preemptor);
    return victims != null
        && victims.size() > 1
        && victims.contains(victim)
        && !triedMeanwhile.contains(preemptor);
  }

  /** Returns the preemptors that wait for this victim. */
  public Set<String> preemptorsOf(String victim) {
    return preemptorsOf.getOrDefault(victim, Set.of());
  }

  /** Returns the victims that still exist. */
  public Set<String> victimsOf(String preemptor) {
    return victimsOf.getOrDefault(preemptor, Set.of());
  }

  /** Handles a deleted victim; returns a preemptor for which it was the last one. */
  public Optional<String> gone(String victim) {
    Set<String> preemptors = preemptorsOf.remove(victim);
    if (preemptors == null) {
      return Optional.empty();
    }
    String freed = null;
    for (String preemptor : preemptors) {
      Set<String> left = victimsOf.get(preemptor);
      if (left != null && left.remove(victim) && left.isEmpty()) {
        victimsOf.remove(preemptor);
        triedMeanwhile.remove(preemptor);
        freed = preemptor;
      }
    }
    return Optional.ofNullable(freed);
  }

  /** Removes a preemptor that is placed, deleted, or has found another way. */
  public void forget(String preemptor) {
    Set<String> victims = victimsOf.remove(preemptor);
    triedMeanwhile.remove(preemptor);
    if (victims == null) {
      return;
    }
    for (String victim : victims) {
      Set<String> preemptors = preemptorsOf.get(victim);
      if (preemptors != null && preemptors.remove(preemptor) && preemptors.isEmpty()) {
        preemptorsOf.remove(victim);
      }
    }
  }

  /** Returns the number of waiting preemptors. */
  public int size() {
    return victimsOf.size();
  }
}
