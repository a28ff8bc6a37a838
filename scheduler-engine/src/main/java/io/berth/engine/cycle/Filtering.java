package io.berth.engine.cycle;

import io.berth.engine.decision.RejectionCount;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.Verdict;
import io.berth.engine.journal.Journal;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes a pod may go to, and why not to the others. A node counts with the first filter that
 * rejects it, in the policy's order.
 *
 * <p>Where pods of equal or higher priority are promised room on a node, the pod has to fit both
 * with them and without.
 */
final class Filtering {
  /** The first rejection of a node that is looked at by itself. */
  private record Single(int filter, int verdict) {}

  private final ClusterState state;
  private final NodeTable nodes;
  private final Nominations nominations;
  private final NodeSet feasible = new NodeSet();
  private final NodeSet remaining = new NodeSet();
  private final NodeSet looked = new NodeSet();
  private final Map<Integer, Single> singles = new HashMap<>();
  private final List<RejectionCount> rejections = new ArrayList<>();
  private int[] counts = new int[16];
  private Set<String> narrowing = Set.of();
  private @Nullable Verdict ofPod;
  private String ofPodPlugin = "";

  Filtering(ClusterState state, Nominations nominations) {
    this.state = state;
    this.nodes = state.nodes();
    this.nominations = nominations;
  }

  /** The nodes that passed every filter. */
  NodeSet feasible() {
    return feasible;
  }

  /** How many nodes were rejected and why. */
  List<RejectionCount> rejections() {
    return List.copyOf(rejections);
  }

  /** Why the pod was rejected as a whole; null where it was not. */
  @Nullable Verdict ofPod() {
    return ofPod;
  }

  /** Whether any node was kept from being looked at because a filter named others. */
  Set<String> narrowing() {
    return narrowing;
  }

  void run(PodEntry pod, ShapePlan plan) {
    rejections.clear();
    singles.clear();
    narrowing = Set.of();
    ofPod = null;
    feasible.grow(nodes.slots());
    remaining.grow(nodes.slots());
    for (NodeFilter filter : plan.filters()) {
      filter.refresh();
    }
    if (isRejected(plan)) {
      feasible.clear();
      return;
    }
    copy(nodes.alive(), remaining);
    narrow(plan);
    looked.grow(nodes.slots());
    copy(remaining, looked);
    rejectAll(plan);
    int promised = promisedNode(pod);
    if (promised >= 0 && withPromised(pod, promised, plan) == null) {
      feasible.clear();
      feasible.add(promised);
      return;
    }
    lookAtPromised(pod, plan);
    copy(remaining, feasible);
  }

  private void rejectAll(ShapePlan plan) {
    NodeSet asked = plan.policy().checkAllFilters() ? looked : remaining;
    for (int i = 0; i < plan.filters().size(); i++) {
      reject(plan.filterNames().get(i), plan.filters().get(i), asked.words());
    }
  }

  /** The nodes that the filters were asked about: all but those left out by name. */
  NodeSet lookedAt() {
    return looked;
  }

  /** Counts the rejections of these nodes alone: a search came to no others. */
  void countAgainAmong(NodeSet examined, ShapePlan plan) {
    if (examined.size() == looked.size()) {
      return;
    }
    rejections.removeIf(rejection -> !isOfNarrowing(rejection));
    copy(examined, remaining);
    copy(examined, looked);
    rejectAll(plan);
    singles.forEach(
        (slot, single) -> {
          if (examined.contains(slot)) {
            countSingle(single, plan);
          }
        });
  }

  private boolean isOfNarrowing(RejectionCount rejection) {
    return !narrowing.isEmpty() && rejection.plugin().equals(String.join(",", narrowing));
  }

  private boolean isRejected(ShapePlan plan) {
    for (int i = 0; i < plan.filters().size(); i++) {
      Optional<Verdict> verdict = plan.filters().get(i).rejectsPod();
      if (verdict.isPresent()) {
        ofPod = verdict.get();
        ofPodPlugin = plan.filterNames().get(i);
        if (!ofPod.resolvable()) {
          break;
        }
      }
    }
    if (ofPod == null) {
      return false;
    }
    rejections.add(new RejectionCount(ofPodPlugin, ofPod, nodes.size()));
    return true;
  }

