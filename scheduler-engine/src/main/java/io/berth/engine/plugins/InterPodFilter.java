package io.berth.engine.plugins;

import io.berth.engine.framework.DryRunHints;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.StableRanges;
import io.berth.engine.framework.Verdict;
import io.berth.engine.framework.VerdictFigures;
import io.berth.engine.model.AffinityTerm;
import io.berth.engine.selector.MatcherKey;
import io.berth.engine.selector.MatcherSet;
import io.berth.engine.selector.OwnerCounts;
import io.berth.engine.selector.PodMatcher;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import io.berth.engine.topology.DomainSums;
import io.berth.engine.topology.PresenceWatch;
import io.berth.engine.topology.TopologyKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The verdicts of InterPodAffinity for pods with the same required terms that are selected by the
 * same terms.
 */
final class InterPodFilter extends NodeFilter implements DryRunHints, VerdictFigures {
  record Question(List<AffinityTerm> near, List<AffinityTerm> far, MatcherSet matchers) {}

  private final List<PresenceWatch> near = new ArrayList<>();
  private final List<PresenceWatch> far = new ArrayList<>();
  private final OwnerSums unwilling;
  private List<PresenceWatch> unwillingWatches = List.of();

  /** The watches of all three lists. */
  private PresenceWatch[] watches = {};

  private final boolean meansItself;
  private final int tooFar;
  private final int tooNear;
  private final int unwanted;
  private boolean ownersChanged = true;
  private long outsideCountsVersion;
  private boolean nobodyThere;
  private boolean nobodyWasThere;

  InterPodFilter(Question question, ClusterState state) {
    super(question, state, state.nodes().labelLog());
    MatcherKey all = MatcherKey.ofAll(question.near());
    for (AffinityTerm term : question.near()) {
      near.add(PresenceWatch.ofAnyPod(DomainSums.ofPods(all, term.topologyKey(), state)));
    }
    for (AffinityTerm term : question.far()) {
      far.add(
          PresenceWatch.ofAnyPod(
              DomainSums.ofPods(MatcherKey.of(term), term.topologyKey(), state)));
    }
    PodMatcher matcher = question.near().isEmpty() ? null : state.matchers().find(all);
    this.meansItself = matcher != null && question.matchers().contains(matcher);
    this.unwilling =
        new OwnerSums(
            question.matchers(),
            state,
            owner -> owner.kind() == OwnerCounts.Kind.REQUIRED_ANTI_AFFINITY);
    this.watches = allWatches();
    this.tooFar = idOf(Verdict.unresolvable("node(s) didn't match pod affinity rules"));
    this.tooNear = idOf(Verdict.unschedulable("node(s) didn't match pod anti-affinity rules"));
    this.unwanted =
        idOf(Verdict.unschedulable("node(s) didn't satisfy existing pods anti-affinity rules"));
  }

  private PresenceWatch[] allWatches() {
    return Stream.of(near, far, unwillingWatches)
        .flatMap(List::stream)
        .toArray(PresenceWatch[]::new);
  }

  @Override
  public DryRunHints dryRunHints() {
    return this;
  }

  /**
   * Returns the number of sums per node, plus that of the totals that show whether any pod matches.
   */
  @Override
  public int outsideCounts() {
    return near.size() + far.size() + unwillingWatches.size() + near.size();
  }

  @Override
  public long outsideCountsVersion() {
    return outsideCountsVersion;
  }

  @Override
  public long outsideCount(int number, int slot) {
    int totals = near.size() + far.size() + unwillingWatches.size();
    if (number >= totals) {
      return near.get(number - totals).sums().total();
    }
    return countNear(watchOf(number).sums(), slot);
  }

  private PresenceWatch watchOf(int number) {
    if (number < near.size()) {
      return near.get(number);
    }
    int others = number - near.size();
    return others < far.size() ? far.get(others) : unwillingWatches.get(others - far.size());
  }

