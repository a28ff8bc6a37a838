package io.berth.engine.preemption;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which pods were evicted for which pod and are not gone yet. A preemptor that still waits for a
 * victim neither evicts more nor tries again because others go.
 */
public final class AwaitedVictims {
  private final Map<String, Set<String>> victimsOf = new HashMap<>();
  private final Map<String, Set<String>> preemptorsOf = new HashMap<>();

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

  /** Whether a victim of this preemptor is still there. */
  public boolean isWaiting(String preemptor) {
    return victimsOf.containsKey(preemptor);
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
        freed = preemptor;
      }
    }
    return Optional.ofNullable(freed);
  }

  /** The preemptor waits no more: it is placed, gone, or has found another way. */
  public void forget(String preemptor) {
    Set<String> victims = victimsOf.remove(preemptor);
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

  /** How many preemptors wait. */
  public int size() {
    return victimsOf.size();
  }
}
