package io.berth.engine.preemption;

import io.berth.engine.model.GroupRef;
import io.berth.engine.queue.Nominations;
import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The single reservation of resources that become free as pods end. The members of a group are
 * nominated for nodes, so that no pod of lower or equal priority takes the resources before all of
 * them are free.
 *
 * <p>A reservation without progress expires: it ends when no pod has left its nodes for a while,
 * and at the latest {@link #LONGEST} after it was made.
 */
public final class GroupReservation {
  /** The maximum life of a reservation. Resources that become free later are not reserved. */
  public static final Duration LONGEST = Duration.ofDays(1);

  /**
   * A reservation.
   *
   * @param start the time before which the group cannot use the resources
   */
  public record Reservation(GroupRef group, Instant start, Duration patience) {}

  private final Nominations nominations;
  private final Set<String> nodes = new LinkedHashSet<>();
  private final Set<String> pods = new LinkedHashSet<>();
  private @Nullable Reservation current;
  private Due until = Due.NEVER;
  private Due latest = Due.NEVER;

  GroupReservation(Nominations nominations) {
    this.nominations = nominations;
  }

  /** Returns the reservation. */
  public Optional<Reservation> current() {
    return Optional.ofNullable(current);
  }

  /** Returns whether this group has the reservation. */
  public boolean isHeldBy(GroupRef group) {
    return current != null && current.group().equals(group);
  }

  /**
   * Returns the time at which the reservation expires if no pod leaves its nodes before; this is
   * never later than the end of its maximum life.
   */
  public Due until() {
    return until;
  }

  /**
   * Makes a reservation; no other group may have one.
   *
   * @param nodeOf the node names by the members' UIDs
   */
  public void make(Reservation reservation, Map<String, String> nodeOf, Instant now) {
    if (current != null) {
      throw new IllegalStateException(current.group() + " has the promise");
    }
    current = reservation;
    nodeOf.forEach((uid, node) -> nominations.nominate(uid, node, reservation.start()));
    nodes.addAll(nodeOf.values());
    pods.addAll(nodeOf.keySet());
    latest = Due.at(now.plus(LONGEST));
    until =
        limited(
            Due.at(
                (reservation.start().isAfter(now) ? reservation.start() : now)
                    .plus(reservation.patience())));
  }

  /** Handles a pod that has left a node. */
  public void left(String nodeName, Instant now) {
    if (current != null && nodes.contains(nodeName)) {
      until = limited(until.orLater(Due.at(now.plus(current.patience()))));
    }
  }

  private Due limited(Due time) {
    return time.orEarlier(latest);
  }

  /** Ends the reservation if this group has it. */
  public void end(GroupRef group) {
    if (isHeldBy(group)) {
      pods.forEach(nominations::end);
      pods.clear();
      nodes.clear();
      current = null;
      until = Due.NEVER;
    }
  }
}
