package io.berth.engine.lifecycle;

import io.berth.engine.model.GroupRef;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The order in which resources that become free are reserved for groups: among the groups that have
 * not fit for a while, the one with the highest priority, and among those the one that has waited
 * longest.
 */
public final class ReservationOrder {
  /** The time that a group waits before its turn, and again after each turn. */
  public static final Duration WAIT = Duration.ofMinutes(1);

  private static final Comparator<@Nullable Instant> WAITING_FIRST =
      Comparator.nullsLast(Comparator.naturalOrder());

  private final ClusterState state;
  private final GroupStarts starts;

  ReservationOrder(ClusterState state, GroupStarts starts) {
    this.state = state;
    this.starts = starts;
  }

  /** Records that the group does not fit; returns the time from which its turn may come. */
  public Due dueOf(GroupEntry group, Instant now) {
    GroupStart start = starts.of(group);
    if (start.waitsSince == null) {
      start.waitsSince = now;
      start.turnDue = Due.at(now.plus(WAIT));
    }
    return start.turnDue;
  }

  /** Returns whether no other group's turn comes before this one's. */
  public boolean isFirst(GroupEntry group, Instant now) {
    GroupStart own = starts.of(group);
    for (Map.Entry<GroupRef, GroupStart> each : starts.entries()) {
      GroupStart start = each.getValue();
      if (start != own && start.turnDue.isReached(now)) {
        Optional<GroupEntry> other = state.groups().find(each.getKey());
        if (other.isPresent() && isBefore(other.get(), start, group, own)) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean isBefore(
      GroupEntry other, GroupStart ofOther, GroupEntry group, GroupStart own) {
    if (other.priority() != group.priority()) {
      return other.priority() > group.priority();
    }
    int bySince = WAITING_FIRST.compare(ofOther.waitsSince, own.waitsSince);
    return bySince != 0 ? bySince < 0 : other.key().compareTo(group.key()) < 0;
  }

  /** Ends the group's turn; returns the time from which its next turn may come. */
  public Due over(GroupEntry group, Instant now) {
    GroupStart start = starts.of(group);
    start.turnDue = Due.at(now.plus(WAIT));
    return start.turnDue;
  }
}
