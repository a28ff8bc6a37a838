package io.berth.engine.selector;

import io.berth.engine.model.Requirement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An index of objects with label selectors by one requirement of each, so that labels are only
 * matched against few candidates.
 *
 * <p>Preferred is a requirement for values of a label, the one with the fewest other entries;
 * otherwise one for the presence of a label; otherwise one for its absence.
 *
 * @param <T> the indexed objects; equal objects are the same
 */
public final class LabelIndex<T> {
  /** The entries under one label. */
  private static final class ByKey<T> {
    final Map<String, List<T>> withValue = new HashMap<>();
    final List<T> present = new ArrayList<>();
    final List<T> absent = new ArrayList<>();
    final List<T> without = new ArrayList<>();

    /** The entries of {@link #without} that a value excludes. */
    final Map<String, Set<T>> ruledOut = new HashMap<>();

    boolean isEmpty() {
      return withValue.isEmpty() && present.isEmpty() && absent.isEmpty() && without.isEmpty();
    }

    /** Returns whether pods without the label may match. */
    boolean admitsAbsence() {
      return !absent.isEmpty() || !without.isEmpty();
    }
  }

  private final Map<T, Requirement> anchors = new HashMap<>();
  private final Map<String, ByKey<T>> byKey = new HashMap<>();

  /** The entries of {@link #byKey} that may match pods without the label. */
  private final Map<String, ByKey<T>> admittingAbsence = new HashMap<>();

  private final List<T> others = new ArrayList<>();

  /**
   * Adds an object.
   *
   * @param requirements the requirements, all of which matching labels satisfy
   */
  public void add(T item, List<Requirement> requirements) {
    Requirement anchor = anchor(requirements);
    if (anchor == null) {
      others.add(item);
      return;
    }
    anchors.put(item, anchor);
    ByKey<T> entry = byKey.computeIfAbsent(anchor.key(), key -> new ByKey<>());
    switch (anchor.operator()) {
      case IN -> {
        for (String value : Set.copyOf(anchor.values())) {
          entry.withValue.computeIfAbsent(value, none -> new ArrayList<>(1)).add(item);
        }
      }
      case EXISTS, GREATER_THAN, LESS_THAN -> entry.present.add(item);
      case DOES_NOT_EXIST -> entry.absent.add(item);
      case NOT_IN -> {
        entry.without.add(item);
        for (String value : Set.copyOf(anchor.values())) {
          entry.ruledOut.computeIfAbsent(value, none -> new HashSet<>()).add(item);
        }
      }
    }
    if (entry.admitsAbsence()) {
      admittingAbsence.put(anchor.key(), entry);
    }
  }

  /** Removes an object. */
  public void remove(T item) {
    Requirement anchor = anchors.remove(item);
    if (anchor == null) {
      others.remove(item);
      return;
    }
    ByKey<T> entry = byKey.get(anchor.key());
    if (entry == null) {
      return;
    }
    switch (anchor.operator()) {
      case IN -> {
        for (String value : Set.copyOf(anchor.values())) {
          List<T> items = entry.withValue.get(value);
          if (items != null && items.remove(item) && items.isEmpty()) {
            entry.withValue.remove(value);
          }
        }
      }
      case EXISTS, GREATER_THAN, LESS_THAN -> entry.present.remove(item);
      case DOES_NOT_EXIST -> entry.absent.remove(item);
      case NOT_IN -> {
        entry.without.remove(item);
        for (String value : Set.copyOf(anchor.values())) {
          Set<T> items = entry.ruledOut.get(value);
          if (items != null && items.remove(item) && items.isEmpty()) {
            entry.ruledOut.remove(value);
          }
        }
      }
    }
    if (!entry.admitsAbsence()) {
      admittingAbsence.remove(anchor.key());
    }
    if (entry.isEmpty()) {
      byKey.remove(anchor.key());
    }
  }

  public boolean isEmpty() {
    return byKey.isEmpty() && others.isEmpty();
  }

  /** Passes every object that may match these labels to the consumer, once each. */
  public void candidates(Map<String, String> labels, Consumer<T> consumer) {
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
            ByKey<T> entry = byKey.get(key);
            if (entry != null) {
              name(entry, value, consumer);
            }
          });
    }
    admittingAbsence.forEach(
        (key, entry) -> {
          if (!labels.containsKey(key)) {
            entry.absent.forEach(consumer);
            entry.without.forEach(consumer);
          }
        });
  }

  private static <T> void name(ByKey<T> entry, String value, Consumer<T> consumer) {
    List<T> items = entry.withValue.get(value);
    if (items != null) {
      items.forEach(consumer);
    }
    entry.present.forEach(consumer);
    if (!entry.without.isEmpty()) {
      Set<T> ruledOut = entry.ruledOut.getOrDefault(value, Set.of());
      for (T item : entry.without) {
        if (!ruledOut.contains(item)) {
          consumer.accept(item);
        }
      }
    }
  }

  private @Nullable Requirement anchor(List<Requirement> requirements) {
    Requirement best = null;
    long least = Long.MAX_VALUE;
    for (Requirement requirement : requirements) {
      long rank = rank(requirement);
      if (rank < least) {
        best = requirement;
        least = rank;
      }
    }
    return best;
  }

  /**
   * Returns the rank of a requirement, lower is better: one for values is better than one for
   * presence.
   */
  private long rank(Requirement requirement) {
    return switch (requirement.operator()) {
      case IN -> crowdBeside(requirement);
      case EXISTS, GREATER_THAN, LESS_THAN -> 1L << 40;
      case NOT_IN, DOES_NOT_EXIST -> 1L << 41;
    };
  }

  private long crowdBeside(Requirement requirement) {
    ByKey<T> entry = byKey.get(requirement.key());
    long crowd = requirement.values().size();
    if (entry != null) {
      for (String value : requirement.values()) {
        crowd += entry.withValue.getOrDefault(value, List.of()).size();
      }
    }
    return crowd;
  }
}
