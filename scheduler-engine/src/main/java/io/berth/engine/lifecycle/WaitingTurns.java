package io.berth.engine.lifecycle;

import io.berth.engine.api.Attempt;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The attempts that wait for their turn to ask their policy's advisor: one line for each policy
 * revision, in order of priority and then of arrival.
 */
final class WaitingTurns {
  /** A waiting attempt. */
  record Turn(PodEntry pod, Attempt attempt, int serial, int priority, long arrival) {}

  /** The waiting attempts of one policy revision. */
  private record Line(int mostOpen, TreeSet<Turn> turns) {}

  private static final Comparator<Turn> ORDER =
      Comparator.comparing(Turn::priority, Comparator.reverseOrder()).thenComparing(Turn::arrival);

  /** By the serial number of the revision; no line is empty. */
  private final Map<Integer, Line> lines = new LinkedHashMap<>();

  private final Map<String, Turn> byPod = new HashMap<>();
  private long arrivals;

  void add(PodEntry pod, Attempt attempt, int serial, int mostOpen) {
    Turn turn = new Turn(pod, attempt, serial, pod.priority(), arrivals++);
    lines
        .computeIfAbsent(serial, absent -> new Line(mostOpen, new TreeSet<>(ORDER)))
        .turns()
        .add(turn);
    byPod.put(pod.ref().uid(), turn);
  }

  /**
   * Removes and returns the first attempt of a line that may ask.
   *
   * @param open returns the number of open questions of a revision
   */
  Optional<Turn> poll(IntUnaryOperator open) {
    Turn first = firstDue(open);
    if (first != null) {
      remove(first.pod().ref().uid());
    }
    return Optional.ofNullable(first);
  }

  /** Returns whether {@link #poll} would return an attempt. */
  boolean isAnyDue(IntUnaryOperator open) {
    return firstDue(open) != null;
  }

  private @Nullable Turn firstDue(IntUnaryOperator open) {
    for (Map.Entry<Integer, Line> line : lines.entrySet()) {
      if (open.applyAsInt(line.getKey()) < line.getValue().mostOpen()) {
        return line.getValue().turns().first();
      }
    }
    return null;
  }

  /** Removes and returns all attempts that wait for this revision. */
  List<Turn> removeAll(int serial) {
    Line line = lines.remove(serial);
    if (line == null) {
      return List.of();
    }
    line.turns().forEach(turn -> byPod.remove(turn.pod().ref().uid()));
    return new ArrayList<>(line.turns());
  }

  /** Removes the pod; returns whether it was waiting. */
  boolean remove(String podUid) {
    Turn turn = byPod.remove(podUid);
    if (turn == null) {
      return false;
    }
    Line line = lines.get(turn.serial());
    if (line != null && line.turns().remove(turn) && line.turns().isEmpty()) {
      lines.remove(turn.serial());
    }
    return true;
  }

  int size() {
    return byPod.size();
  }
}
