package io.berth.engine.lifecycle;

import io.berth.engine.model.GroupRef;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.EvictionOrder;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The order in which resources that become free are reserved for groups: among the groups that have
 * not fit for a while, one that no other outranks, and among those one of the namespace whose last
 * turn is the longest ago; within a namespace, the one that has waited longest.
 */
public final class ReservationOrder {
  /** The time that a group waits before its turn, and again after each turn. */
  public static final Duration WAIT = Duration.ofMinutes(1);

  /** The time after which a turn does not matter any more. */
  private static final Duration REMEMBERED = Duration.ofDays(7);

  private static final Comparator<@Nullable Instant> NO_TURN_FIRST =
      Comparator.nullsFirst(Comparator.naturalOrder());

  private static final Comparator<@Nullable Instant> WAITING_FIRST =
      Comparator.nullsLast(Comparator.naturalOrder());

  private final ClusterState state;
  private final GroupStarts starts;

  /** The times of the last turns. */
  private final Map<String, Instant> lastTurns = new HashMap<>();

  ReservationOrder(ClusterState state, GroupStarts starts) {
    this.state = state;
    this.starts = starts;
  }

  /** Records that the group does not fit; returns the time from which its turn may come. */
  public Due dueOf(GroupEntry group, Instant now) {
    GroupStart start = starts.of(group);
    start.lacksRoom(now, Due.at(now.plus(WAIT)));
    return start.turnDue();
  }

  /** Returns whether no other group's turn comes before this one's. */
  public boolean isFirst(GroupEntry group, Instant now) {
    GroupStart own = starts.of(group);
    for (Map.Entry<GroupRef, GroupStart> each : starts.entries()) {
      GroupStart start = each.getValue();
      if (start != own && start.turnDue().isReached(now)) {
        Optional<GroupEntry> other = state.groups().find(each.getKey());
        if (other.isPresent() && isBefore(other.get(), start, group, own)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean isBefore(GroupEntry other, GroupStart ofOther, GroupEntry group, GroupStart own) {
    EvictionOrder order = state.evictionOrder();
    if (order.outranks(other, group) || order.outranks(group, other)) {
      return order.outranks(other, group);
    }
    int byTurn = NO_TURN_FIRST.compare(lastTurnOf(other), lastTurnOf(group));
    if (byTurn != 0) {
      return byTurn < 0;
    }
    int bySince = WAITING_FIRST.compare(waitsSince(ofOther), waitsSince(own));
    return bySince != 0 ? bySince < 0 : other.key().compareTo(group.key()) < 0;
  }

  private static @Nullable Instant waitsSince(GroupStart start) {
    return start.waitsForRoomSince().orElse(null);
  }

  private @Nullable Instant lastTurnOf(GroupEntry group) {
    return lastTurns.get(namespaceOf(group));
  }

  /** Returns the namespace of the group; that of its first pod if it spans several. */
  private static String namespaceOf(GroupEntry group) {
    String own = group.ref().namespace();
    return own.isEmpty() && !group.members().isEmpty()
        ? group.members().getFirst().ref().namespace()
        : own;
  }

  /** Records that resources are reserved for the group: its namespace has had a turn. */
  public void begun(GroupEntry group, Instant now) {
    lastTurns.values().removeIf(turn -> turn.plus(REMEMBERED).isBefore(now));
    lastTurns.put(namespaceOf(group), now);
  }

  /** Ends the group's turn; returns the time from which its next turn may come. */
  public Due over(GroupEntry group, Instant now) {
    Due next = Due.at(now.plus(WAIT));
    starts.of(group).turnIsOver(next);
    return next;
  }
}