  /** Leaves out the nodes that filters which name nodes do not name. */
  private void narrow(ShapePlan plan) {
    Set<String> named = null;
    TreeSet<String> plugins = new TreeSet<>();
    for (int i = 0; i < plan.filters().size(); i++) {
      Optional<Set<String>> only = plan.filters().get(i).onlyNodes();
      if (only.isPresent()) {
        plugins.add(plan.filterNames().get(i));
        if (named == null) {
          named = new HashSet<>(only.get());
        } else {
          named.retainAll(only.get());
        }
      }
    }
    if (named == null) {
      return;
    }
    narrowing = plugins;
    int before = nodes.size();
    remaining.clear();
    int left = 0;
    for (String name : named) {
      int slot = nodes.slotOf(name);
      if (slot >= 0) {
        remaining.add(slot);
        left++;
      }
    }
    if (left < before) {
      rejections.add(
          new RejectionCount(
              String.join(",", plugins), leftOut(plugins, named.isEmpty()), before - left));
    }
  }

  private static Verdict leftOut(Set<String> plugins, boolean contradict) {
    if (contradict) {
      return Verdict.unresolvable(
          "node(s) didn't satisfy plugin(s) "
              + "["
              + String.join(" ", plugins)
              + "] simultaneously");
    }
    return Verdict.unresolvable(
        "node(s) didn't satisfy plugin(s) [" + String.join(" ", plugins) + "]");
  }

  /** The node on which the pod itself is promised room, if it would do; -1 otherwise. */
  private int promisedNode(PodEntry pod) {
    if (nominations.isEmpty()) {
      return -1;
    }
    int slot = nominations.nodeOf(pod.ref().uid()).map(nodes::slotOf).orElse(-1);
    return slot >= 0 && remaining.contains(slot) ? slot : -1;
  }

  /**
   * Looks at the nodes on which room is promised one by one, with the promised pods in place. A
   * node that rejects the pod as it is needs no second look: the pod has to fit both ways.
   */
  private void lookAtPromised(PodEntry pod, ShapePlan plan) {
    if (nominations.isEmpty()) {
      return;
    }
    for (String nodeName : nominations.nodes()) {
      int slot = nodes.slotOf(nodeName);
      if (slot < 0 || !remaining.contains(slot)) {
        continue;
      }
      Single single = withPromised(pod, slot, plan);
      if (single != null) {
        singles.put(slot, single);
        remaining.remove(slot);
        countSingle(single, plan);
      }
    }
  }

  private void countSingle(Single single, ShapePlan plan) {
    NodeFilter filter = plan.filters().get(single.filter);
    rejections.add(
        new RejectionCount(
            plan.filterNames().get(single.filter), filter.verdict(single.verdict), 1));
  }

  /** The first rejection with the promised pods in place; null where none counts. */
  private @Nullable Single withPromised(PodEntry pod, int slot, ShapePlan plan) {
    List<PodEntry> promised = new ArrayList<>();
    for (String uid : nominations.podsOn(nodes.name(slot))) {
      PodEntry other = state.pods().byUid(uid);
      if (other != null
          && other != pod
          && other.slot() == PodEntry.NOWHERE
          && other.priority() >= pod.priority()) {
        promised.add(other);
      }
    }
    if (promised.isEmpty()) {
      return null;
    }
    Journal.Savepoint point = state.journal().savepoint();
    try {
      promised.forEach(other -> state.place(other, slot));
      return firstRejection(slot, plan);
    } finally {
      state.journal().rollback(point);
    }
  }

  private static @Nullable Single firstRejection(int slot, ShapePlan plan) {
    for (int i = 0; i < plan.filters().size(); i++) {
      int verdict = plan.filters().get(i).evaluate(slot);
      if (verdict != NodeFilter.PASSES) {
        return new Single(i, verdict);
      }
    }
    return null;
  }

