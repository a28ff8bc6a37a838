package io.berth.engine.topology;

import io.berth.engine.selector.MatcherKey;
import io.berth.engine.selector.NodeCounts;
import io.berth.engine.selector.OwnerCounts;
import io.berth.engine.selector.PodMatcher;
import io.berth.engine.state.Answers;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.RecentChanges;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The number of pods of some kind in each domain of a topology key, and the lowest of these
 * numbers. Follows the counts per node change by change; adds them up again only when nodes have
 * moved between domains or the nodes that count have changed.
 */
public final class DomainSums implements Answers.Answer {
  /** The number of recently changed domains that readers know. */
  private static final int PUBLISHED = 256;

  /** The counted pods: those that a matcher selects, or those that have a term. */
  record Question(
      Object counted,
      String label,
      boolean absentIsEmpty,
      Optional<EligibleNodes.Question> eligibleNodes) {}

  private final ClusterState state;
  private final Question question;
  private final TopologyKey key;
  private final @Nullable EligibleNodes eligible;
  private final @Nullable PodMatcher matcher;
  private final NodeCounts counts;
  private int[] sums = {};
  private int[] nodesIn = {};

  /** The number of domains with each sum, to find the lowest sum. */
  private int[] domainsWithSum = new int[16];

  private int least;
  private int domains;
  private int nonZero;
  private long total;
  private long keyVersion = -1;
  private long eligibleVersion = -1;
  private long seen;
  private final RecentChanges changes = new RecentChanges(PUBLISHED);
  private long charged;

  private DomainSums(Question question, ClusterState state) {
    this.question = question;
    this.state = state;
    this.key = TopologyKey.acquire(question.label(), question.absentIsEmpty(), state);
    this.eligible =
        question.eligibleNodes().map(nodes -> EligibleNodes.acquire(nodes, state)).orElse(null);
    if (question.counted() instanceof OwnerCounts owners) {
      this.matcher = null;
      this.counts = owners.counts();
    } else {
      this.matcher = state.matchers().acquire((MatcherKey) question.counted());
      this.counts = state.countsOf(matcher);
    }
  }

  /** Sums of the placed pods that the key means, over all nodes; needs one {@link #release}. */
  public static DomainSums ofPods(MatcherKey counted, String label, ClusterState state) {
    return acquire(new Question(counted, label, false, Optional.empty()), state);
  }

  /** Sums of the placed pods that the key means, over some nodes; needs one {@link #release}. */
  public static DomainSums ofPods(
      MatcherKey counted, String label, EligibleNodes.Question nodes, ClusterState state) {
    return acquire(new Question(counted, label, false, Optional.of(nodes)), state);
  }

  /**
   * Sums of the placed pods that the key means, over some nodes, where those without the label are
   * in one domain with those where it is empty; needs one {@link #release}.
   */
  public static DomainSums ofPodsWithAbsent(
      MatcherKey counted, String label, EligibleNodes.Question nodes, ClusterState state) {
    return acquire(new Question(counted, label, true, Optional.of(nodes)), state);
  }

  /** Sums of the placed pods that have the term, over all nodes; needs one {@link #release}. */
  public static DomainSums ofOwners(OwnerCounts owners, ClusterState state) {
    return acquire(new Question(owners, owners.topologyKey(), false, Optional.empty()), state);
  }

  private static DomainSums acquire(Question question, ClusterState state) {
    return state.answers().acquire(question, () -> new DomainSums(question, state));
  }

  public void release() {
    state.answers().release(question);
  }

  /** Takes over what changed. */
  public void refresh() {
    key.refresh();
    if (eligible != null) {
      eligible.refresh();
    }
    if (key.version() != keyVersion
        || (eligible != null && eligible.version() != eligibleVersion)
        || !counts.knowsSince(seen)) {
      rebuild();
    } else if (seen != counts.head()) {
      counts.forEachSince(seen, this::change);
      seen = counts.head();
      if (bytes() != charged) {
        resized();
      }
    }
  }

  public TopologyKey key() {
    return key;
  }

