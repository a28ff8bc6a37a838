package io.berth.engine.preemption;

import io.berth.engine.journal.Journal;
import io.berth.engine.model.RunTime;
import io.berth.engine.preemption.GroupPreemption.Placement;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Resources that become free as pods end by themselves: pods that are terminating, that declare a
 * run time, or that run to completion.
 *
 * <p>The pods that end first are removed, in growing numbers, until the group can be placed. Then
 * those that end last are put back as long as the members still fit. Finally, everything is undone.
 */
public final class FutureCapacity {
  /**
   * The nodes on which a group will fit.
   *
   * @param nodes the node of each member
   * @param awaited the pods that have to end first
   * @param start the time before which not all members can be placed, if known
   */
  public record Coming(Map<PodEntry, Integer> nodes, List<PodEntry> awaited, Instant start) {}

  /**
   * A pod that ends.
   *
   * @param at the time; empty if unknown
   */
  private record End(PodEntry pod, Optional<Instant> at) {}

  private static final Comparator<@Nullable Instant> UNKNOWN_LAST =
      Comparator.nullsLast(Comparator.naturalOrder());

  private static final Comparator<End> FIRST_TO_END =
      Comparator.comparing((End end) -> end.at().orElse(null), UNKNOWN_LAST)
          .thenComparing(end -> end.pod().arrival())
          .thenComparing(end -> end.pod().key());

  private final ClusterState state;
  private final Nominations nominations;

  public FutureCapacity(ClusterState state, Nominations nominations) {
    this.state = state;
    this.nominations = nominations;
  }

  /**
   * Searches for nodes.
   *
   * @param members the number of members to place
   * @param placing places all missing members in the state at that time; empty if that is not
   *     possible
   */
  public Optional<Coming> find(int members, Supplier<List<Placement>> placing, Instant now) {
    List<End> ends = ends(now);
    int tried = 0;
    while (tried < ends.size()) {
      tried = Math.min(ends.size(), Math.max(members, tried * 2));
      Journal.Savepoint point = state.journal().savepoint();
      try {
        ClearedRoom cleared = new ClearedRoom(state, nominations);
        List<End> gone = ends.subList(0, tried);
        gone.forEach(end -> cleared.takeOff(end.pod()));
        List<Placement> placed = placing.get();
        if (!placed.isEmpty()) {
          cleared.placed(placed);
          List<End> awaited =
              gone.reversed().stream().filter(end -> !cleared.putBack(List.of(end.pod()))).toList();
          return Optional.of(coming(placed, awaited, now));
        }
      } finally {
        state.journal().rollback(point);
      }
    }
    return Optional.empty();
  }

  private static Coming coming(List<Placement> placed, List<End> awaited, Instant now) {
    Map<PodEntry, Integer> nodes = new HashMap<>();
    placed.forEach(member -> nodes.put(member.pod(), member.pod().slot()));
    Instant start =
        awaited.stream()
            .flatMap(end -> end.at().stream())
            .max(Comparator.naturalOrder())
            .orElse(now);
    return new Coming(nodes, awaited.stream().map(End::pod).toList(), start);
  }

  private List<End> ends(Instant now) {
    List<End> ends = new ArrayList<>();
    state.nodes().forEachPod(pod -> endOf(pod, now).ifPresent(ends::add));
    ends.sort(FIRST_TO_END);
    return ends;
  }

  /**
   * Returns the expected end of a pod. A pod that has run twice as long as declared counts as
   * endless, and so does one that ends later than a reservation lives.
   */
  private static Optional<End> endOf(PodEntry pod, Instant now) {
    RunTime runTime = pod.model().runTime();
    if (pod.model().terminating()) {
      return Optional.of(new End(pod, Optional.of(now)));
    }
    if (!runTime.ends()) {
      return Optional.empty();
    }
    if (runTime.expected().isEmpty()) {
      return Optional.of(new End(pod, Optional.empty()));
    }
    Duration expected = runTime.expected().get();
    Instant end = pod.model().startedAt().orElse(now).plus(expected);
    if (end.isAfter(now.plus(GroupReservation.LONGEST))) {
      return Optional.empty();
    }
    if (end.isAfter(now)) {
      return Optional.of(new End(pod, Optional.of(end)));
    }
    return end.plus(expected).isAfter(now)
        ? Optional.of(new End(pod, Optional.of(now)))
        : Optional.empty();
  }
}
