package io.berth.engine.state;

import io.berth.engine.model.Operator;
import io.berth.engine.model.Requirement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The pods of a namespace, indexed by the label keys that selectors use. A selector that matches
 * only the pods of one job is evaluated on these pods, not on the whole namespace.
 */
final class PodsByLabel {
  /** The maximum number of indexed keys. Selectors on other keys scan all pods of the namespace. */
  private static final int KEYS = 8;

  /** The number of pods below which an index is not worth its memory. */
  private static final int FEW = 64;

  private final Map<String, PodEntry> byName = new LinkedHashMap<>();
  private final Map<String, Map<String, Set<PodEntry>>> byKey = new HashMap<>();

  @Nullable PodEntry byName(String name) {
    return byName.get(name);
  }

  Collection<PodEntry> all() {
    return byName.values();
  }

  boolean isEmpty() {
    return byName.isEmpty();
  }

  void add(PodEntry pod) {
    PodEntry before = byName.put(pod.ref().name(), pod);
    if (before != null) {
      unindex(before, before.model().labels());
    }
    byKey.forEach((key, byValue) -> index(byValue, key, pod));
  }

  void remove(PodEntry pod) {
    if (byName.remove(pod.ref().name(), pod)) {
      unindex(pod, pod.model().labels());
    }
  }

  /** Updates the index after a change of the pod's labels. */
  void relabel(PodEntry pod, Map<String, String> before) {
    if (byName.get(pod.ref().name()) == pod) {
      unindex(pod, before);
      byKey.forEach((key, byValue) -> index(byValue, key, pod));
    }
  }

  /** Returns all pods that satisfy the requirements, and possibly others. */
  Collection<PodEntry> candidates(List<Requirement> requirements) {
    if (byName.size() < FEW) {
      return byName.values();
    }
    for (Requirement requirement : requirements) {
      if (requirement.operator() == Operator.IN
          && (byKey.containsKey(requirement.key()) || byKey.size() < KEYS)) {
        Map<String, Set<PodEntry>> byValue =
            byKey.computeIfAbsent(requirement.key(), this::indexOf);
        List<PodEntry> candidates = new ArrayList<>();
        for (String value : Set.copyOf(requirement.values())) {
          candidates.addAll(byValue.getOrDefault(value, Set.of()));
        }
        return candidates;
      }
    }
    return byName.values();
  }

  private Map<String, Set<PodEntry>> indexOf(String key) {
    Map<String, Set<PodEntry>> byValue = new HashMap<>();
    byName.values().forEach(pod -> index(byValue, key, pod));
    return byValue;
  }

  private static void index(Map<String, Set<PodEntry>> byValue, String key, PodEntry pod) {
    String value = pod.model().labels().get(key);
    if (value != null) {
      byValue.computeIfAbsent(value, absent -> new LinkedHashSet<>()).add(pod);
    }
  }

  private void unindex(PodEntry pod, Map<String, String> labels) {
    byKey.forEach(
        (key, byValue) -> {
          String value = labels.get(key);
          Set<PodEntry> pods = value == null ? null : byValue.get(value);
          if (pods != null && pods.remove(pod) && pods.isEmpty()) {
            byValue.remove(value);
          }
        });
  }
}
