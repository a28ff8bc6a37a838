package io.berth.engine.preemption;

import io.berth.engine.cycle.NominatedPods;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.framework.AmountsTrial;
import io.berth.engine.framework.DryRunHints;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.framework.Protection;
import io.berth.engine.framework.StableRanges;
import io.berth.engine.framework.Verdict;
import io.berth.engine.journal.Journal;
import io.berth.engine.model.PodRef;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.EvictionOrder;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.Importance;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodColumns;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.Shortage;
import io.berth.engine.time.Due;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A dry run of evicting pods from a node for one pod, on the state itself, with rollback.
 *
 * <p>All pods that may be evicted are removed from the node. If the pod then fits, they are put
 * back one by one, as long as the pod still fits: first those whose eviction would violate a
 * budget, and among them the most important ones. Those that cannot be put back are the victims. If
 * only the amounts that pods hold decide, this is calculated without changes of the state. If an
 * allocator names a {@link Shortage}, {@link FewestVictims} then searches for a smaller set.
 */
final class DryRun {
  private static final String WITHOUT_VICTIMS = "No preemption victims found for incoming pod";

  /** The verdict on a node without pods that may be evicted. */
  static final Verdict NO_VICTIMS = Verdict.unresolvable(WITHOUT_VICTIMS);

  private final ClusterState state;
  private final NodeTable nodes;
  private final EvictionOrder order;
  private final Comparator<PodEntry> sparedFirst;
  private final Nominations nominations;
  private final PodEntry preemptor;
  private final PreemptionRules rules;
  private final VictimUnits victimUnits;
  private final NodeFilter[] filters;
  private final boolean calculates;

  /**
   * True if all pods of lower priority may be evicted that {@linkplain PodColumns#goAlone go
   * alone}, except those of DaemonSets if the rules spare them.
   */
  private final boolean mayEvictAllLower;

  private final StableRanges ranges;
  private final List<PodEntry> lower = new ArrayList<>();
  private final PodColumns lowerInColumns;

  /**
   * The groups of the pods on the node that may be evicted, or may not because of other members.
   */
  private final Set<GroupEntry> groups = new LinkedHashSet<>();

  private @Nullable Refusal refusal;

  /**
   * The reason why a node is not a candidate.
   *
   * @param by the filter that rejects it without the victims; null if there are no victims, or too
   *     many
   */
  record Refusal(Verdict verdict, @Nullable NodeFilter by) {
    static final Refusal WITHOUT_VICTIMS = new Refusal(NO_VICTIMS, null);
  }

  /**
   * @param filters the filters to run, in order
   * @param calculates whether evictions are calculated where their amounts decide alone; the result
   *     is the same
   */
  DryRun(
      ClusterState state,
      Nominations nominations,
      RefusedEvictions refused,
      DryRuns.Question question,
      List<NodeFilter> filters,
      boolean calculates) {
    this.calculates = calculates;
    this.state = state;
    this.nodes = state.nodes();
    this.order = state.evictionOrder();
    this.nominations = nominations;
    this.preemptor = question.preemptor();
    this.rules = question.rules();
    this.sparedFirst = order.sparedFirst(preemptor, Importance.SPARED_FIRST);
    this.victimUnits = new VictimUnits(state, refused, preemptor, rules, question.now());
    this.lowerInColumns = new PodColumns(state.resources());
    this.mayEvictAllLower =
        order.comparesOnlyPriorities(preemptor)
            && rules.grantsAtAnyTime()
            && refused.areNone()
            && !state.priorityClasses().protectAny();
    this.filters = filters.toArray(NodeFilter[]::new);
    this.ranges =
        new StableRanges(
            filters.stream().mapToInt(filter -> filter.dryRunHints().outsideCounts()).sum());
  }

  /**
   * Returns the ranges in which the filters' outside counts can move without changing the result of
   * the last run.
   */
  StableRanges ranges() {
    return ranges;
  }

  /** Returns the time until which the result of the last run holds, if nothing else changes. */
  Due until() {
    return victimUnits.until();
  }

  /** Returns the groups that the last run depends on: a change of one may change the result. */
  Set<GroupEntry> groups() {
    return groups;
  }

  /**
   * Returns the candidate on this node; null if the node is not a candidate, see {@link #refusal}.
   * If groups that are disrupted as a whole make too many victims, their pods are tried as single
   * victims.
   */
  @Nullable Candidate on(int slot) {
    begin();
    beginRanges(slot);
    Candidate candidate = tryOut(slot);
    if (candidate != null && isTooMuch(candidate) && hasWholeGroups()) {
      victimUnits.split();
      candidate = tryOut(slot);
    }
    if (candidate != null && hasTooManyVictims(candidate)) {
      refusal = tooManyVictims();
      return null;
    }
    if (candidate != null && !order.permits(candidate.victims(), preemptor)) {
      refusal = Refusal.WITHOUT_VICTIMS;
      return null;
    }
    return candidate;
  }