  @Override
  public boolean countsOutside(PodEntry pod) {
    for (PresenceWatch watch : watches) {
      if (watch.sums().counts(pod)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean mayDependOnPodsOf(int slot) {
    for (PresenceWatch watch : watches) {
      if (watch.sums().countsAnyOn(slot)) {
        return true;
      }
    }
    return false;
  }

  @Override
  protected int check(int slot) {
    return check(slot, StableRanges.NOT_KEPT);
  }

  @Override
  public int check(int slot, StableRanges ranges) {
    if (!near.isEmpty() && !isNear(slot, ranges)) {
      return tooFar;
    }
    if (isAmong(far, slot, ranges, near.size())) {
      return tooNear;
    }
    return isAmong(unwillingWatches, slot, ranges, near.size() + far.size()) ? unwanted : PASSES;
  }

  @Override
  public String figures(int slot) {
    List<String> figures = new ArrayList<>();
    near.forEach(watch -> figures.add(figures(watch.sums(), slot, "to be near to")));
    far.forEach(watch -> figures.add(figures(watch.sums(), slot, "to stay away from")));
    for (PresenceWatch watch : unwillingWatches) {
      if (countNear(watch.sums(), slot) > 0) {
        figures.add(figures(watch.sums(), slot, "that must stay away from this one"));
      }
    }
    return String.join("; ", figures);
  }

  private static String figures(DomainSums sums, int slot, String relation) {
    int domain = sums.key().domainOf(slot);
    String label = sums.key().label();
    return domain == TopologyKey.NONE
        ? "the node has no label " + label
        : "%s=%s has %d pods %s"
            .formatted(label, sums.key().valueOf(domain), sums.sumOf(domain), relation);
  }

  private static int countNear(DomainSums sums, int slot) {
    int domain = sums.key().domainOf(slot);
    return domain == TopologyKey.NONE ? 0 : sums.sumOf(domain);
  }

  private boolean isNear(int slot, StableRanges ranges) {
    boolean isNear = true;
    for (int i = 0; i < near.size(); i++) {
      DomainSums sums = near.get(i).sums();
      int domain = sums.key().domainOf(slot);
      if (domain == TopologyKey.NONE) {
        return false;
      }
      isNear &= !ranges.isAtMost(i, sums.sumOf(domain), 0);
    }
    if (isNear || !meansItself) {
      return isNear;
    }
    // The first pod of a group with affinity to itself has no other pod to be near to.
    int totals = near.size() + far.size() + unwillingWatches.size();
    boolean nobody = true;
    for (int i = 0; i < near.size(); i++) {
      nobody &= ranges.isAtMost(totals + i, near.get(i).sums().total(), 0);
    }
    return nobody;
  }

  private static boolean isAmong(
      List<PresenceWatch> watches, int slot, StableRanges ranges, int first) {
    for (int i = 0; i < watches.size(); i++) {
      DomainSums sums = watches.get(i).sums();
      int domain = sums.key().domainOf(slot);
      if (domain != TopologyKey.NONE && !ranges.isAtMost(first + i, sums.sumOf(domain), 0)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void refreshInputs() {
    state.work().spend(near.size() + far.size() + (long) unwillingWatches.size());
    nobodyThere = true;
    for (PresenceWatch watch : near) {
      watch.sums().refresh();
      nobodyThere &= watch.sums().nonZeroDomains() == 0;
    }
    for (PresenceWatch watch : far) {
      watch.sums().refresh();
    }
    if (unwilling.refresh()) {
      ownersChanged = true;
      outsideCountsVersion++;
      unwillingWatches = unwilling.sums().stream().map(PresenceWatch::ofAnyPod).toList();
      watches = allWatches();
    }
    for (PresenceWatch watch : unwillingWatches) {
      watch.sums().refresh();
    }
  }

  @Override
  protected boolean recheckByInputs() {
    boolean all = ownersChanged || (nobodyThere != nobodyWasThere && !near.isEmpty());
    for (PresenceWatch watch : watches) {
      all |= !watch.knowsChanges();
    }
    ownersChanged = false;
    nobodyWasThere = nobodyThere;
    for (PresenceWatch watch : watches) {
      if (all) {
        watch.reset();
      } else {
        watch.turned(this::recheck);
      }
    }
    return all;
  }

  /** Without required affinity, only nodes in domains with certain pods are rejected. */
  @Override
  protected Optional<NodeSet> mayReject() {
    if (!near.isEmpty()) {
      return Optional.empty();
    }
    if (far.isEmpty() && unwillingWatches.isEmpty()) {
      return Optional.of(NO_NODES);
    }
    NodeSet suspects = new NodeSet(nodes.slots());
    for (List<PresenceWatch> watches : List.of(far, unwillingWatches)) {
      for (PresenceWatch watch : watches) {
        watch.sums().forEachNonZero(domain -> watch.forEachIn(domain, suspects::add));
      }
    }
    return Optional.of(suspects);
  }

  @Override
  protected long ownBytes() {
    long bytes = 0;
    for (PresenceWatch watch : watches) {
      bytes += watch.bytes();
    }
    return bytes;
  }

  @Override
  public void close() {
    near.forEach(watch -> watch.sums().release());
    far.forEach(watch -> watch.sums().release());
    unwilling.release();
  }
}
