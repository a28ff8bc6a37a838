package io.berth.engine.quota;

import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SchedulingUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The reasons why units must not start, whether or not nodes have room for them. */
final class Holds {
  private final ClusterState state;
  private final QueueMembership membership;
  private final QueueTree queues;
  private final Function<SchedulingUnit, @Nullable UnitShare> needsOf;
  private final QueueText text;

  /**
   * @param needsOf returns what a unit needs; null if it belongs to no queue
   */
  Holds(
      ClusterState state,
      QueueMembership membership,
      QueueTree queues,
      Function<SchedulingUnit, @Nullable UnitShare> needsOf) {
    this.state = state;
    this.membership = membership;
    this.queues = queues;
    this.needsOf = needsOf;
    this.text = new QueueText(queues.resources());
  }

  /** Returns the user-visible reason why a unit that is tried must not start; empty if it may. */
  Optional<String> of(SchedulingUnit unit) {
    return reason(unit, true);
  }

  /** Returns the reason without the number of other units that wait, which often changes. */
  Optional<String> ofFirst(SchedulingUnit unit) {
    return reason(unit, false);
  }

  private Optional<String> reason(SchedulingUnit unit, boolean withOthers) {
    List<PodEntry> pods = podsOf(unit);
    Optional<String> misplaced = membership.misplaced(queues, unit, pods);
    UnitShare needs = needsOf.apply(unit);
    if (misplaced.isPresent() || needs == null) {
      return misplaced;
    }
    for (QueueNode node = needs.leaf(); node.parent != null; node = node.parent) {
      if (!node.open) {
        return Optional.of(QueueText.closed(node));
      }
      if (!node.allows(needs.amounts(), needs.own())) {
        return Optional.of(text.overLimit(node, needs, unit, withOthers));
      }
    }
    boolean mayStay =
        pods.stream().anyMatch(pod -> state.priorityClasses().protects(pod, Integer.MAX_VALUE));
    return mayStay && !AmountVectors.isNothing(needs.amounts()) && !needs.leaf().wouldCover(needs)
        ? Optional.of(QueueText.neverEvicted(needs.leaf()))
        : Optional.empty();
  }

  /** Returns the pods of a unit that wait. */
  static List<PodEntry> podsOf(SchedulingUnit unit) {
    return switch (unit) {
      case PodEntry pod -> List.of(pod);
      case GroupEntry group -> List.copyOf(group.waiting());
    };
  }

  /** Returns the number of units with the same needs that may start as far as limits decide. */
  static int roomFor(UnitShare needs) {
    long room = Integer.MAX_VALUE;
    for (QueueNode node = needs.leaf(); node != null; node = node.parent) {
      for (int i = 0; i < node.limit.length; i++) {
        if (node.limit[i] != CountedResources.UNLIMITED && needs.amounts()[i] > 0) {
          room = Math.min(room, (node.limit[i] - node.charged[i]) / needs.amounts()[i]);
        }
      }
    }
    return (int) Math.max(1, room);
  }
}
