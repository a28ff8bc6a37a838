package io.berth.engine.plugins;

import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.Scale;
import io.berth.engine.model.WeightedAffinityTerm;
import io.berth.engine.selector.MatcherKey;
import io.berth.engine.selector.MatcherSet;
import io.berth.engine.selector.OwnerCounts;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.topology.DomainSums;
import io.berth.engine.topology.TopologyKey;
import java.util.ArrayList;
import java.util.List;

/**
 * The raw scores of InterPodAffinity for pods with the same preferred terms that are selected by
 * the same terms: for each node, the sum of the weights over all terms and all pods in the node's
 * domains.
 *
 * <p>The score class of a node combines, in one number, its domains of the coarse keys (those with
 * few domains) and the sum of the other keys, divided by what all of its weights are multiples of.
 * If these do not fit into one number, the score class is the sum of all keys, divided likewise.
 */
final class InterPodScorer extends NodeScorer {
  private static final int FEW_DOMAINS = 64;

  /** The maximum number of combinations of domains of coarse keys. */
  private static final int MOST_COMBINATIONS = 1 << 12;

  record Question(
      List<WeightedAffinityTerm> near,
      List<WeightedAffinityTerm> far,
      MatcherSet matchers,
      int hardWeight) {}

  /** Pods with a weight. */
  private record Part(DomainSums sums, int weight) {}

  /** The parts of one topology key: the contribution of a node's domain to its score. */
  private static final class KeyTotal {
    final TopologyKey key;
    final List<Part> parts = new ArrayList<>();

    /**
     * For a coarse key, the difference in score class between consecutive domains; 0 for a fine
     * key.
     */
    int step;

    /** The totals of the domains of a coarse key. */
    int[] totals = {};

    long[] seen = {};
    long keyVersion = -1;

    KeyTotal(TopologyKey key) {
      this.key = key;
    }

    /** An upper bound of the absolute totals of domains since they were last computed. */
    int greatest;

    int totalOf(int domain) {
      int total = 0;
      for (Part part : parts) {
        total += part.weight * part.sums.sumOf(domain);
      }
      return total;
    }
  }

  private final Question question;
  private final List<Part> own = new ArrayList<>();
  private final OwnerSums owners;
  private List<KeyTotal> keys = List.of();
  private KeyTotal[] coarse = {};
  private KeyTotal[] fine = {};

  /**
   * The number that divides the weights of all fine keys, and so their sums: most weights are equal
   * or multiples of ten, and a column of small numbers takes one byte for each.
   */
  private int unit = 1;

  /** The factor of a sum of fine keys in a score class: the number of combinations below it. */
  private int sumStep = 1;

  /**
   * The greatest absolute total of a domain of a fine key for which score classes fit into a
   * number.
   */
  private int greatestTotal;

  private boolean skipped;

  InterPodScorer(Question question, ClusterState state) {
    super(question, state, Scale.Kind.BETWEEN, state.nodes().labelLog());
    this.question = question;
    for (WeightedAffinityTerm preferred : question.near()) {
      own.add(part(preferred, preferred.weight()));
    }
    for (WeightedAffinityTerm preferred : question.far()) {
      own.add(part(preferred, -preferred.weight()));
    }
    this.owners =
        new OwnerSums(
            question.matchers(),
            state,
            owner ->
                switch (owner.kind()) {
                  case PREFERRED -> true;
                  case REQUIRED_AFFINITY -> question.hardWeight() > 0;
                  case REQUIRED_ANTI_AFFINITY -> false;
                });
    group();
  }

  private Part part(WeightedAffinityTerm preferred, int weight) {
    return new Part(
        DomainSums.ofPods(MatcherKey.of(preferred.term()), preferred.term().topologyKey(), state),
        weight);
  }

  private void group() {
    List<Part> parts = new ArrayList<>(own);
    for (int i = 0; i < owners.owners().size(); i++) {
      OwnerCounts owner = owners.owners().get(i);
      parts.add(
          new Part(
              owners.sums().get(i),
              owner.kind() == OwnerCounts.Kind.PREFERRED ? owner.weight() : question.hardWeight()));
    }
    List<KeyTotal> grouped = new ArrayList<>();
    for (Part part : parts) {
      KeyTotal total =
          grouped.stream()
              .filter(candidate -> candidate.key == part.sums.key())
              .findFirst()
              .orElse(null);
      if (total == null) {
        total = new KeyTotal(part.sums.key());
        grouped.add(total);
      }
      total.parts.add(part);
    }
    grouped.forEach(total -> total.seen = new long[total.parts.size()]);
    keys = grouped;
  }

  @Override
  protected boolean refreshInputs(NodeSet feasible) {
    boolean all = false;
    if (owners.refresh()) {
      group();
      all = true;
    }
    skipped = true;
    for (KeyTotal total : keys) {
      for (int i = 0; i < total.parts.size(); i++) {
        DomainSums sums = total.parts.get(i).sums;
        sums.refresh();
        skipped &= sums.nonZeroDomains() == 0;
        all |= !sums.changes().knowsSince(total.seen[i]);
      }
      all |= total.keyVersion != total.key.version();
    }
    if (!all) {
      for (KeyTotal total : keys) {
        addChanges(total);
      }
      all = !fits();
    }
    if (all) {
      for (KeyTotal total : keys) {
        restart(total);
      }
      regroup();
      for (KeyTotal total : coarse) {
        sumUp(total);
      }
    }
    return all;
  }