  private @Nullable Candidate tryOut(int slot) {
    refusal = null;
    NodeFilter byAmounts = calculates && mayBeCalculated(slot) ? decidesByAmounts(slot) : null;
    if (byAmounts != null && mayEvictAllLower) {
      PodColumns pods = nodes.leastImportant().inOrder(slot);
      int count = pods.below(preemptor.priority());
      int spared = rules.sparesDaemonSets() ? pods.ofDaemonSets(count) : 0;
      if (count > spared && pods.goAlone(count) && !pods.mayHaveBudgets(count, state.budgets())) {
        return calculated(slot, byAmounts, pods, count);
      }
    }
    findLowerPods(slot);
    if (lower.isEmpty()) {
      refusal = withoutVictims();
      return null;
    }
    if (byAmounts != null && groups.isEmpty() && BudgetCheck.violating(lower, state).isEmpty()) {
      lower.sort(sparedFirst);
      lowerInColumns.takeReversed(lower);
      return calculated(slot, byAmounts, lowerInColumns, lower.size());
    }
    Journal.Savepoint point = state.journal().savepoint();
    try {
      for (PodEntry pod : lower) {
        state.evictInDryRun(pod);
      }
      if (!fits(slot)) {
        return null;
      }
      Candidate candidate = groupsMatter() ? spareUnits(slot) : spare(slot);
      refusal = null; // of the last pod that was put back
      return candidate;
    } finally {
      state.journal().rollback(point);
    }
  }

