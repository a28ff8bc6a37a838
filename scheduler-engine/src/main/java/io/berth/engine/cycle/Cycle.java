package io.berth.engine.cycle;

import io.berth.engine.EngineOptions;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.decision.RejectionCount;
import io.berth.engine.decision.ScoreTable;
import io.berth.engine.framework.Verdict;
import io.berth.engine.policy.CompiledPolicy;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Filters and scores the nodes for one pod after the other. */
public final class Cycle {
  /** The end of a search for a node. */
  public sealed interface Result {}

  /** A search that found a node, or none. */
  public sealed interface Ended extends Result {}

  /**
   * Advice is wanted about nodes that fit; nothing is decided.
   *
   * @param nodes their names, at least one
   */
  public record Wanted(List<String> nodes) implements Result {}

  /** The node to take. */
  public record Found(int slot, CycleRecord record) implements Ended {}

  /**
   * No node fits.
   *
   * @param plugins by which filters the pod was rejected
   */
  public record NotFound(
      ShapePlan plan,
      Set<String> plugins,
      List<RejectionCount> rejections,
      boolean rejectsPod,
      NodeSet curableByEviction,
      Map<String, Map<String, Verdict>> verdicts)
      implements Ended {

    /** The record of this attempt, with what preemption had to say. */
    public CycleRecord record(int nodes, List<PreemptionCandidate> candidates, String suffix) {
      return new CycleRecord(
          plan.policy().name(),
          plan.policy().revision(),
          nodes,
          0,
          rejections,
          rejectsPod,
          ScoreTable.EMPTY,
          verdicts,
          candidates,
          "",
          suffix,
          "");
    }
  }

  private final ClusterState state;
  private final Nominations nominations;
  private final EngineOptions options;
  private final Filtering filtering;
  private final Scoring scoring;
  private final NodeSearch search;
  private final NodeSet promisedOnly = new NodeSet();

  public Cycle(ClusterState state, Nominations nominations, EngineOptions options) {
    this.state = state;
    this.nominations = nominations;
    this.options = options;
    this.filtering = new Filtering(state, nominations);
    this.scoring = new Scoring(state.nodes(), options);
    this.search = new NodeSearch(state.nodes());
  }

  /** Which nodes fit the pod, as long as nobody has given advice about them. */
  public Result withoutAdvice(PodEntry pod, ShapePlan plan) {
    filtering.run(pod, plan);
    NodeSet feasible = candidates(pod, plan);
    if (feasible.isEmpty()) {
      return end(feasible, plan, Optional.empty());
    }
    search.stay();
    List<String> names = new ArrayList<>();
    feasible.forEach(slot -> names.add(state.nodes().name(slot)));
    return new Wanted(names);
  }

  /** Looks for a node for the pod, changing nothing but what is remembered. */
  public Ended run(PodEntry pod, ShapePlan plan, Optional<Advised> advised) {
    filtering.run(pod, plan);
    NodeSet feasible = candidates(pod, plan);
    return end(advised.map(advice -> advice.among(feasible)).orElse(feasible), plan, advised);
  }

  private Ended end(NodeSet feasible, ShapePlan plan, Optional<Advised> advised) {
    search.advance();
    CompiledPolicy policy = plan.policy();
    List<RejectionCount> rejections = new ArrayList<>(filtering.rejections());
    Map<String, Map<String, Verdict>> verdicts =
        options.recordVerdicts() ? filtering.verdicts(plan) : Map.of();
    advised.ifPresent(advice -> rejections.addAll(advice.rejections()));
    int size = feasible.size();
    if (size == 0) {
      return notFound(plan, rejections, verdicts, advised);
    }
    int chosen = scoring.choose(feasible, plan, advised);
    return new Found(
        chosen,
        new CycleRecord(
            policy.name(),
            policy.revision(),
            state.nodes().size(),
            size,
            rejections,
            false,
            scoring.table(feasible, chosen, size),
            verdicts,
            List.of(),
            "",
            "",
            state.nodes().name(chosen)));
  }

  private NotFound notFound(
      ShapePlan plan,
      List<RejectionCount> rejections,
      Map<String, Map<String, Verdict>> verdicts,
      Optional<Advised> advised) {
    Set<String> plugins = new LinkedHashSet<>();
    for (RejectionCount rejection : rejections) {
      plugins.addAll(List.of(rejection.plugin().split(",")));
    }
    NodeSet curable = filtering.curableByEviction(plan);
    advised.ifPresent(advice -> advice.addCurable(curable));
    return new NotFound(plan, plugins, rejections, filtering.ofPod() != null, curable, verdicts);
  }

  /** The feasible nodes to score: the promised one alone if it is among them, or a sample. */
  private NodeSet candidates(PodEntry pod, ShapePlan plan) {
    NodeSet feasible = filtering.feasible();
    if (!nominations.isEmpty()) {
      int promised = nominations.nodeOf(pod.ref().uid()).map(state.nodes()::slotOf).orElse(-1);
      if (promised >= 0 && feasible.contains(promised)) {
        return only(promised);
      }
    }
    if (filtering.ofPod() != null || !NodeSearch.mayEndEarly(plan.policy())) {
      return feasible;
    }
    NodeSet found = search.run(plan.policy(), filtering.lookedAt(), feasible);
    filtering.countAgainAmong(search.examined(), plan);
    return found;
  }

  private NodeSet only(int slot) {
    promisedOnly.grow(state.nodes().slots());
    promisedOnly.clear();
    promisedOnly.add(slot);
    return promisedOnly;
  }
}
