package io.berth.engine.kube;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A parser for the parts of a pod. A pending pod is rejected at the first part that is invalid or
 * too long, because it must not be placed according to the rest. A placed pod uses its node in any
 * case, so its valid parts count, and the others are reported.
 */
final class PodReading {
  private final boolean placed;
  private final List<String> leftOut = new ArrayList<>();

  PodReading(boolean placed) {
    this.placed = placed;
  }

  /** Parses a part; for a placed pod, returns the fallback if the part is invalid. */
  <T> T part(Supplier<T> reading, T fallback) {
    if (!placed) {
      return reading.get();
    }
    try {
      return reading.get();
    } catch (RuntimeException e) {
      note(e);
      return fallback;
    }
  }

  /**
   * Parses a part that only refines how a pod is placed; for any pod, returns the fallback if the
   * part is invalid.
   */
  <T> T refinement(Supplier<T> reading, T fallback) {
    try {
      return reading.get();
    } catch (RuntimeException e) {
      note(e);
      return fallback;
    }
  }

  /**
   * Parses each entry of a list with a maximum length; for a placed pod, returns the valid entries.
   */
  <S, T> List<T> each(
      @Nullable List<S> entries, PodLimit limit, String where, Function<S, T> reading) {
    if (entries == null || entries.isEmpty()) {
      return List.of();
    }
    List<S> taken = within(entries, limit, where);
    List<T> result = new ArrayList<>(taken.size());
    for (S entry : taken) {
      if (!placed) {
        result.add(reading.apply(entry));
        continue;
      }
      try {
        result.add(reading.apply(entry));
      } catch (RuntimeException e) {
        note(e);
      }
    }
    return result;
  }

  /**
   * Rejects a pending pod with a list that is too long; lists of placed pods may have any length.
   */
  void checkSize(int size, PodLimit limit, String where) {
    if (!placed) {
      limit.check(size, where);
    }
  }

  /** Returns the labels; for a placed pod, the valid ones. */
  Map<String, String> labels(@Nullable Map<String, String> labels) {
    if (!placed || labels == null) {
      return Labels.read(labels, "the pod");
    }
    Map<String, String> read = new TreeMap<>();
    labels.forEach(
        (key, value) -> {
          try {
            Labels.check(key, value, "the pod");
            read.put(key, value);
          } catch (RefusedException e) {
            note(e);
          }
        });
    return read.size() == labels.size() ? labels : read;
  }

  /** Returns the ignored parts of the pod, with reasons; empty if everything was parsed. */
  List<String> leftOut() {
    return leftOut;
  }

  private <S> List<S> within(List<S> entries, PodLimit limit, String where) {
    if (entries.size() <= limit.most()) {
      return entries;
    }
    RefusedException tooMany = limit.exceeded(entries.size(), where);
    if (!placed) {
      throw tooMany;
    }
    note(tooMany);
    return entries.subList(0, limit.most());
  }

  private void note(RuntimeException e) {
    leftOut.add(
        e instanceof RefusedException ? String.valueOf(e.getMessage()) : "it is malformed: " + e);
  }
}
