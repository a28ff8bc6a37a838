package io.berth.engine.group;

import io.berth.engine.cycle.Cycle;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.journal.Journal;
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
 * A search for nodes for all missing members of a group. It consists of tries: one for each place
 * and each order of the members. Each try runs within a savepoint, so that either all members are
 * placed or none.
 *
 * <p>A search may be suspended: its placements are undone, and kept as hints for the next step. So
 * are the members that fit nowhere, so that each step gets further than the one before it.
 */
public final class GroupSearch {
  /** The name in place of a plugin if the members of a group do not fit together. */
  public static final String PLUGIN = "Group";

  /** The node that was found for a member. */
  private record Hint(int slot, CycleRecord record) {}

  /** The result of a step. */
  public sealed interface Result {}

  /** The search is not complete. */
  public record Unfinished() implements Result {}

  /** All missing members are placed. */
  public record Placed(List<Member> members) implements Result {}

  /** A placed member. */
  public record Member(PodEntry pod, CycleRecord record) {}

  /**
   * No try has placed all that the group lacks.
   *
   * @param placed the number of pods that the best try placed
   * @param pod the first pod that it could not place; empty if no place was tried
   */
  public record NoRoom(int placed, Optional<Unplaced> pod) implements Result {}

  /** A member that fits on no node. */
  public record Unplaced(PodEntry pod, Cycle.NotFound why) {}

  private record Try(String place, boolean reversed) {}

  private final Map<String, Hint> hints = new HashMap<>();

  /** The keys of the members that fit on no node in this try. */
  private final Set<String> withoutNode = new HashSet<>();

  private Optional<Unplaced> unplaced = Optional.empty();

  /** True if the members that fitted nowhere in earlier steps of this try are searched again. */
  private boolean searchedAgain;

  private final Set<Try> failed = new HashSet<>();
  private NoRoom furthest = new NoRoom(0, Optional.empty());

  /**
   * Continues the search.
   *
   * @param members the members that can be placed, by shape, in the order of placement
   * @param places the places to try, the best first
   * @param decisions the maximum number of members for which a node is searched
   */
  public Result step(
      GroupEntry group,
      List<GroupMembers> members,
      List<GroupPlace> places,
      Cycle cycle,
      ClusterState state,
      int decisions) {
    Step step = new Step(group, cycle, state, decisions);
    boolean remembers = !withoutNode.isEmpty();
    for (GroupPlace place : places) {
      // The order matters only if several shapes compete.
      for (boolean reversed : members.size() > 1 ? List.of(false, true) : List.of(false)) {
        Try current = new Try(place.name(), reversed);
        if (failed.contains(current)) {
          continue;
        }
        Result result = step.in(place, reversed ? members.reversed() : members);
        if (!(result instanceof NoRoom noRoom)) {
          return result;
        }
        if (remembers && !searchedAgain) {
          searchedAgain = true;
          forgetWithoutNode(); // there may be room for them since an earlier step
          return new Unfinished();
        }
        failed.add(current);
        hints.clear();
        forgetWithoutNode();
        remembers = false;
        searchedAgain = false;
        if (furthest.pod().isEmpty() || noRoom.placed() > furthest.placed()) {
          furthest = noRoom;
        }
      }
    }
    return furthest;
  }

  private void forgetWithoutNode() {
    withoutNode.clear();
    unplaced = Optional.empty();
  }

  /** The state of one step. */
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
      return state
          .cards()
          .table()
          .together(() -> attempt(place, members), state.nodes().capacityLog()::add);
    }

    private Result attempt(GroupPlace place, List<GroupMembers> members) {
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

  /** One try, within its savepoint. */
  private final class Attempted {
    private final Step step;
    private final GroupPlace place;
    private final List<Member> placed = new ArrayList<>();
    private final GroupNeeds needs;
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
          boolean known =
              hint == null
                  ? withoutNode.contains(pod.key())
                  : step.cycle.fits(pod, some.plan(), hint.slot());
          if (!known) {
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
            break; // If one member does not fit, no other of its shape does.
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
              hints.remove(pod.key());
              withoutNode.add(pod.key());
              unplaced = unplaced.or(() -> Optional.of(new Unplaced(pod, notFound)));
              return null;
            }
            ring++;
          }
        }
      }
    }
  }

  /** Returns the filters that rejected a member, and the name in place of a plugin for groups. */
  public static Set<String> rejectedBy(NoRoom noRoom) {
    Set<String> plugins = new HashSet<>();
    plugins.add(PLUGIN);
    noRoom.pod().ifPresent(unplaced -> plugins.addAll(unplaced.why().plugins()));
    return plugins;
  }
}