  /** Determines the coarse keys; every node has to be rescored after this. */
  private void regroup() {
    sumStep = 1;
    List<KeyTotal> few = new ArrayList<>();
    List<KeyTotal> many = new ArrayList<>();
    for (KeyTotal total : keys) {
      int combinations = sumStep * (total.key.bound() + 1);
      boolean isCoarse = total.key.bound() <= FEW_DOMAINS && combinations <= MOST_COMBINATIONS;
      total.step = isCoarse ? sumStep : 0;
      sumStep = isCoarse ? combinations : sumStep;
      (isCoarse ? few : many).add(total);
    }
    coarse = few.toArray(KeyTotal[]::new);
    fine = many.toArray(KeyTotal[]::new);
    greatestTotal = Integer.MAX_VALUE / sumStep / Math.max(1, fine.length) - 1;
    if (!fits()) {
      keys.forEach(total -> total.step = 0);
      sumStep = 1;
      coarse = new KeyTotal[0];
      fine = keys.toArray(KeyTotal[]::new);
    }
    int common = 0;
    for (KeyTotal total : fine) {
      for (Part part : total.parts) {
        common = greatestCommonDivisor(common, Math.abs(part.weight));
      }
    }
    unit = Math.max(1, common);
  }

  private static int greatestCommonDivisor(int one, int other) {
    return other == 0 ? one : greatestCommonDivisor(other, one % other);
  }

  private boolean fits() {
    if (coarse.length == 0) {
      return true;
    }
    for (KeyTotal total : fine) {
      if (total.greatest > greatestTotal) {
        return false;
      }
    }
    return true;
  }

  private static void restart(KeyTotal total) {
    total.keyVersion = total.key.version();
    total.greatest = 0;
    for (Part part : total.parts) {
      part.sums.forEachNonZero(
          domain -> total.greatest = Math.max(total.greatest, Math.abs(total.totalOf(domain))));
    }
    for (int i = 0; i < total.seen.length; i++) {
      total.seen[i] = total.parts.get(i).sums.changes().version();
    }
  }

  private static void sumUp(KeyTotal total) {
    int bound = total.key.bound();
    if (total.totals.length < bound) {
      total.totals = new int[bound + bound / 8 + 1];
    }
    for (int domain = 0; domain < bound; domain++) {
      total.totals[domain] = total.totalOf(domain);
    }
  }

  private void addChanges(KeyTotal total) {
    for (int i = 0; i < total.seen.length; i++) {
      DomainSums sums = total.parts.get(i).sums;
      if (total.seen[i] != sums.changes().version()) {
        sums.changes().forEachSince(total.seen[i], domain -> addChange(total, domain));
        total.seen[i] = sums.changes().version();
      }
    }
  }

  private void addChange(KeyTotal total, int domain) {
    int now = total.totalOf(domain);
    if (total.step != 0) {
      total.totals[domain] = now;
      return;
    }
    total.greatest = Math.max(total.greatest, Math.abs(now));
    TopologyKey key = total.key;
    for (int slot = key.firstIn(domain); slot >= 0; slot = key.nextAfter(slot)) {
      put(slot, score(slot));
    }
  }

  /**
   * Rescores every node: all of them by their domains of coarse keys, and then only those in
   * domains of fine keys where a pod counts. If no pod counts and all nodes have score class 0
   * already, as for the first pod of most shapes, there is nothing to do.
   */
  @Override
  protected void scoreAll() {
    if (coarse.length == 0) {
      clearScoreClasses();
    } else {
      state.work().spend(nodes.slots());
      NodeSet alive = nodes.alive();
      for (int slot = 0; slot < nodes.slots(); slot++) {
        put(slot, alive.contains(slot) ? coarseClass(slot) : 0);
      }
    }
    for (KeyTotal total : fine) {
      for (Part part : total.parts) {
        part.sums.forEachNonZero(domain -> rescoreAllIn(domain, total));
      }
    }
  }

  private void rescoreAllIn(int domain, KeyTotal total) {
    if (total.totalOf(domain) != 0) {
      for (int slot = total.key.firstIn(domain); slot >= 0; slot = total.key.nextAfter(slot)) {
        rescore(slot);
      }
    }
  }

  private int coarseClass(int slot) {
    int scoreClass = 0;
    for (KeyTotal total : coarse) {
      scoreClass += (total.key.domainOf(slot) - TopologyKey.NONE) * total.step;
    }
    return scoreClass;
  }

  @Override
  public boolean isSkipped() {
    return skipped;
  }

  @Override
  protected int score(int slot) {
    int sum = 0;
    for (KeyTotal total : fine) {
      int domain = total.key.domainOf(slot);
      if (domain != TopologyKey.NONE) {
        sum += total.totalOf(domain);
      }
    }
    return sum / unit * sumStep + coarseClass(slot);
  }

  @Override
  public int rawOf(int scoreClass) {
    int score = Math.floorDiv(scoreClass, sumStep) * unit;
    int combination = Math.floorMod(scoreClass, sumStep);
    for (int i = coarse.length - 1; i >= 0; i--) {
      KeyTotal total = coarse[i];
      int domain = combination / total.step + TopologyKey.NONE;
      combination %= total.step;
      if (domain != TopologyKey.NONE) {
        score += total.totals[domain];
      }
    }
    return score;
  }

  @Override
  protected long ownBytes() {
    long bytes = 0;
    for (KeyTotal total : keys) {
      bytes += 150 + 4L * total.totals.length + 60L * total.parts.size();
    }
    return bytes;
  }

  @Override
  public void close() {
    own.forEach(part -> part.sums.release());
    owners.release();
  }
}
