package io.berth.engine.plugins;

import io.berth.engine.framework.CombinationNumbers;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.Scale;
import io.berth.engine.plugins.PodTopologySpread.Constraint;
import io.berth.engine.selector.MatcherKey;
import io.berth.engine.selector.NodeCounts;
import io.berth.engine.selector.PodMatcher;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.topology.DomainSums;
import io.berth.engine.topology.TopologyKey;
import io.berth.engine.topology.WellKnownTopologyKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The raw scores of PodTopologySpread for pods with the same soft constraints: the pods in the
 * node's domains, where each constraint is weighted by the logarithm of the number of domains of
 * the feasible nodes.
 */
final class SpreadScorer extends NodeScorer {
  /**
   * @param needsAllKeys whether nodes without one of the labels are excluded; if not, an absent
   *     label counts as an empty one, but adds nothing to the score
   */
  record Question(String namespace, List<Constraint> constraints, boolean needsAllKeys) {}

  /**
   * A constraint with its counts: those of single nodes for host names, otherwise sums by domain.
   */
  private static final class Rule {
    final Constraint constraint;
    final TopologyKey key;
    final @Nullable DomainSums sums;
    final @Nullable PodMatcher matcher;
    final @Nullable NodeCounts onHosts;
    int[] feasibleIn = {};
    int domains;
    double weight;
    long keyVersion = -1;
    long seen = -1;

    Rule(Constraint constraint, Question question, ClusterState state) {
      this.constraint = constraint;
      this.key =
          question.needsAllKeys()
              ? TopologyKey.acquire(constraint.key(), state)
              : TopologyKey.acquireWithAbsent(constraint.key(), state);
      MatcherKey counted = constraint.matcher(question.namespace());
      if (constraint.key().equals(WellKnownTopologyKeys.HOSTNAME)) {
        this.sums = null;
        this.matcher = state.matchers().acquire(counted);
        this.onHosts = state.countsOf(matcher);
      } else {
        this.sums =
            question.needsAllKeys()
                ? DomainSums.ofPods(counted, constraint.key(), constraint.eligible(), state)
                : DomainSums.ofPodsWithAbsent(
                    counted, constraint.key(), constraint.eligible(), state);
        this.matcher = null;
        this.onHosts = null;
      }
    }

    boolean refresh() {
      key.refresh();
      boolean known = true;
      if (sums != null) {
        sums.refresh();
      } else {
        known = onHosts != null && onHosts.knowsSince(seen);
      }
      boolean moved = keyVersion != key.version();
      keyVersion = key.version();
      return moved || !known;
    }

    void caughtUp() {
      seen = onHosts != null ? onHosts.head() : 0;
    }

    /**
     * Returns the input of the node's part of the score: its domain, or for host names the number
     * of pods on it; {@link #ABSENT} without the label.
     */
    int basis(int slot) {
      if (!key.present().contains(slot)) {
        return ABSENT;
      }
      return onHosts != null ? onHosts.at(slot) : key.domainOf(slot);
    }

    /** Returns the part of a node's score for this basis. */
    double part(int basis) {
      int count = sums != null ? sums.sumOf(basis) : basis;
      return count * weight + (constraint.maxSkew() - 1);
    }

    /** Counts these nodes by domain, and no others. */
    void countAll(NodeSet feasible) {
      domains = 0;
      if (onHosts != null) {
        return; // their number is the number of domains
      }
      int bound = key.bound();
      if (feasibleIn.length < bound) {
        feasibleIn = new int[bound * 3 / 2];
      } else {
        Arrays.fill(feasibleIn, 0);
      }
      if (bound > FEW_DOMAINS) {
        feasible.forEach(this::enter);
        return;
      }
      for (int domain = 0; domain < bound; domain++) {
        feasibleIn[domain] = key.nodesIn(domain).common(feasible);
        domains += feasibleIn[domain] > 0 ? 1 : 0;
      }
    }

    void enter(int slot) {
      if (onHosts == null && feasibleIn[key.domainOf(slot)]++ == 0) {
        domains++;
      }
    }

    void leave(int slot) {
      if (onHosts == null && --feasibleIn[key.domainOf(slot)] == 0) {
        domains--;
      }
    }

    void release(ClusterState state) {
      key.release(state);
      if (sums != null) {
        sums.release();
      }
      if (matcher != null) {
        state.matchers().release(matcher);
      }
    }
  }

  private static final int ABSENT = -1;

  /** The number of domains up to which their nodes are counted as sets. */
  private static final int FEW_DOMAINS = 64;

  private final Question question;
  private final List<Rule> rules = new ArrayList<>();
  private final NodeSet counted = new NodeSet();

  /**
   * The score classes: combinations of the bases of all rules; with one rule, the basis itself,
   * counted from 0.
   */
  private final CombinationNumbers bases;

  private final int[] basis;
  private int size;