  /** Returns whether only amounts that pods hold can change the filters' verdicts on the node. */
  private boolean mayBeCalculated(int slot) {
    for (NodeFilter filter : filters) {
      filter.refreshInputs();
      DryRunHints hints = filter.dryRunHints();
      boolean settled = hints.maySettle() && hints.isSettled(slot);
      if (!hints.hasTrial() && !settled && hints.mayDependOnPodsOf(slot)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the only filter whose verdict depends on the pods that may leave, by the amounts that
   * they hold; null if there is another one, or if pods are nominated for the node.
   */
  private @Nullable NodeFilter decidesByAmounts(int slot) {
    if (!nominations.isEmpty() && !nominations.podsOn(nodes.name(slot)).isEmpty()) {
      return null;
    }
    NodeFilter byAmounts = null;
    int first = 0;
    for (NodeFilter filter : filters) {
      DryRunHints hints = filter.dryRunHints();
      if (hints.hasTrial()) {
        if (byAmounts != null) {
          return null;
        }
        byAmounts = filter;
      } else if (filter.evaluate(slot, ranges, first) != NodeFilter.PASSES) {
        return null;
      }
      first += hints.outsideCounts();
    }
    return byAmounts;
  }

  /**
   * Spares pods as {@link #spare} does, without changes of the state. None of them is a member of a
   * group, or violates a budget.
   *
   * @param pods pods on the node, those that are spared first at the end
   * @param count the number of them, from the first on, that may be evicted unless the rules spare
   *     DaemonSets
   */
  private @Nullable Candidate calculated(int slot, NodeFilter filter, PodColumns pods, int count) {
    AmountsTrial trial = filter.dryRunHints().trial(slot);
    state.work().spend(count);
    boolean sparesDaemonSets = rules.sparesDaemonSets();
    for (int i = 0; i < count; i++) {
      if (!sparesDaemonSets || !pods.isOfDaemonSet(i)) {
        trial.leave(pods, i);
      }
    }
    int verdict = trial.verdict();
    if (verdict != NodeFilter.PASSES) {
      refusal = new Refusal(filter.verdict(verdict), filter);
      return null;
    }
    int[] victims = new int[count];
    int found = 0;
    for (int i = count - 1; i >= 0; i--) {
      if (sparesDaemonSets && pods.isOfDaemonSet(i)) {
        continue;
      }
      trial.putBack(pods, i);
      if (trial.verdict() != NodeFilter.PASSES) {
        trial.leave(pods, i);
        victims[found++] = i;
      }
    }
    return found == 0 ? null : Candidate.onOneNode(slot, pods, victims, found);
  }

  /**
   * Returns the node with the victims that an advisor selected, instead of those of a dry run;
   * empty if one of them must not be evicted, if there are too many, or if none of them exists any
   * more.
   */
  Optional<Candidate> withVictims(int slot, PreemptionCandidate wanted) {
    begin();
    Optional<Candidate> candidate = advised(slot, wanted);
    if (candidate.filter(this::isTooMuch).isPresent() && hasWholeGroups()) {
      victimUnits.split();
      candidate = advised(slot, wanted);
    }
    return candidate.filter(this::isAllowed);
  }

  private boolean isAllowed(Candidate candidate) {
    return !hasTooManyVictims(candidate) && order.permits(candidate.victims(), preemptor);
  }

  private Optional<Candidate> advised(int slot, PreemptionCandidate wanted) {
    findLowerPods(slot);
    List<PodEntry> victims = new ArrayList<>();
    for (PodRef victim : wanted.victims()) {
      PodEntry pod = state.pods().byUid(victim.uid());
      if (pod != null && pod.slot() == slot) {
        if (!lower.contains(pod)) {
          return Optional.empty();
        }
        unitOf(pod).pods().stream().filter(each -> !victims.contains(each)).forEach(victims::add);
      }
    }
    victims.sort(Importance.MORE_IMPORTANT_FIRST);
    return victims.isEmpty()
        ? Optional.empty()
        : Optional.of(candidate(slot, victims, wanted.budgetViolations()));
  }

  /** Returns the reason why the last node is not a candidate; null if the pod would fit there. */
  @Nullable Refusal refusal() {
    return refusal;
  }

  private void beginRanges(int slot) {
    int first = 0;
    for (NodeFilter filter : filters) {
      DryRunHints hints = filter.dryRunHints();
      int counts = hints.outsideCounts();
      if (counts > 0) {
        filter.refreshInputs();
        for (int i = 0; i < counts; i++) {
          ranges.begin(first + i, hints.outsideCount(i, slot));
        }
        first += counts;
      }
    }
  }

  private void begin() {
    groups.clear();
    victimUnits.begin();
  }

  private void findLowerPods(int slot) {
    lower.clear();
    int count = nodes.podCount(slot);
    for (int i = 0; i < count; i++) {
      PodEntry pod = nodes.pod(slot, i);
      if (mayGo(pod)) {
        lower.add(pod);
      }
    }
    List<PodEntry> together = order.together(lower, preemptor);
    if (together.size() < lower.size()) {
      lower.retainAll(together);
    }
  }

  private boolean mayGo(PodEntry pod) {
    if (pod.model().group().isEmpty()) {
      return victimUnits.mayGo(pod);
    }
    Optional<GroupEntry> group = state.groups().of(pod);
    group.ifPresent(groups::add);
    return group.isPresent()
        ? victimUnits.withGroup(pod, group.get()).isPresent()
        : victimUnits.mayGo(pod);
  }

  /**
   * Returns whether the order in which pods are spared differs from that for pods without groups.
   */
  private boolean groupsMatter() {
    for (GroupEntry group : groups) {
      int above = VictimUnits.above(group);
      if (victimUnits.goesWhole(group) || (above > 0 && above < Integer.MAX_VALUE)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the pods that are evicted together with a pod that may be evicted. */
  private VictimUnit unitOf(PodEntry pod) {
    List<PodEntry> together =
        state
            .groups()
            .of(pod)
            .flatMap(group -> victimUnits.withGroup(pod, group))
            .orElse(List.of(pod));
    return new VictimUnit(together, false);
  }

  private Candidate candidate(int slot, List<PodEntry> victims, int violations) {
    return Candidate.of(slot, victims, violations, VictimUnits.broken(victims, state));
  }

  private boolean hasTooManyVictims(Candidate candidate) {
    int most = rules.maxVictims();
    return candidate.victims().size() > most && candidate.toEvict().size() > most;
  }

  /** Returns whether the policy never allows so many victims, at whatever time. */
  private boolean isTooMuch(Candidate candidate) {
    return hasTooManyVictims(candidate)
        || (rules.limits().isLimited()
            && RecentEvictions.isTooMuch(candidate.toEvict(), rules.limits()));
  }

  private boolean hasWholeGroups() {
    return groups.stream().anyMatch(victimUnits::goesWhole);
  }

  private Refusal withoutVictims() {
    String why = Protection.describe(victimUnits.protections());
    return why.isEmpty()
        ? Refusal.WITHOUT_VICTIMS
        : new Refusal(Verdict.unresolvable(WITHOUT_VICTIMS + ": " + why), null);
  }

  private Refusal tooManyVictims() {
    return new Refusal(
        Verdict.unresolvable("More than " + rules.maxVictims() + " pods would have to be evicted"),
        null);
  }

  private @Nullable Candidate spare(int slot) {
    lower.sort(sparedFirst);
    Set<PodEntry> violating = BudgetCheck.violating(lower, state);
    List<PodEntry> victims = new ArrayList<>();
    int violations = 0;
    if (!violating.isEmpty()) {
      for (PodEntry pod : lower) {
        if (violating.contains(pod) && !canStay(pod, slot)) {
          victims.add(pod);
          violations++;
        }
      }
    }
    for (PodEntry pod : lower) {
      if (!violating.contains(pod) && !canStay(pod, slot)) {
        victims.add(pod);
      }
    }
    victims.sort(Importance.MORE_IMPORTANT_FIRST);
    if (victims.isEmpty()) {
      return null;
    }
    Candidate candidate = candidate(slot, victims, violations);
    List<Shortage> shortages = victims.size() > 1 ? state.shortages(preemptor, slot) : List.of();
    return shortages.isEmpty() ? candidate : fewest(candidate, violating, shortages);
  }

  /** Returns the smallest set of pods that frees what the preemptor lacks. */
  private Candidate fewest(Candidate spared, Set<PodEntry> violating, List<Shortage> shortages) {
    int slot = spared.slot();
    spared.victims().forEach(victim -> state.place(victim, slot));
    return new FewestVictims(
            state, shortages, lower, violating, spared, () -> fits(slot), this::isAllowed)
        .find();
  }

  /**
   * Spares pods as {@link #spare} does if there are members of groups among them: the members of a
   * group that is disrupted as a whole are spared together or evicted together, including those on
   * other nodes.
   */
  private @Nullable Candidate spareUnits(int slot) {
    Set<PodEntry> surplus = VictimUnits.surplus(lower, state);
    Map<List<PodEntry>, VictimUnit> units = new LinkedHashMap<>();
    for (PodEntry pod : lower) {
      List<PodEntry> together = unitOf(pod).pods();
      units.putIfAbsent(together, new VictimUnit(together, surplus.contains(pod)));
    }
    List<VictimUnit> inOrder = new ArrayList<>(units.values());
    inOrder.sort(VictimUnit.sparedFirst(sparedFirst));
    Set<PodEntry> violating =
        BudgetCheck.violating(
            inOrder.stream().flatMap(unit -> unit.pods().stream()).toList(), state);
    List<PodEntry> victims = new ArrayList<>();
    int violations = 0;
    for (boolean ofBudgets : new boolean[] {true, false}) {
      for (VictimUnit unit : inOrder) {
        long violated = unit.pods().stream().filter(violating::contains).count();
        if (violated > 0 == ofBudgets && !canStay(unit, slot)) {
          victims.addAll(unit.pods());
          violations += (int) violated;
        }
      }
    }
    victims.sort(Importance.MORE_IMPORTANT_FIRST);
    return victims.isEmpty() ? null : candidate(slot, victims, violations);
  }

  private boolean canStay(VictimUnit unit, int slot) {
    List<PodEntry> here = unit.pods().stream().filter(lower::contains).toList();
    here.forEach(pod -> state.place(pod, slot));
    if (fits(slot)) {
      return true;
    }
    here.forEach(state::evictInDryRun);
    return false;
  }

  /**
   * Returns whether the pod fits on the candidate after its victims on other nodes are removed too.
   */
  boolean fitsWithoutAll(Candidate candidate) {
    Journal.Savepoint point = state.journal().savepoint();
    try {
      candidate.victims().forEach(state::evictInDryRun);
      return fits(candidate.slot());
    } finally {
      state.journal().rollback(point);
    }
  }

  private boolean canStay(PodEntry pod, int slot) {
    state.place(pod, slot);
    if (fits(slot)) {
      return true;
    }
    state.evictInDryRun(pod);
    return false;
  }

  /**
   * Returns whether the preemptor fits both with and without the pods that are nominated for the
   * node.
   */
  private boolean fits(int slot) {
    List<PodEntry> nominated =
        NominatedPods.notOutrankedBy(preemptor, nodes.name(slot), state, nominations);
    if (nominated.isEmpty()) {
      return passes(slot);
    }
    Journal.Savepoint point = state.journal().savepoint();
    boolean fits;
    try {
      nominated.forEach(pod -> state.place(pod, slot));
      fits = passes(slot);
    } finally {
      state.journal().rollback(point);
    }
    return fits && passes(slot);
  }

  private boolean passes(int slot) {
    int first = 0;
    for (NodeFilter filter : filters) {
      int verdict = filter.evaluate(slot, ranges, first);
      first += filter.dryRunHints().outsideCounts();
      if (verdict != NodeFilter.PASSES) {
        refusal = new Refusal(filter.verdict(verdict), filter);
        return false;
      }
    }
    return true;
  }
}
