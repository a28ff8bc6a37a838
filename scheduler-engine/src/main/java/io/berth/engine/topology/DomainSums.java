package io.berth.engine.topology;

import io.berth.engine.selector.MatcherKey;
import io.berth.engine.selector.NodeCounts;
import io.berth.engine.selector.OwnerCounts;
import io.berth.engine.selector.PodMatcher;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.RecentChanges;
import io.berth.engine.state.SharedAnswers;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The number of matching pods in each domain of a topology key, and the lowest of these numbers.
 * Applies changes of the counts per node incrementally; computes the sums again only if nodes have
 * moved between domains or the set of counted nodes has changed.
 */
public final class DomainSums implements SharedAnswers.Answer {
  /** The number of recently changed domains that readers can look up. */
  private static final int PUBLISHED = 256;

  /** The counted pods: those that a matcher selects, or those that have an affinity term. */
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
  private final DomainCounts sums = new DomainCounts();

  /** The number of counted nodes by domain; empty if all nodes with the label count. */
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

  /**
   * Returns sums of the placed pods that the key selects, over all nodes; requires one {@link
   * #release}.
   */
  public static DomainSums ofPods(MatcherKey counted, String label, ClusterState state) {
    return acquire(new Question(counted, label, false, Optional.empty()), state);
  }

  /**
   * Returns sums of the placed pods that the key selects, over some nodes; requires one {@link
   * #release}.
   */
  public static DomainSums ofPods(
      MatcherKey counted, String label, EligibleNodes.Question nodes, ClusterState state) {
    return acquire(new Question(counted, label, false, Optional.of(nodes)), state);
  }

  /**
   * Returns sums of the placed pods that the key selects, over some nodes, where an absent label
   * counts as an empty one; requires one {@link #release}.
   */
  public static DomainSums ofPodsWithAbsent(
      MatcherKey counted, String label, EligibleNodes.Question nodes, ClusterState state) {
    return acquire(new Question(counted, label, true, Optional.of(nodes)), state);
  }

  /**
   * Returns sums of the placed pods that have the term, over all nodes; requires one {@link
   * #release}.
   */
  public static DomainSums ofOwners(OwnerCounts owners, ClusterState state) {
    return acquire(new Question(owners, owners.topologyKey(), false, Optional.empty()), state);
  }

  private static DomainSums acquire(Question question, ClusterState state) {
    return state.answers().acquire(question, () -> new DomainSums(question, state));
  }

  public void release() {
    state.answers().release(question);
  }

  /** Applies the changes since the last refresh. */
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

  /** Returns the matcher that selects the counted pods; null if pods with a term are counted. */
  public @Nullable PodMatcher matcher() {
    return matcher;
  }

  /** Returns whether a placed pod is one of the counted pods, if its node is a counted one. */
  public boolean counts(PodEntry pod) {
    return matcher == null
        ? pod.shared().ownTerms().contains((OwnerCounts) question.counted())
        : pod.matchers().contains(matcher);
  }

  /** Returns whether any placed pod on the node is one of the counted pods. */
  public boolean countsAnyOn(int slot) {
    return counts.at(slot) > 0;
  }

  /** Returns the number of pods in the domain. */
  public int sumOf(int domain) {
    return sums.get(domain);
  }

  /** Visits each domain with at least one pod, in no particular order. */
  public void forEachNonZero(IntConsumer visitor) {
    sums.forEach(visitor);
  }

  private boolean isCounted(int domain) {
    return countsAll() ? key.sizeOf(domain) > 0 : nodesIn[domain] > 0;
  }

  /** Returns whether each node of a domain is a counted one. */
  private boolean countsAll() {
    return eligible == null && !question.absentIsEmpty();
  }

  /** Returns the number of pods on one node, whether or not that node is counted. */
  public int onNode(int slot) {
    return counts.at(slot);
  }

  /** Returns the number of domains with at least one counted node. */
  public int domains() {
    return domains;
  }

  /** Returns the number of domains with at least one pod. */
  public int nonZeroDomains() {
    return nonZero;
  }

  /** Returns the number of pods in all domains. */
  public long total() {
    return total;
  }

  /** Returns the same as {@link #least}, for the domains other than this one. */
  public int leastBeside(int domain) {
    int all = least();
    if (domains == 0 || !isCounted(domain) || sums.get(domain) != all || domainsWithSum[all] > 1) {
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

  /** Returns the smallest sum of a domain with a counted node; a large number if there is none. */
  public int least() {
    if (domains == 0) {
      return Integer.MAX_VALUE;
    }
    while (domainsWithSum[least] == 0) {
      least++;
    }
    return least;
  }

  /** Returns the domains whose sum has changed last. */
  public RecentChanges changes() {
    return changes;
  }

  private void resized() {
    charged = bytes();
    state.answers().resized(this);
  }

  private void change(int slot, int delta) {
    int domain = key.domainOf(slot);
    if (domain == TopologyKey.NONE || (eligible != null && !eligible.nodes().contains(slot))) {
      return;
    }
    int before = sums.add(domain, delta);
    int after = before + delta;
    total += delta;
    if (before == 0) {
      nonZero++;
    }
    if (after == 0) {
      nonZero--;
    }
    if (isCounted(domain)) {
      domainsWithSum[before]--;
      addSums(after, 1);
    }
    changes.add(domain);
  }

  /** Counts more domains with a sum. */
  private void addSums(int sum, int more) {
    if (sum >= domainsWithSum.length) {
      domainsWithSum = Arrays.copyOf(domainsWithSum, Math.max(sum + 1, sum * 2));
    }
    domainsWithSum[sum] += more;
    least = Math.min(least, sum);
  }

  private void rebuild() {
    state.work().spend(key.bound());
    keyVersion = key.version();
    eligibleVersion = eligible == null ? -1 : eligible.version();
    seen = counts.head();
    changes.addAll();
    sums.reset(key.bound());
    counts.forEach(
        (slot, count) -> {
          int domain = key.domainOf(slot);
          if (domain != TopologyKey.NONE && (eligible == null || eligible.nodes().contains(slot))) {
            sums.add(domain, count);
          }
        });
    Arrays.fill(domainsWithSum, 0);
    least = Integer.MAX_VALUE;
    nonZero = 0;
    total = 0;
    domains = countsAll() ? key.domainCount() : countNodes();
    addSums(0, domains);
    sums.forEach(this::addNonZero);
    resized();
  }

  private void addNonZero(int domain) {
    int sum = sums.get(domain);
    total += sum;
    nonZero++;
    if (isCounted(domain)) {
      domainsWithSum[0]--;
      addSums(sum, 1);
    }
  }

  /** Counts the nodes of each domain; returns the number of domains with counted nodes. */
  private int countNodes() {
    int bound = key.bound();
    if (nodesIn.length < bound) {
      nodesIn = new int[bound + bound / 8 + 1];
    } else {
      Arrays.fill(nodesIn, 0);
    }
    NodeSet counted = eligible == null ? key.present() : eligible.nodes();
    int[] domainOf = key.domains();
    long[] words = counted.words();
    int found = 0;
    for (int word = 0; word < words.length; word++) {
      for (long bits = words[word]; bits != 0; bits &= bits - 1) {
        int domain = domainOf[(word << 6) + Long.numberOfTrailingZeros(bits)];
        if (domain != TopologyKey.NONE && nodesIn[domain]++ == 0) {
          found++;
        }
      }
    }
    return found;
  }

  @Override
  public long bytes() {
    return 400L
        + changes.bytes()
        + sums.bytes()
        + 4L * (nodesIn.length + domainsWithSum.length)
        + counts.bytes();
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