  /** The matcher whose pods are counted; null where terms are. */
  public @Nullable PodMatcher matcher() {
    return matcher;
  }

  /** The number of pods in the domain. */
  public int sumOf(int domain) {
    return sums[domain];
  }

  /** The number of pods on one node, whether or not that node counts. */
  public int onNode(int slot) {
    return counts.at(slot);
  }

  /** Returns the number of domains with a node that counts. */
  public int domains() {
    return domains;
  }

  /** Returns the number of domains with a pod. */
  public int nonZeroDomains() {
    return nonZero;
  }

  /** Returns the number of pods in all domains. */
  public long total() {
    return total;
  }

  /** As {@link #least}, of the domains other than this one. */
  public int leastBeside(int domain) {
    int all = least();
    if (domains == 0 || nodesIn[domain] == 0 || sums[domain] != all || domainsWithSum[all] > 1) {
      return all;
    }
    if (domains == 1) {
      return Integer.MAX_VALUE;
    }
    int next = all + 1;
    while (domainsWithSum[next] == 0) {
      next++;
    }
    return next;
  }

  /** The smallest sum of a domain that has a node that counts; large where there is none. */
  public int least() {
    if (domains == 0) {
      return Integer.MAX_VALUE;
    }
    while (domainsWithSum[least] == 0) {
      least++;
    }
    return least;
  }

  /** The domains whose sum has changed last. */
  public RecentChanges changes() {
    return changes;
  }

  private void resized() {
    charged = bytes();
    state.answers().resized(question);
  }

  private void change(int slot, int delta) {
    int domain = key.domainOf(slot);
    if (domain == TopologyKey.NONE || (eligible != null && !eligible.nodes().contains(slot))) {
      return;
    }
    int before = sums[domain];
    int after = before + delta;
    sums[domain] = after;
    total += delta;
    if (before == 0) {
      nonZero++;
    }
    if (after == 0) {
      nonZero--;
    }
    if (nodesIn[domain] > 0) {
      domainsWithSum[before]--;
      addSum(after);
    }
    changes.add(domain);
  }

  private void addSum(int sum) {
    if (sum >= domainsWithSum.length) {
      domainsWithSum = Arrays.copyOf(domainsWithSum, Math.max(sum + 1, sum * 2));
    }
    domainsWithSum[sum]++;
    least = Math.min(least, sum);
  }

  private void rebuild() {
    state.work().spend(key.bound());
    keyVersion = key.version();
    eligibleVersion = eligible == null ? -1 : eligible.version();
    seen = counts.head();
    changes.addAll();
    int bound = key.bound();
    if (sums.length < bound) {
      sums = new int[bound + bound / 8 + 1];
      nodesIn = new int[sums.length];
    } else {
      Arrays.fill(sums, 0);
      Arrays.fill(nodesIn, 0);
    }
    counts.forEach(
        (slot, count) -> {
          int domain = key.domainOf(slot);
          if (domain != TopologyKey.NONE && (eligible == null || eligible.nodes().contains(slot))) {
            sums[domain] += count;
          }
        });
    NodeSet counted = eligible == null ? key.present() : eligible.nodes();
    counted.forEach(
        slot -> {
          int domain = key.domainOf(slot);
          if (domain != TopologyKey.NONE) {
            nodesIn[domain]++;
          }
        });
    Arrays.fill(domainsWithSum, 0);
    least = Integer.MAX_VALUE;
    domains = 0;
    nonZero = 0;
    total = 0;
    for (int domain = 0; domain < bound; domain++) {
      total += sums[domain];
      if (sums[domain] > 0) {
        nonZero++;
      }
      if (nodesIn[domain] > 0) {
        domains++;
        addSum(sums[domain]);
      }
    }
    resized();
  }

  @Override
  public long bytes() {
    return 400L + changes.bytes() + 8L * sums.length + 4L * domainsWithSum.length + counts.bytes();
  }

  @Override
  public void close() {
    key.release(state);
    if (eligible != null) {
      eligible.release();
    }
    if (matcher != null) {
      state.matchers().release(matcher);
    }
  }
}
