package io.berth.engine.plugins;

import io.berth.engine.framework.DomainGate;
import io.berth.engine.framework.DryRunHints;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.StableRanges;
import io.berth.engine.framework.Verdict;
import io.berth.engine.framework.VerdictFigures;
import io.berth.engine.plugins.PodTopologySpread.Constraint;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import io.berth.engine.topology.DomainSums;
import io.berth.engine.topology.PresenceWatch;
import io.berth.engine.topology.TopologyKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The verdicts of PodTopologySpread for pods with the same hard constraints. */
final class SpreadFilter extends NodeFilter implements DryRunHints, VerdictFigures {
  record Question(String namespace, List<Constraint> constraints) {}

  private static final String UNEVEN = "node(s) didn't match pod topology spread constraints";

  /** A constraint with its counts. */
  private static final class Rule {
    final Constraint constraint;
    final DomainSums sums;
    final PresenceWatch watch;
    long floor;
    long watchedFloor;

    Rule(Constraint constraint, DomainSums sums) {
      this.constraint = constraint;
      this.sums = sums;
      this.watch = new PresenceWatch(sums, this::admits);
    }

    void refresh() {
      sums.refresh();
      floor = sums.domains() < constraint.minDomains() ? 0 : sums.least();
    }

    boolean admits(int domain) {
      return lead(domain) <= greatestLead();
    }

    private int itself() {
      return constraint.countsItself() ? 1 : 0;
    }

    /**
     * Returns the difference between the domain's sum and the smallest sum of the others. The pod
     * is admitted if this is at most {@link #greatestLead}: a domain with the smallest sum admits
     * any pod, and its difference is at most 0.
     */
    long lead(int domain) {
      int beside = sums.domains() < constraint.minDomains() ? 0 : sums.leastBeside(domain);
      return (long) sums.sumOf(domain) - beside;
    }

    long greatestLead() {
      return (long) constraint.maxSkew() - itself();
    }
  }

  private final List<Rule> rules = new ArrayList<>();
  private final int withoutLabel;
  private final int uneven;

  /** With a single constraint, all nodes of a domain that have its label share a verdict. */
  private final @Nullable DomainGate gate;

  SpreadFilter(Question question, ClusterState state) {
    super(question, state, state.nodes().labelLog());
    for (Constraint constraint : question.constraints()) {
      rules.add(
          new Rule(
              constraint,
              DomainSums.ofPods(
                  constraint.matcher(question.namespace()),
                  constraint.key(),
                  constraint.eligible(),
                  state)));
    }
    this.withoutLabel = idOf(Verdict.unresolvable(UNEVEN + " (missing required label)"));
    this.uneven = idOf(Verdict.unschedulable(UNEVEN));
    this.gate = rules.size() == 1 ? new DomainGate(rules.getFirst().sums.key(), uneven) : null;
    if (gate != null) {
      rejectBy(gate);
    }
  }

  @Override
  public DryRunHints dryRunHints() {
    return this;
  }

  @Override
  public int outsideCounts() {
    return rules.size();
  }

  @Override
  public long outsideCount(int number, int slot) {
    Rule rule = rules.get(number);
    int domain = rule.sums.key().domainOf(slot);
    return domain == TopologyKey.NONE ? 0 : rule.lead(domain);
  }

  @Override
  public boolean countsOutside(PodEntry pod) {
    for (Rule rule : rules) {
      if (rule.sums.counts(pod)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean mayDependOnPodsOf(int slot) {
    for (Rule rule : rules) {
      if (rule.sums.countsAnyOn(slot)) {
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
    for (int i = 0; i < rules.size(); i++) {
      Rule rule = rules.get(i);
      int domain = rule.sums.key().domainOf(slot);
      if (domain == TopologyKey.NONE) {
        return withoutLabel;
      }
      if (!ranges.isAtMost(i, rule.lead(domain), rule.greatestLead())) {
        return uneven;
      }
    }
    return PASSES;
  }

  /** Returns the skew of each constraint as the Kubernetes documentation defines it. */
  @Override
  public String figures(int slot) {
    return rules.stream().map(rule -> figures(rule, slot)).collect(Collectors.joining("; "));
  }

  private static String figures(Rule rule, int slot) {
    TopologyKey key = rule.sums.key();
    int domain = key.domainOf(slot);
    if (domain == TopologyKey.NONE) {
      return "the node has no label " + key.label();
    }
    int sum = rule.sums.sumOf(domain);
    return "%s=%s has %d of the selected pods, the fewest in a domain are %d; with this pod, the skew would be %d of at most %d"
        .formatted(
            key.label(),
            key.valueOf(domain),
            sum,
            rule.floor,
            sum + rule.itself() - rule.floor,
            rule.constraint.maxSkew());
  }

  @Override
  public void refreshInputs() {
    for (Rule rule : rules) {
      rule.refresh();
    }
  }

  @Override
  protected boolean recheckByInputs() {
    boolean all = false;
    for (Rule rule : rules) {
      all |= !rule.watch.knowsChanges();
    }
    for (Rule rule : rules) {
      if (all) {
        rule.watch.reset();
      } else if (rule.floor != rule.watchedFloor) {
        rule.watch.turnedAnywhere(domain -> recheck(rule, domain));
      } else {
        rule.watch.turnedDomains(domain -> recheck(rule, domain));
      }
      rule.watchedFloor = rule.floor;
      if (all && gate != null) {
        resetGate(gate, domain -> !rule.admits(domain));
      }
    }
    return all;
  }

  /** If all nodes of a domain share a verdict, only those of closed domains are rejected. */
  @Override
  protected Optional<NodeSet> mayReject() {
    if (gate == null || !gate.isUsed()) {
      return Optional.empty();
    }
    NodeSet suspects = NodeSet.copyOf(nodes.alive());
    suspects.removeAll(rules.getFirst().sums.key().present());
    suspects.addAll(gate.closedNodes());
    return Optional.of(suspects);
  }

  /** Sets the verdicts on the nodes of a domain that now admits the pod, or no longer does. */
  private void recheck(Rule rule, int domain) {
    if (gate != null && gate.isUsed()) {
      turn(gate, domain);
    } else if (rules.size() > 1) {
      rule.watch.forEachIn(domain, this::recheck);
    } else {
      state.work().spend(rule.sums.key().sizeOf(domain));
      int verdict = rule.admits(domain) ? PASSES : uneven;
      rule.watch.forEachIn(domain, slot -> put(slot, verdict));
    }
  }

  @Override
  protected long ownBytes() {
    long bytes = 0;
    for (Rule rule : rules) {
      bytes += 100 + rule.watch.bytes();
    }
    return bytes;
  }

  @Override
  public void close() {
    rules.forEach(rule -> rule.sums.release());
  }
}
