package io.berth.engine.attempt;

import io.berth.engine.cycle.Cycle;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.journal.Journal;
import io.berth.engine.lifecycle.PendingPods;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A search for nodes for all that a group lacks. It is made of tries: one for each place in which
 * the members may be, and each order in which they may be placed. Each try is one savepoint, so
 * that either all are placed or none.
 *
 * <p>A search may be interrupted: what was found is taken back, and remembered as hints for when it
 * goes on.
 */
final class GroupSearch {
  /** A node that was found for a member. */
  private record Hint(int slot, CycleRecord record) {}

  /** The end of a step. */
  sealed interface Result {}

  /** There is more to do than one step may. */
  record Unfinished() implements Result {}

  /** All that the group lacks is placed. */
  record Placed(List<Member> members) implements Result {}

  /** A member that is placed. */
  record Member(PodEntry pod, CycleRecord record) {}

  /**
   * No try has placed all that the group lacks.
   *
   * @param placed how many pods the try that came furthest has placed
   * @param pod the first one that it could not place; empty where no place was worth a try
   */
  record NoRoom(int placed, Optional<Unplaced> pod) implements Result {}

  /** A member that found no node. */
  record Unplaced(PodEntry pod, Cycle.NotFound why) {}

  private record Try(String place, boolean reversed) {}

  private final Map<String, Hint> hints = new HashMap<>();
  private final Set<Try> failed = new HashSet<>();
  private NoRoom furthest = new NoRoom(0, Optional.empty());

  /**
   * Goes on with the search.
   *
   * @param members those that may be placed, by their shapes in the order in which to place them
   * @param places where they may be, the best first
   * @param decisions for how many members a node may be looked for
   */
  Result step(
      GroupEntry group,
      List<GroupMembers> members,
      List<GroupPlace> places,
      Cycle cycle,
      ClusterState state,
      int decisions) {
    Step step = new Step(group, cycle, state, decisions);
    for (GroupPlace place : places) {
      // The order can decide only among shapes that compete.
      for (boolean reversed : members.size() > 1 ? List.of(false, true) : List.of(false)) {
        Try current = new Try(place.name(), reversed);
        if (failed.contains(current)) {
          continue;
        }
        Result result = step.in(place, reversed ? members.reversed() : members);
        if (!(result instanceof NoRoom noRoom)) {
          return result;
        }
        failed.add(current);
        hints.clear();
        if (furthest.pod().isEmpty() || noRoom.placed() > furthest.placed()) {
          furthest = noRoom;
        }
      }
    }
    return furthest;
  }

  /** The work of one step. */
  private final class Step {
    private final GroupEntry group;
    private final Cycle cycle;
    private final ClusterState state;
    private int decisionsLeft;

    Step(GroupEntry group, Cycle cycle, ClusterState state, int decisions) {
      this.group = group;
      this.cycle = cycle;
      this.state = state;
      this.decisionsLeft = decisions;
    }

    Result in(GroupPlace place, List<GroupMembers> members) {
      Journal.Savepoint point = state.journal().savepoint();
      Result result = new Attempted(this, place).run(members);
      if (result instanceof Placed) {
        state.journal().keep(point);
      } else {
        state.journal().rollback(point);
      }
      return result;
    }
  }

  /** One try, inside its savepoint. */
  private final class Attempted {
    private final Step step;
    private final GroupPlace place;
    private final List<Member> placed = new ArrayList<>();
    private final GroupNeeds needs;
    private Optional<Unplaced> unplaced = Optional.empty();
    private int ring;

    Attempted(Step step, GroupPlace place) {
      this.step = step;
      this.place = place;
      this.needs = GroupNeeds.of(step.group);
    }

    Result run(List<GroupMembers> members) {
      for (GroupMembers some : members) {
        for (PodEntry pod : some.pods()) {
          if (!needs.wants(pod)) {
            continue;
          }
          Hint hint = hints.get(pod.key());
          if (hint == null || !step.cycle.fits(pod, some.plan(), hint.slot())) {
            if (step.decisionsLeft < place.rings()) {
              return new Unfinished();
            }
            hint = find(pod, some.plan());
          }
          if (hint != null) {
            hints.put(pod.key(), hint);
            step.state.assume(pod, hint.slot());
            needs.placed(pod);
            placed.add(new Member(pod, hint.record()));
          } else if (pod.spec().nodes().pinnedNode().isEmpty()) {
            break; // What does not fit one fits none of its shape.
          }
        }
      }
      return needs.left() == 0 ? new Placed(placed) : new NoRoom(placed.size(), unplaced);
    }

    private @Nullable Hint find(PodEntry pod, ShapePlan plan) {
      while (true) {
        step.decisionsLeft--;
        switch (place.run(step.cycle, pod, plan, ring)) {
          case Cycle.Found found -> {
            return new Hint(found.slot(), found.record());
          }
          case Cycle.NotFound notFound -> {
            if (ring + 1 == place.rings()) {
              unplaced = unplaced.or(() -> Optional.of(new Unplaced(pod, notFound)));
              return null;
            }
            ring++;
          }
        }
      }
    }
  }

  /** Returns the filters that have rejected a member, and the mark of groups. */
  static Set<String> rejectedBy(NoRoom noRoom) {
    Set<String> plugins = new HashSet<>();
    plugins.add(PendingPods.GROUP);
    noRoom.pod().ifPresent(unplaced -> plugins.addAll(unplaced.why().plugins()));
    return plugins;
  }
}
