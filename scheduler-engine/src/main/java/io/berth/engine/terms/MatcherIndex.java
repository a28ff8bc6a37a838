package io.berth.engine.terms;

import io.berth.engine.model.Operator;
import io.berth.engine.model.Requirement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Matchers by one label that a pod must have to be meant, so that a pod is held against the few
 * matchers it may satisfy and not against all.
 */
final class MatcherIndex {
  private static final class ByKey {
    final Map<String, List<PodMatcher>> byValue = new HashMap<>();
    final List<PodMatcher> anyValue = new ArrayList<>();

    boolean isEmpty() {
      return byValue.isEmpty() && anyValue.isEmpty();
    }
  }

  private final Map<String, ByKey> byKey = new HashMap<>();
  private final List<PodMatcher> others = new ArrayList<>();

  void add(PodMatcher matcher) {
    Requirement best = anchor(matcher);
    if (best == null) {
      others.add(matcher);
      return;
    }
    ByKey entry = byKey.computeIfAbsent(best.key(), key -> new ByKey());
    if (best.operator() == Operator.IN) {
      for (String value : best.values()) {
        entry.byValue.computeIfAbsent(value, absent -> new ArrayList<>(1)).add(matcher);
      }
    } else {
      entry.anyValue.add(matcher);
    }
  }

  void remove(PodMatcher matcher) {
    Requirement best = anchor(matcher);
    if (best == null) {
      others.remove(matcher);
      return;
    }
    ByKey entry = byKey.get(best.key());
    if (entry == null) {
      return;
    }
    if (best.operator() == Operator.IN) {
      for (String value : best.values()) {
        List<PodMatcher> matchers = entry.byValue.get(value);
        if (matchers != null && matchers.remove(matcher) && matchers.isEmpty()) {
          entry.byValue.remove(value);
        }
      }
    } else {
      entry.anyValue.remove(matcher);
    }
    if (entry.isEmpty()) {
      byKey.remove(best.key());
    }
  }

  boolean isEmpty() {
    return byKey.isEmpty() && others.isEmpty();
  }

  /** Names every matcher that may mean a pod of these labels, once each. */
  void candidates(Map<String, String> labels, Consumer<PodMatcher> consumer) {
    others.forEach(consumer);
    if (byKey.size() < labels.size()) {
      byKey.forEach(
          (key, entry) -> {
            String value = labels.get(key);
            if (value != null) {
              name(entry, value, consumer);
            }
          });
    } else {
      labels.forEach(
          (key, value) -> {
            ByKey entry = byKey.get(key);
            if (entry != null) {
              name(entry, value, consumer);
            }
          });
    }
  }

  private static void name(ByKey entry, String value, Consumer<PodMatcher> consumer) {
    List<PodMatcher> matchers = entry.byValue.get(value);
    if (matchers != null) {
      matchers.forEach(consumer);
    }
    entry.anyValue.forEach(consumer);
  }

  /** The requirement to look the matcher up by: the one that fewest pods satisfy, by its form. */
  private static @Nullable Requirement anchor(PodMatcher matcher) {
    Requirement best = null;
    for (MatcherKey.Clause clause : matcher.key().clauses()) {
      for (Requirement requirement : clause.selector().requirements()) {
        if (rank(requirement) < rank(best)) {
          best = requirement;
        }
      }
    }
    return best;
  }

  private static int rank(@Nullable Requirement requirement) {
    if (requirement == null) {
      return Integer.MAX_VALUE;
    }
    return switch (requirement.operator()) {
      case IN -> requirement.values().size();
      case EXISTS, GREATER_THAN, LESS_THAN -> Integer.MAX_VALUE - 1;
      case NOT_IN, DOES_NOT_EXIST -> Integer.MAX_VALUE;
    };
  }
}
