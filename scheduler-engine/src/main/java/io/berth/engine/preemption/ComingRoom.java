package io.berth.engine.preemption;

import io.berth.engine.journal.Journal;
import io.berth.engine.model.RunTime;
import io.berth.engine.preemption.GroupPreemption.Placement;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeTable;
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

/**
 * Resources that become free as pods end by themselves: pods that are terminating, that declare a
 * run time, or that run to completion.
 *
 * <p>The pods that end first are removed, in growing numbers, until the group can be placed. Then
 * those that end last are put back as long as the members still fit. Finally, everything is undone.
 */
public final class ComingRoom {
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
   * @param at the time; {@link Instant#MAX} if unknown
   */
  private record End(PodEntry pod, Instant at) {}

  private static final Comparator<End> FIRST_TO_END =
      Comparator.comparing(End::at)
          .thenComparing(end -> end.pod().arrival())
          .thenComparing(end -> end.pod().key());

  private final ClusterState state;
  private final Nominations nominations;

  public ComingRoom(ClusterState state, Nominations nominations) {
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
            .map(End::at)
            .filter(at -> !at.equals(Instant.MAX))
            .max(Comparator.naturalOrder())
            .orElse(now);
    return new Coming(nodes, awaited.stream().map(End::pod).toList(), start);
  }

  private List<End> ends(Instant now) {
    List<End> ends = new ArrayList<>();
    NodeTable nodes = state.nodes();
    nodes
        .alive()
        .forEach(
            slot -> {
              for (int i = 0; i < nodes.podCount(slot); i++) {
                PodEntry pod = nodes.pod(slot, i);
                endOf(pod, now).ifPresent(at -> ends.add(new End(pod, at)));
              }
            });
    ends.sort(FIRST_TO_END);
    return ends;
  }

  /**
   * Returns the expected end of a pod. A pod that has run twice as long as declared counts as
   * endless.
   */
  private static Optional<Instant> endOf(PodEntry pod, Instant now) {
    RunTime runTime = pod.model().runTime();
    if (pod.model().terminating()) {
      return Optional.of(now);
    }
    if (!runTime.ends()) {
      return Optional.empty();
    }
    if (runTime.expected().isEmpty()) {
      return Optional.of(Instant.MAX);
    }
    Duration expected = runTime.expected().get();
    Instant started = pod.model().startedAt().orElse(now);
    Instant end = started.plus(expected);
    return end.isAfter(now)
        ? Optional.of(end)
        : Optional.of(now).filter(at -> end.plus(expected).isAfter(now));
  }
}
