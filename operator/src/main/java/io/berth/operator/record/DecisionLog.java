package io.berth.operator.record;

import io.berth.engine.api.Decision;
import io.berth.engine.api.GroupState;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.model.PodRef;
import io.berth.operator.record.DecisionLog.LoggedDecision;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The latest decision on each pod that waits, and on a number of other pods, of which the least
 * recently used ones are removed first. The latest changes are kept as well, for those who watch
 * decisions. Thread-safe.
 */
public final class DecisionLog implements VersionedObjects<LoggedDecision> {
  /** The number of changes that are kept. */
  static final int CHANGES = 8_192;

  /** The number of results before the latest one that are kept of a pod. */
  private static final int EARLIER = 5;

  /** Pods that were placed or have gone, the least recently used one first. */
  private final Map<String, LoggedDecision> settled;

  /** Pods that were not placed when they were last tried. */
  private final LinkedHashMap<String, LoggedDecision> waiting = new LinkedHashMap<>();

  private final int pods;
  private final Predicate<PodRef> isPending;
  private final ChangeLog<LoggedDecision> changes;

  /** The latest states of the groups, by the names that records of decisions give them. */
  private volatile Map<String, GroupState> groups = Map.of();

  /**
   * A decision and its result.
   *
   * @param decision the decision
   * @param at the time of the decision
   * @param attempts the number of decisions on the pod, including this one
   * @param nomination the last decision before this one to evict pods for it; empty if there was
   *     none
   * @param earlier the results before this one, the latest first; results that follow each other
   *     and are alike count as one
   * @param outcome the result of a placement: that the pod was bound, or the reason why not
   * @param bindingMillis the time from the decision to the confirmed Binding
   * @param shadow what the shadow of the policy would have decided, if it was tried
   * @param version the version of this entry
   */
  public record LoggedDecision(
      Decision decision,
      Instant at,
      int attempts,
      Optional<Decision.Nominated> nomination,
      List<EarlierDecision> earlier,
      Optional<String> outcome,
      OptionalLong bindingMillis,
      Optional<ShadowDecision> shadow,
      long version) {
    private LoggedDecision with(ShadowDecision compared, long changed) {
      return new LoggedDecision(
          decision,
          at,
          attempts,
          nomination,
          earlier,
          outcome,
          bindingMillis,
          Optional.of(compared),
          changed);
    }
  }

  /**
   * @param pods the maximum number of pods that do not wait
   * @param isPending whether a pod exists and has no node
   */
  public DecisionLog(int pods, Predicate<PodRef> isPending, InstantSource clock) {
    this(pods, CHANGES, isPending, clock);
  }