  SpreadScorer(Question question, ClusterState state) {
    super(question, state, Scale.Kind.SPREAD, state.nodes().labelLog());
    this.question = question;
    for (Constraint constraint : question.constraints()) {
      rules.add(new Rule(constraint, question, state));
    }
    this.bases = new CombinationNumbers(rules.size());
    this.basis = new int[rules.size()];
  }

  @Override
  protected boolean refreshInputs(NodeSet feasible) {
    boolean all = false;
    for (Rule rule : rules) {
      all |= rule.refresh();
    }
    if (all || bases.size() > 2 * nodes.slots() + 64) {
      bases.clear();
      all = true;
    }
    if (all) {
      countAll(feasible);
    } else {
      countFeasible(feasible, counted);
    }
    for (Rule rule : rules) {
      rule.weight = logarithm((rule.sums == null ? size : rule.domains) + 2);
      if (!all && rule.onHosts != null) {
        rule.onHosts.forEachSince(rule.seen, (slot, delta) -> rescore(slot));
      }
      rule.caughtUp();
    }
    return all;
  }

  /** Counts the feasible nodes of all domains. */
  private void countAll(NodeSet feasible) {
    counted.grow(nodes.slots());
    counted.copy(feasible);
    NodeSet entering = NodeSet.copyOf(counted);
    if (question.needsAllKeys()) {
      rules.forEach(rule -> entering.retainAll(rule.key.present()));
    }
    size = entering.size();
    rules.forEach(rule -> rule.countAll(entering));
  }

  /** Updates the counts of feasible nodes per domain. */
  private void countFeasible(NodeSet feasible, NodeSet before) {
    before.grow(nodes.slots());
    long[] now = feasible.words();
    long[] words = before.words();
    for (int word = before.nextDifference(feasible, 0);
        word >= 0;
        word = before.nextDifference(feasible, word + 1)) {
      long want = word < now.length ? now[word] : 0;
      for (long change = want ^ words[word]; change != 0; change &= change - 1) {
        int slot = (word << 6) + Long.numberOfTrailingZeros(change);
        boolean enters = (want & Long.lowestOneBit(change)) != 0;
        if (isLeftOut(slot)) {
          continue;
        }
        size += enters ? 1 : -1;
        for (Rule rule : rules) {
          if (enters) {
            rule.enter(slot);
          } else {
            rule.leave(slot);
          }
        }
      }
      words[word] = want;
    }
  }

  private boolean isLeftOut(int slot) {
    if (question.needsAllKeys()) {
      for (Rule rule : rules) {
        if (!rule.key.present().contains(slot)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Rescores every node; the score classes of a single constraint by domain are the domains. */
  @Override
  protected void scoreAll() {
    Rule first = rules.getFirst();
    if (basis.length == 1 && first.sums != null && question.needsAllKeys()) {
      putAll(first.key.domains(), -ABSENT);
    } else {
      super.scoreAll();
    }
  }

  @Override
  protected int score(int slot) {
    if (basis.length == 1) {
      return rules.getFirst().basis(slot) - ABSENT;
    }
    for (int i = 0; i < basis.length; i++) {
      basis[i] = rules.get(i).basis(slot);
    }
    return bases.numberOf(basis);
  }

  @Override
  public int rawOf(int kind) {
    double score = 0;
    for (int i = 0; i < basis.length; i++) {
      int own = basis.length == 1 ? kind + ABSENT : bases.part(kind, i);
      if (own != ABSENT) {
        score += rules.get(i).part(own);
      } else if (question.needsAllKeys()) {
        return Scale.LEFT_OUT;
      }
    }
    return (int) Math.round(score);
  }

  /**
   * Returns the natural logarithm with the same steps as Go's math.Log, so that scores are equal to
   * the last bit: x = 2^k (1 + f) with f near 0, and a polynomial in f / (2 + f).
   */
  static double logarithm(int value) {
    int k = Math.getExponent((double) value) + 1;
    double fraction = value / Math.scalb(1.0, k);
    if (fraction < Math.sqrt(2) / 2) {
      fraction *= 2;
      k--;
    }
    double f = fraction - 1;
    double s = f / (2 + f);
    double s2 = s * s;
    double s4 = s2 * s2;
    double t1 =
        s2
            * (0.6666666666666735
                + s4 * (0.2857142874366239 + s4 * (0.1818357216161805 + s4 * 0.14798198605116586)));
    double t2 = s4 * (0.3999999999940942 + s4 * (0.22222198432149784 + s4 * 0.15313837699209373));
    double r = t1 + t2;
    double hfsq = 0.5 * f * f;
    return k * 0.6931471803691238 - ((hfsq - (s * (hfsq + r) + k * 1.9082149292705877E-10)) - f);
  }

  @Override
  protected long ownBytes() {
    long bytes = counted.bytes() + bases.bytes();
    for (Rule rule : rules) {
      bytes += 150 + 4L * rule.feasibleIn.length;
      if (rule.onHosts != null) {
        bytes += rule.onHosts.bytes();
      }
    }
    return bytes;
  }

  @Override
  public void close() {
    rules.forEach(rule -> rule.release(state));
  }
}
