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
import java.util.Arrays;
import java.util.List;

/**
 * InterPodAffinity's raw scores for pods with the same preferred terms that the same terms mean:
 * per node the sum, over all terms and pods, of the weights of those in the node's domains.
 */
final class InterPodScorer extends NodeScorer {
  record Question(
      List<WeightedAffinityTerm> near,
      List<WeightedAffinityTerm> far,
      MatcherSet matchers,
      int hardWeight) {}

  /** Pods that count with a weight. */
  private record Part(DomainSums sums, int weight) {}

  /** All parts of one topology key: what a node's domain in it adds to its score. */
  private static final class KeyTotal {
    final TopologyKey key;
    final List<Part> parts = new ArrayList<>();
    int[] totals = {};
    long[] seen = {};
    long keyVersion = -1;

    KeyTotal(TopologyKey key) {
      this.key = key;
    }

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
        DomainSums.ofPods(
            MatcherKey.ofIncoming(preferred.term()), preferred.term().topologyKey(), state),
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
    for (KeyTotal total : keys) {
      if (all) {
        restart(total);
      } else {
        addChanges(total);
      }
    }
    return all;
  }

  private static void restart(KeyTotal total) {
    int bound = total.key.bound();
    if (total.totals.length < bound) {
      total.totals = Arrays.copyOf(total.totals, bound + bound / 2);
    }
    total.keyVersion = total.key.version();
    for (int domain = 0; domain < bound; domain++) {
      total.totals[domain] = total.totalOf(domain);
    }
    for (int i = 0; i < total.seen.length; i++) {
      total.seen[i] = total.parts.get(i).sums.changes().version();
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
    int change = now - total.totals[domain];
    if (change == 0) {
      return;
    }
    total.totals[domain] = now;
    TopologyKey key = total.key;
    if (key.sizeOf(domain) > nodes.slots() / 8) {
      addWhere(key.domains(), domain, change);
      return;
    }
    for (int slot = key.firstIn(domain); slot >= 0; slot = key.nextAfter(slot)) {
      put(slot, raw()[slot] + change);
    }
  }

  @Override
  public boolean isSkipped() {
    return skipped;
  }

  @Override
  protected int score(int slot) {
    int score = 0;
    for (KeyTotal total : keys) {
      int domain = total.key.domainOf(slot);
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