  /**
   * @param changes the number of changes that are kept
   */
  DecisionLog(int pods, int changes, Predicate<PodRef> isPending, InstantSource clock) {
    this.pods = pods;
    this.isPending = isPending;
    this.changes = new ChangeLog<>(changes, clock);
    this.settled =
        new LinkedHashMap<>(1024, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, LoggedDecision> eldest) {
            if (size() <= pods) {
              return false;
            }
            DecisionLog.this.changes.add(eldest.getValue(), null);
            return true;
          }
        };
  }

  /** Records a decision. */
  public synchronized LoggedDecision decided(Decision decision, Instant at) {
    String key = key(decision.pod());
    LoggedDecision before = latest(key);
    boolean same = before != null && before.decision().pod().uid().equals(decision.pod().uid());
    if (before != null && !same) {
      changes.add(before, null);
    }
    LoggedDecision entry =
        new LoggedDecision(
            decision,
            at,
            same ? before.attempts() + 1 : 1,
            same ? nominationIn(before) : Optional.empty(),
            same ? EarlierDecision.with(before, EARLIER) : List.of(),
            Optional.empty(),
            OptionalLong.empty(),
            same && !(decision instanceof Decision.Placed) ? before.shadow() : Optional.empty(),
            changes.next());
    changed(key, same ? before : null, entry);
    return entry;
  }

  private void changed(String key, @Nullable LoggedDecision before, LoggedDecision after) {
    changes.add(before, after);
    if (after.decision() instanceof Decision.Placed) {
      waiting.remove(key);
      settled.put(key, after);
    } else {
      settled.remove(key);
      waiting.put(key, after);
      settleEldest();
    }
  }

  /** Moves pods to the settled ones that wait no more. Each call looks at two pods at most. */
  private void settleEldest() {
    for (int i = 0; i < 2 && waiting.size() > pods; i++) {
      Map.Entry<String, LoggedDecision> eldest = waiting.pollFirstEntry();
      if (isPending.test(eldest.getValue().decision().pod())) {
        waiting.putLast(eldest.getKey(), eldest.getValue());
      } else {
        settled.put(eldest.getKey(), eldest.getValue());
      }
    }
  }

  private @Nullable LoggedDecision latest(String key) {
    LoggedDecision waits = waiting.get(key);
    return waits == null ? settled.get(key) : waits;
  }

  private static Optional<Decision.Nominated> nominationIn(LoggedDecision entry) {
    return entry.decision() instanceof Decision.Nominated nominated
        ? Optional.of(nominated)
        : entry.nomination();
  }

  /** Records the result of the latest decision on the pod. */
  public synchronized Optional<LoggedDecision> ended(
      PodRef pod, String outcome, OptionalLong bindingMillis) {
    LoggedDecision entry = latest(key(pod));
    if (entry == null || !entry.decision().pod().uid().equals(pod.uid())) {
      return Optional.empty();
    }
    LoggedDecision ended =
        new LoggedDecision(
            entry.decision(),
            entry.at(),
            entry.attempts(),
            entry.nomination(),
            entry.earlier(),
            Optional.of(outcome),
            bindingMillis,
            entry.shadow(),
            changes.next());
    changed(key(pod), entry, ended);
    return Optional.of(ended);
  }

  /** Records what the shadow of the policy would have decided instead of the latest decision. */
  public synchronized void shadowed(ShadowDecision shadow) {
    LoggedDecision entry = latest(key(shadow.pod()));
    if (entry != null && entry.decision().pod().uid().equals(shadow.pod().uid())) {
      changed(key(shadow.pod()), entry, entry.with(shadow, changes.next()));
    }
  }

  /** Returns the latest decision on the pod with this name. */
  public synchronized Optional<LoggedDecision> find(String namespace, String pod) {
    return Optional.ofNullable(latest(namespace + "/" + pod));
  }

  /** Returns decisions in the order of namespaces and names. */
  @Override
  public Listed<LoggedDecision> list(Predicate<LoggedDecision> wanted, String after, int limit) {
    List<LoggedDecision> found = new ArrayList<>();
    long version;
    synchronized (this) {
      version = changes.version();
      for (Map<String, LoggedDecision> some : List.of(settled, waiting)) {
        some.forEach(
            (key, entry) -> {
              if (key.compareTo(after) > 0 && wanted.test(entry)) {
                found.add(entry);
              }
            });
      }
    }
    found.sort(Comparator.comparing(this::key));
    List<LoggedDecision> page = found.subList(0, Math.min(limit, found.size()));
    return new Listed<>(version, page, found.size() - page.size());
  }

  @Override
  public synchronized Optional<ChangeLog.Part<LoggedDecision>> since(
      long version, int limit, Predicate<LoggedDecision> wanted) {
    return changes.since(version, limit, wanted);
  }

  @Override
  public String key(LoggedDecision entry) {
    return key(entry.decision().pod());
  }

  @Override
  public long version(LoggedDecision entry) {
    return entry.version();
  }

  @Override
  public String json(LoggedDecision entry) {
    return Explanation.json(entry, groupOf(entry)).toString();
  }

  /** Takes the states of all groups, of which explanations show the latest ones. */
  public void groups(List<GroupState> states) {
    groups =
        states.stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    state -> state.group().toString(), Function.identity(), (one, other) -> one));
  }

  /** Returns the state of the group with which a pod was tried; empty if there is none. */
  public Optional<GroupState> groupOf(LoggedDecision entry) {
    return Optional.ofNullable(groups.get(entry.decision().record().group()));
  }

  /** Returns whether the latest decision on a pod was to place it. */
  public boolean hasPlaced(PodRef pod) {
    return find(pod.namespace(), pod.name())
        .map(LoggedDecision::decision)
        .filter(Decision.Placed.class::isInstance)
        .filter(decision -> decision.pod().uid().equals(pod.uid()))
        .isPresent();
  }

  /**
   * Removes all decisions, because those of another engine do not apply to the next one. Versions
   * begin again, so that clients who watch list the decisions of the next engine.
   */
  public synchronized void clear() {
    settled.clear();
    waiting.clear();
    groups = Map.of();
    changes.begin();
  }

  private static String key(PodRef pod) {
    return pod.namespace() + "/" + pod.name();
  }
}
