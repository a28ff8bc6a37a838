package io.berth.engine.state;

import io.berth.engine.model.Requirement;
import io.berth.rules.label.LabelOperator;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The pods of a namespace, by name and by their labels. A selector is evaluated on the distinct
 * sets of labels, not on each pod, and if it names the values of an indexed key, only on the sets
 * with these values.
 */
final class PodsByLabel {
  /** The maximum number of indexed keys. Selectors on other keys are evaluated on all sets. */
  private static final int KEYS = 8;

  /** The number of sets below which an index is not worth its memory. */
  private static final int FEW = 64;

  private final Map<String, PodEntry> byName = new LinkedHashMap<>();
  private final Map<Map<String, String>, LabelSet> sets = new LinkedHashMap<>();
  private final Map<String, Map<String, Set<LabelSet>>> byKey = new HashMap<>();

  @Nullable PodEntry byName(String name) {
    return byName.get(name);
  }

  /** Returns the pods with a name each, in order of arrival. */
  Collection<PodEntry> all() {
    return byName.values();
  }

  boolean isEmpty() {
    return sets.isEmpty();
  }

  /** Adds a pod. It replaces one of the same name, which stays in the index until it is removed. */
  void add(PodEntry pod) {
    byName.put(pod.ref().name(), pod);
    join(pod);
  }

  void remove(PodEntry pod) {
    byName.remove(pod.ref().name(), pod);
    leave(pod);
  }

  /** Updates the index after a change of the pod's labels. */
  void relabel(PodEntry pod) {
    leave(pod);
    join(pod);
  }

  /** Visits all pods whose labels satisfy the requirements. */
  void forEachMatching(List<Requirement> requirements, Consumer<PodEntry> visitor) {
    for (LabelSet set : candidates(requirements)) {
      if (requirements.stream().allMatch(requirement -> requirement.matches(set.labels()))) {
        set.forEach(visitor);
      }
    }
  }

  /** Returns all sets that satisfy the requirements, and possibly others. */
  private Collection<LabelSet> candidates(List<Requirement> requirements) {
    if (sets.size() < FEW) {
      return sets.values();
    }
    for (Requirement requirement : requirements) {
      if (requirement.operator() == LabelOperator.IN
          && (byKey.containsKey(requirement.key()) || byKey.size() < KEYS)) {
        Map<String, Set<LabelSet>> byValue =
            byKey.computeIfAbsent(requirement.key(), this::indexOf);
        List<LabelSet> candidates = new ArrayList<>();
        for (String value : requirement.values()) {
          candidates.addAll(byValue.getOrDefault(value, Set.of()));
        }
        return candidates;
      }
    }
    return sets.values();
  }

  private void join(PodEntry pod) {
    LabelSet set = sets.computeIfAbsent(pod.model().labels(), this::newSet);
    set.add(pod);
  }

  private LabelSet newSet(Map<String, String> labels) {
    LabelSet set = new LabelSet(labels);
    byKey.forEach((key, byValue) -> index(byValue, key, set));
    return set;
  }

  private void leave(PodEntry pod) {
    LabelSet set = pod.labelSet;
    if (set == null) {
      return;
    }
    set.remove(pod);
    if (set.isEmpty()) {
      sets.remove(set.labels());
      byKey.forEach((key, byValue) -> unindex(byValue, key, set));
    }
  }

  private Map<String, Set<LabelSet>> indexOf(String key) {
    Map<String, Set<LabelSet>> byValue = new HashMap<>();
    sets.values().forEach(set -> index(byValue, key, set));
    return byValue;
  }

  private static void index(Map<String, Set<LabelSet>> byValue, String key, LabelSet set) {
    String value = set.labels().get(key);
    if (value != null) {
      byValue.computeIfAbsent(value, absent -> new LinkedHashSet<>()).add(set);
    }
  }

  private static void unindex(Map<String, Set<LabelSet>> byValue, String key, LabelSet set) {
    String value = set.labels().get(key);
    Set<LabelSet> ofValue = value == null ? null : byValue.get(value);
    if (ofValue != null && ofValue.remove(set) && ofValue.isEmpty()) {
      byValue.remove(value);
    }
  }
}
