package io.berth.engine.attempt;

import io.berth.engine.Attempt;
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
 * The attempts that wait until their policy's advisor may be asked about another pod: a line for
 * each revision of a policy, in the order of priority and then of arrival.
 */
final class WaitingTurns {
  /** An attempt that waits. */
  record Turn(PodEntry pod, Attempt attempt, int serial, int priority, long arrival) {}

  /** The attempts of one revision of a policy. */
  private record Line(int mostOpen, TreeSet<Turn> turns) {}

  private static final Comparator<Turn> ORDER =
      Comparator.comparing(Turn::priority, Comparator.reverseOrder()).thenComparing(Turn::arrival);

  /** By the serial of the revision; none is empty. */
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
   * Takes out the first of a line that may be asked about.
   *
   * @param open how many questions of a revision are open
   */
  Optional<Turn> poll(IntUnaryOperator open) {
    Turn first = firstDue(open);
    if (first != null) {
      remove(first.pod().ref().uid());
    }
    return Optional.ofNullable(first);
  }

  /** Returns whether {@link #poll} would give one. */
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

  /** Takes out all that wait for this revision. */
  List<Turn> removeAll(int serial) {
    Line line = lines.remove(serial);
    if (line == null) {
      return List.of();
    }
    line.turns().forEach(turn -> byPod.remove(turn.pod().ref().uid()));
    return new ArrayList<>(line.turns());
  }

  /** Forgets the pod; answers whether it waited. */
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
