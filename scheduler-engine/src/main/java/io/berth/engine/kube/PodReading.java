package io.berth.engine.kube;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The reader of a pod's parts. A pending pod is refused for the first part that cannot be read or
 * is longer than allowed: placing it by the rest would be wrong. A placed pod is there whatever it
 * says, so what can be read counts, and the rest is noted.
 */
final class PodReading {
  private final boolean placed;
  private final List<String> leftOut = new ArrayList<>();

  PodReading(boolean placed) {
    this.placed = placed;
  }

  /** Reads a part; of a placed pod the fallback where it cannot be read. */
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

  /** Reads each entry of a list that may be this long; of a placed pod those that can be read. */
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

  /** Refuses a pending pod whose list is too long; a placed pod's list may be of any length. */
  void checkSize(int size, PodLimit limit, String where) {
    if (!placed) {
      limit.check(size, where);
    }
  }

  /** The labels; of a placed pod those that can be read. */
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

  /**
   * Returns the parts of a placed pod that were left out, with reasons; empty if everything could
   * be parsed.
   */
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
