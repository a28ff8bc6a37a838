package io.berth.engine.preemption;

import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.framework.Protection;
import io.berth.engine.journal.Journal;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.Importance;
import io.berth.engine.state.PodEntry;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Preemption for a group as a whole: finds a set of pods without which all missing members of the
 * group fit.
 *
 * <p>The pods that may be evicted are removed from the cheapest nodes, in growing numbers, until
 * the group can be placed. Then they are put back one by one as long as the members still fit on
 * their nodes, first those whose eviction would violate a budget. The remaining ones are the
 * victims. Finally, everything is undone.
 */
public final class GroupPreemption {
  /**
   * The group to find victims for.
   *
   * @param preemptor the least important of the members to place
   * @param members the number of members to place
   * @param rules the rules about which pods they may evict
   */
  public record Question(PodEntry preemptor, int members, PreemptionRules rules, Instant now) {}

  /** The node of a member, and the plan with which it is checked. */
  public record Placement(PodEntry pod, ShapePlan plan) {}

  /** The result of preemption for a group. */
  public sealed interface Result {}

  /**
   * Victims were found.
   *
   * @param nodes the node of each member
   * @param victims the pods to evict, including those that are terminating already
   */
  public record Chosen(Map<PodEntry, Integer> nodes, List<PodEntry> victims) implements Result {
    /** Returns the victims to evict: those that are not terminating already. */
    public List<PodEntry> toEvict() {
      return Candidate.toEvict(victims);
    }
  }

  /**
   * Preemption does not help.
   *
   * @param message the reason; empty if there are no pods that may be evicted
   * @param retryAt the time to retry even if nothing else changes
   */
  public record Impossible(String message, Due retryAt) implements Result {}

  private final ClusterState state;
  private final Nominations nominations;
  private final RefusedEvictions refused;
  private final RecentEvictions recent;

  GroupPreemption(
      ClusterState state,
      Nominations nominations,
      RefusedEvictions refused,
      RecentEvictions recent) {
    this.state = state;
    this.nominations = nominations;
    this.refused = refused;
    this.recent = recent;
  }

  /**
   * Searches for victims.
   *
   * @param placing places all missing members in the state at that time; empty if that is not
   *     possible
   */
  public Result tryFor(Question question, Supplier<List<Placement>> placing) {
    if (!state.evictionOrder().mayHaveVictims(question.preemptor())) {
      return new Impossible("", Due.NEVER);
    }
    GroupVictims victims =
        new GroupVictims(state, refused, question.preemptor(), question.rules(), question.now());
    List<List<VictimUnit>> nodes = victims.byNode();
    if (nodes.isEmpty()) {
      String why = Protection.describe(victims.protections());
      return new Impossible(
          why.isEmpty() ? "" : "preemption: no pods may be evicted: " + why, victims.until());
    }
    Optional<Chosen> chosen = search(question, victims, nodes, placing);
    if (victims.hasWholeGroups() && chosen.filter(all -> isTooMuch(all, question)).isPresent()) {
      victims.split();
      chosen = search(question, victims, victims.byNode(), placing);
    }
    return chosen
        .filter(found -> state.evictionOrder().permits(found.victims(), question.preemptor()))
        .map(found -> withinLimits(question, found))
        .orElseGet(
            () ->
                new Impossible(
                    "preemption: evicting pods of lower priority does not make room for the group",
                    victims.until()));
  }

  private Optional<Chosen> search(
      Question question,
      GroupVictims among,
      List<List<VictimUnit>> nodes,
      Supplier<List<Placement>> placing) {
    int tried = 0;
    while (tried < nodes.size()) {
      tried = Math.min(nodes.size(), Math.max(question.members(), tried * 2));
      Journal.Savepoint point = state.journal().savepoint();
      try {
        Set<VictimUnit> gone = new LinkedHashSet<>();
        nodes.subList(0, tried).forEach(gone::addAll);
        ClearedRoom cleared = new ClearedRoom(state, nominations);
        gone.forEach(unit -> unit.pods().forEach(cleared::takeOff));
        List<Placement> placed = placing.get();
        if (!placed.isEmpty()) {
          cleared.placed(placed);
          List<PodEntry> victims = spare(gone, among, cleared);
          Map<PodEntry, Integer> slots = new HashMap<>();
          placed.forEach(member -> slots.put(member.pod(), member.pod().slot()));
          return Optional.of(new Chosen(slots, victims));
        }
      } finally {
        state.journal().rollback(point);
      }
    }
    return Optional.empty();
  }

  /** Returns the pods that cannot be put back. */
  private List<PodEntry> spare(Set<VictimUnit> gone, GroupVictims among, ClearedRoom cleared) {
    List<VictimUnit> order = new ArrayList<>(gone);
    order.sort(among.order());
    Set<PodEntry> violating =
        BudgetCheck.violating(order.stream().flatMap(unit -> unit.pods().stream()).toList(), state);
    Set<VictimUnit> first = new HashSet<>();
    order.stream()
        .filter(unit -> unit.pods().stream().anyMatch(violating::contains))
        .forEach(first::add);
    List<PodEntry> victims = new ArrayList<>();
    for (boolean ofBudgets : new boolean[] {true, false}) {
      for (VictimUnit unit : order) {
        if (first.contains(unit) == ofBudgets && !cleared.putBack(unit.pods())) {
          victims.addAll(unit.pods());
        }
      }
    }
    victims.sort(Importance.MORE_IMPORTANT_FIRST);
    return victims;
  }

  private static long most(Question question) {
    return (long) question.rules().maxVictims() * question.members();
  }

  /** Returns whether the policy never allows so many victims, at whatever time. */
  private static boolean isTooMuch(Chosen chosen, Question question) {
    return chosen.toEvict().size() > most(question)
        || RecentEvictions.isTooMuch(chosen.toEvict(), question.rules().limits());
  }

  private Result withinLimits(Question question, Chosen chosen) {
    if (chosen.victims().isEmpty()) {
      return new Impossible("", Due.NEVER);
    }
    if (chosen.toEvict().size() > most(question)) {
      return new Impossible(
          "preemption: more than %d pods would have to be evicted".formatted(most(question)),
          Due.NEVER);
    }
    Due allowedAt = recent.allowedAt(chosen.toEvict(), question.rules(), question.now());
    return !allowedAt.isReached(question.now())
        ? new Impossible("preemption: evictions are limited by the policy", allowedAt)
        : chosen;
  }

  /** Records the evictions, which count against the limits of all policies. */
  public void evicted(Chosen chosen, Instant now) {
    recent.add(chosen.toEvict(), now);
  }
}
