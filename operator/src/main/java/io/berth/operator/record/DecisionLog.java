package io.berth.operator.record;

import io.berth.engine.api.Decision;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.model.PodRef;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The latest decision on each pod, up to a number of pods; the least recently used entries are
 * removed first.
 */
public final class DecisionLog {

  private final Map<String, LoggedDecision> latest;

  /**
   * A decision and its result.
   *
   * @param decision the decision
   * @param at the time of the decision
   * @param attempts the number of decisions on the pod, including this one
   * @param nomination the last decision before this one to evict pods for it; empty if there was
   *     none
   * @param outcome the result of a placement: that the pod was bound, or the reason why not
   * @param bindingMillis the time from the decision to the confirmed Binding
   * @param shadow what the shadow of the policy would have decided, if it was tried
   */
  public record LoggedDecision(
      Decision decision,
      Instant at,
      int attempts,
      Optional<Decision.Nominated> nomination,
      Optional<String> outcome,
      OptionalLong bindingMillis,
      Optional<ShadowDecision> shadow) {
    private LoggedDecision with(ShadowDecision compared) {
      return new LoggedDecision(
          decision, at, attempts, nomination, outcome, bindingMillis, Optional.of(compared));
    }
  }

  /**
   * @param pods the maximum number of pods
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
            decision,
            at,
            same ? before.attempts() + 1 : 1,
            same ? nominationIn(before) : Optional.empty(),
            Optional.empty(),
            OptionalLong.empty(),
            same && !(decision instanceof Decision.Placed) ? before.shadow() : Optional.empty());
    latest.put(key, entry);
    return entry;
  }

  private static Optional<Decision.Nominated> nominationIn(LoggedDecision entry) {
    return entry.decision() instanceof Decision.Nominated nominated
        ? Optional.of(nominated)
        : entry.nomination();
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
            entry.decision(),
            entry.at(),
            entry.attempts(),
            entry.nomination(),
            Optional.of(outcome),
            bindingMillis,
            entry.shadow());
    latest.put(key(pod), ended);
    return Optional.of(ended);
  }

  /** Records what the shadow of the policy would have decided instead of the latest decision. */
  public synchronized void shadowed(ShadowDecision shadow) {
    latest.computeIfPresent(
        key(shadow.pod()),
        (key, entry) ->
            entry.decision().pod().uid().equals(shadow.pod().uid()) ? entry.with(shadow) : entry);
  }

  /** Returns the latest decision on the pod with this name. */
  public synchronized Optional<LoggedDecision> find(String namespace, String pod) {
    return Optional.ofNullable(latest.get(namespace + "/" + pod));
  }

  /**
   * A part of the decisions, in the order of namespaces and names.
   *
   * @param remaining how many come after them
   */
  public record Page(List<LoggedDecision> decisions, int remaining) {
    public Page {
      decisions = List.copyOf(decisions);
    }
  }

  /**
   * Returns the latest decisions on the pods of a namespace.
   *
   * @param namespace empty for all namespaces
   * @param after the namespace and name after which the page begins; empty for the first page
   * @param limit the maximum number of decisions
   */
  public Page list(String namespace, String after, int limit) {
    TreeMap<String, LoggedDecision> found = new TreeMap<>();
    synchronized (this) {
      latest.forEach(
          (key, decision) -> {
            if ((namespace.isEmpty() || decision.decision().pod().namespace().equals(namespace))
                && key.compareTo(after) > 0) {
              found.put(key, decision);
            }
          });
    }
    List<LoggedDecision> page = found.values().stream().limit(limit).toList();
    return new Page(page, found.size() - page.size());
  }

  /** Returns whether the latest decision on a pod was to place it. */
  public boolean hasPlaced(PodRef pod) {
    return find(pod.namespace(), pod.name())
        .map(LoggedDecision::decision)
        .filter(Decision.Placed.class::isInstance)
        .filter(decision -> decision.pod().uid().equals(pod.uid()))
        .isPresent();
  }

  /** Removes all decisions, because those of another engine do not apply to the next one. */
  public synchronized void clear() {
    latest.clear();
  }

  private static String key(PodRef pod) {
    return pod.namespace() + "/" + pod.name();
  }
}