  /**
   * Takes what the filter rejects out of the remaining nodes, and counts by verdict what it rejects
   * of the nodes that it is asked about.
   */
  private void reject(String plugin, NodeFilter filter, long[] asked) {
    long[] left = remaining.words();
    long[] rejected = filter.rejected().words();
    int words = Math.min(Math.min(left.length, rejected.length), asked.length);
    if (filter.verdicts() == 2) {
      int total = 0;
      for (int word = 0; word < words; word++) {
        long both = asked[word] & rejected[word];
        total += Long.bitCount(both);
        left[word] &= ~both;
      }
      if (total > 0) {
        rejections.add(new RejectionCount(plugin, filter.verdict(1), total));
      }
      return;
    }
    if (counts.length < filter.verdicts()) {
      counts = new int[filter.verdicts() * 2];
    }
    boolean any = false;
    for (int word = 0; word < words; word++) {
      long both = asked[word] & rejected[word];
      if (both != 0) {
        any = true;
        left[word] &= ~both;
        for (; both != 0; both &= both - 1) {
          counts[filter.verdictAt((word << 6) + Long.numberOfTrailingZeros(both))]++;
        }
      }
    }
    for (int verdict = 1; any && verdict < filter.verdicts(); verdict++) {
      if (counts[verdict] > 0) {
        rejections.add(new RejectionCount(plugin, filter.verdict(verdict), counts[verdict]));
        counts[verdict] = 0;
      }
    }
  }

  /** The nodes whose first rejection evicting pods may cure. */
  NodeSet curableByEviction(ShapePlan plan) {
    NodeSet curable = new NodeSet(nodes.slots());
    if (ofPod != null) {
      if (ofPod.resolvable()) {
        copy(nodes.alive(), curable);
      }
      return curable;
    }
    nodes
        .alive()
        .forEach(
            slot -> {
              if (!isNarrowedOut(slot, plan) && isCurable(slot, plan)) {
                curable.add(slot);
              }
            });
    return curable;
  }

  private boolean isNarrowedOut(int slot, ShapePlan plan) {
    if (narrowing.isEmpty()) {
      return false;
    }
    for (NodeFilter filter : plan.filters()) {
      Optional<Set<String>> only = filter.onlyNodes();
      if (only.isPresent() && !only.get().contains(nodes.name(slot))) {
        return true;
      }
    }
    return false;
  }

  private boolean isCurable(int slot, ShapePlan plan) {
    Single single = singles.get(slot);
    if (single != null) {
      return plan.filters().get(single.filter).verdict(single.verdict).resolvable();
    }
    for (NodeFilter filter : plan.filters()) {
      int verdict = filter.verdictAt(slot);
      if (verdict != NodeFilter.PASSES) {
        return filter.verdict(verdict).resolvable();
      }
    }
    return false;
  }

  /**
   * What every filter says of every node, by the filter's name and the node's: only where a filter
   * rejects. A filter that rejects the pod, or names other nodes, rejects each node by that.
   */
  Map<String, Map<String, Verdict>> verdicts(ShapePlan plan) {
    Map<String, Map<String, Verdict>> verdicts = new TreeMap<>();
    for (int i = 0; i < plan.filters().size(); i++) {
      NodeFilter filter = plan.filters().get(i);
      Map<String, Verdict> ofFilter = new TreeMap<>();
      nodes
          .alive()
          .forEach(
              slot -> {
                Verdict verdict = verdictOn(slot, filter, plan);
                if (verdict != null) {
                  ofFilter.put(nodes.name(slot), verdict);
                }
              });
      if (!ofFilter.isEmpty()) {
        verdicts.put(plan.filterNames().get(i), ofFilter);
      }
    }
    return verdicts;
  }

  private @Nullable Verdict verdictOn(int slot, NodeFilter filter, ShapePlan plan) {
    Optional<Verdict> rejectsPod = filter.rejectsPod();
    if (rejectsPod.isPresent()) {
      return rejectsPod.get();
    }
    Optional<Set<String>> only = filter.onlyNodes();
    if (only.isPresent() && !only.get().contains(nodes.name(slot))) {
      return leftOut(Set.of(plan.filterNames().get(plan.filters().indexOf(filter))), false);
    }
    int verdict = filter.verdictAt(slot);
    return verdict == NodeFilter.PASSES ? null : filter.verdict(verdict);
  }

  private static void copy(NodeSet from, NodeSet to) {
    long[] source = from.words();
    long[] target = to.words();
    int common = Math.min(source.length, target.length);
    System.arraycopy(source, 0, target, 0, common);
    for (int word = common; word < target.length; word++) {
      target[word] = 0;
    }
  }
}
