package io.berth.engine.preemption;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The evicted pods that are not gone yet, by the pod that they were evicted for. A preemptor that
 * still waits for a victim neither evicts more nor tries again because others go.
 */
public final class AwaitedVictims {
  private final Map<String, Set<String>> victimsOf = new HashMap<>();
  private final Map<String, Set<String>> preemptorsOf = new HashMap<>();

  /** Preemptors that were tried in vain since they began to wait. */
  private final Set<String> triedMeanwhile = new HashSet<>();

  /** The preemptor waits for these victims, and for no others. All are pods' UIDs. */
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

  /** Returns whether a victim of this preemptor is still there. */
  public boolean isWaiting(String preemptor) {
    return victimsOf.containsKey(preemptor);
  }

  /**
   * The preemptor was tried and still waits. By then something else than the victims had changed,
   * so it may fit before all of them are gone: from now on each of them wakes it.
   */
  public void triedMeanwhile(String preemptor) {
    if (isWaiting(preemptor)) {
      triedMeanwhile.add(preemptor);
    }
  }

  /**
   * Returns whether the preemptor waits for this victim and others, so that it alone does not help.
   */
  public boolean isOneOfSeveral(String preemptor, String victim) {
    Set<String> victims = victimsOf.get(preemptor);
    return victims != null
        && victims.size() > 1
        && victims.contains(victim)
        && !triedMeanwhile.contains(preemptor);
  }

  /** The preemptors that wait for this victim. */
  public Set<String> preemptorsOf(String victim) {
    return preemptorsOf.getOrDefault(victim, Set.of());
  }

  /** The victims that are still there. */
  public Set<String> victimsOf(String preemptor) {
    return victimsOf.getOrDefault(preemptor, Set.of());
  }

  /** The victim is gone; answers a preemptor for which it was the last. */
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

  /** The preemptor waits no more: it is placed, gone, or has found another way. */
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
