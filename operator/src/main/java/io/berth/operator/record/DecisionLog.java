package io.berth.operator.record;

import io.berth.engine.Decision;
import io.berth.engine.PodRef;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The latest decision on each pod, for as many pods as fit; the ones decided on longest ago are
 * forgotten first.
 */
public final class DecisionLog {

  private final Map<String, LoggedDecision> latest;

  /**
   * A decision and its result.
   *
   * @param attempts the number of decisions on the pod, this one included
   * @param outcome the result of a placement: that the pod was bound, or the reason why not
   */
  public record LoggedDecision(
      Decision decision,
      Instant at,
      int attempts,
      Optional<String> outcome,
      OptionalLong bindingMillis) {}

  /**
   * @param pods how many pods to remember
   */
  public DecisionLog(int pods) {
    this.latest =
        new LinkedHashMap<>(1024, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, LoggedDecision> eldest) {
            return size() > pods;
          }
        };
  }

  /** Records a decision. */
  public synchronized LoggedDecision decided(Decision decision, Instant at) {
    String key = key(decision.pod());
    LoggedDecision before = latest.get(key);
    boolean same = before != null && before.decision().pod().uid().equals(decision.pod().uid());
    LoggedDecision entry =
        new LoggedDecision(
            decision, at, same ? before.attempts() + 1 : 1, Optional.empty(), OptionalLong.empty());
    latest.put(key, entry);
    return entry;
  }

  /** Records the result of the latest decision on the pod. */
  public synchronized Optional<LoggedDecision> ended(
      PodRef pod, String outcome, OptionalLong bindingMillis) {
    LoggedDecision entry = latest.get(key(pod));
    if (entry == null || !entry.decision().pod().uid().equals(pod.uid())) {
      return Optional.empty();
    }
    LoggedDecision ended =
        new LoggedDecision(
            entry.decision(), entry.at(), entry.attempts(), Optional.of(outcome), bindingMillis);
    latest.put(key(pod), ended);
    return Optional.of(ended);
  }

  /** The latest decision on the pod of that name. */
  public synchronized Optional<LoggedDecision> find(String namespace, String pod) {
    return Optional.ofNullable(latest.get(namespace + "/" + pod));
  }

  /** Returns whether the latest decision on a pod was a node. */
  public boolean hasPlaced(PodRef pod) {
    return find(pod.namespace(), pod.name())
        .map(LoggedDecision::decision)
        .filter(Decision.Placed.class::isInstance)
        .filter(decision -> decision.pod().uid().equals(pod.uid()))
        .isPresent();
  }

  /** Forgets all: another engine's decisions are none of this one's. */
  public synchronized void clear() {
    latest.clear();
  }

  private static String key(PodRef pod) {
    return pod.namespace() + "/" + pod.name();
  }
}
