package io.berth.engine.cycle;

import io.berth.engine.api.EngineOptions;
import io.berth.engine.cycle.FilterResult.NodesFiltered;
import io.berth.engine.cycle.FilterResult.PodRejected;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.decision.NodeJudgement;
import io.berth.engine.decision.NodeJudgement.FilterVerdict;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.decision.RejectionCount;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.Verdict;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeCensus;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Filters and scores the nodes for one pod at a time. */
public final class Cycle {
  /** Stands for no preferred slot. */
  public static final int NO_PREFERENCE = -1;

  /** The name under which nodes that cannot be parsed are listed, beside those of filters. */
  private static final String PARSING = "NodeParsing";

  /** The result of a search for a node. */
  public sealed interface Result {}

  /** A completed search, with or without a node. */
  public sealed interface Ended extends Result {}

  /**
   * Advice is required about the nodes that fit; nothing is decided yet.
   *
   * @param nodes the names of the nodes, at least one
   * @param nominated whether this is the pod's nominated node alone
   */
  public record Wanted(List<String> nodes, boolean nominated) implements Result {}

  /** The selected node. */
  public record Found(int slot, CycleRecord record) implements Ended {}

  /**
   * No node fits.
   *
   * @param plugins the filters that rejected the pod
   * @param ofPod whether the only rejection is that of the pod as a whole
   */
  public record NotFound(
      ShapePlan plan,
      Set<String> plugins,
      List<RejectionCount> rejections,
      boolean ofPod,
      NodeSet curableByEviction,
      Map<String, Map<String, Verdict>> verdicts,
      List<String> notes)
      implements Ended {

    /** Returns whether a node is expected to fit soon. */
    public boolean isMomentary() {
      return rejections.stream().anyMatch(rejection -> rejection.verdict().momentary());
    }

    NotFound with(RejectionCount more) {
      List<RejectionCount> all = new ArrayList<>(rejections);
      all.add(more);
      Set<String> allPlugins = new LinkedHashSet<>(plugins);
      allPlugins.addAll(more.plugins());
      return new NotFound(plan, allPlugins, all, false, curableByEviction, verdicts, notes);
    }

    /**
     * Returns the record of this attempt, with the result of preemption.
     *
     * @param preemption a message; empty if preemption was not tried
     */
    public CycleRecord record(
        NodeCensus nodes, List<PreemptionCandidate> candidates, String preemption) {
      List<RejectionCount> rejected = new ArrayList<>(rejections);
      if (!ofPod) {
        nodes
            .unreadable()
            .forEach(why -> rejected.add(RejectionCount.by(PARSING, Verdict.unresolvable(why), 1)));
      }
      return new CycleRecord.Rejected(
          plan.policy().name(),
          plan.policy().revision(),
          nodes.all(),
          rejected,
          ofPod,
          verdicts,
          candidates,
          preemption,
          notes);
    }

    /** Returns the same result with further messages from advisors. */
    public NotFound withNotes(List<String> more) {
      List<String> all = new ArrayList<>(notes);
      all.addAll(more);
      return new NotFound(
          plan, plugins, rejections, ofPod, curableByEviction, verdicts, List.copyOf(all));
    }
  }

  /** The nodes to select from, with the rejections of the others. */
  private record Candidates(
      NodeSet nodes, FilterResult filtered, Optional<FilterResult.Pin> pin, boolean nominated) {}

  private final ClusterState state;
  private final Nominations nominations;
  private final EngineOptions options;
  private final Filtering filtering;
  private final Scoring scoring;
  private final NodeSearch search;

  public Cycle(ClusterState state, Nominations nominations, EngineOptions options) {
    this.state = state;
    this.nominations = nominations;
    this.options = options;
    this.filtering = new Filtering(state, nominations);
    this.scoring = new Scoring(state.nodes(), options);
    this.search = new NodeSearch(state.nodes());
  }

  /**
   * Returns the nodes that fit the pod, before any advice.
   *
   * @param nominatedFirst whether the pod's nominated node is the only result if it fits
   */
  public Result withoutAdvice(PodEntry pod, ShapePlan plan, boolean nominatedFirst) {
    Candidates candidates = candidates(pod, plan, nominatedFirst);
    if (candidates.nodes().isEmpty()) {
      return end(pod, candidates, plan, Optional.empty());
    }
    search.stay();
    List<String> names = new ArrayList<>();
    candidates.nodes().forEach(slot -> names.add(state.nodes().name(slot)));
    return new Wanted(names, candidates.nominated());
  }

  /**
   * Lets the next selection begin at the same place as every other one after this call.
   *
   * @param slot the node that is selected first among those with equal scores
   */
  public void startTurnsAt(int slot) {
    scoring.startTurnsAt(slot);
    search.restart();
  }

  /** Searches a node for the pod, without changes other than to caches. */
  public Ended run(PodEntry pod, ShapePlan plan) {
    return run(pod, plan, Optional.empty(), true);
  }

  /**
   * Searches a node as if this plan had been used in the last search, without effect on later ones.
   *
   * @param preferred the slot that is selected first among those with equal scores; {@link
   *     #NO_PREFERENCE} for the next one in turn
   */
  public Ended beside(PodEntry pod, ShapePlan plan, int preferred) {
    int turn = scoring.turn();
    NodeSearch.Position position = search.position();
    search.repeat();
    if (preferred != NO_PREFERENCE) {
      scoring.startTurnsAt(preferred);
    }
    try {
      return run(pod, plan);
    } finally {
      scoring.startTurnsAt(turn);
      search.restore(position);
    }
  }

  /** Searches a node among those that an advisor allows. */
  public Ended run(
      PodEntry pod, ShapePlan plan, Optional<Advised> advised, boolean nominatedFirst) {
    Candidates candidates = candidates(pod, plan, nominatedFirst);
    if (advised.isEmpty()) {
      return end(pod, candidates, plan, advised);
    }
    NodeSet allowed = advised.get().among(candidates.nodes());
    Candidates left =
        new Candidates(allowed, candidates.filtered(), candidates.pin(), candidates.nominated());
    return end(pod, left, plan, advised);
  }

  /**
   * Searches a node for the pod among some nodes; the others are rejected with a given reason.
   *
   * @param within the nodes to select from
   * @param outside the rejection of the others
   */
  public Ended runWithin(
      PodEntry pod, ShapePlan plan, NodeSet within, String rejectedBy, Verdict outside) {
    Candidates candidates = candidates(pod, plan, true);
    NodeSet left = NodeSet.copyOf(candidates.nodes());
    int before = left.size();
    left.retainAll(within);
    Ended ended =
        end(
            pod,
            new Candidates(left, candidates.filtered(), candidates.pin(), candidates.nominated()),
            plan,
            Optional.empty());
    if (ended instanceof NotFound notFound) {
      notFound.curableByEviction().retainAll(within);
      int leftOut = before - left.size();
      return leftOut == 0
          ? notFound
          : notFound.with(RejectionCount.by(rejectedBy, outside, leftOut));
    }
    return ended;
  }

  /**
   * Returns what the policy makes of one node, without advice, and without changes other than to
   * caches.
   */
  public NodeJudgement judge(PodEntry pod, ShapePlan plan, int slot) {
    FilterResult result = filtering.run(pod, plan, false);
    List<FilterVerdict> verdicts =
        new Rejections(result, plan, plan.pinOf(pod), state.nodes()).on(slot);
    NodeSet feasible =
        result instanceof NodesFiltered filtered ? filtered.feasible() : new NodeSet();
    List<NodeScore> scores =
        feasible.isEmpty() ? List.of() : scoring.compare(feasible, plan, slot).write();
    String name = state.nodes().name(slot);
    return new NodeJudgement(
        plan.policy().name(),
        plan.policy().revision(),
        verdicts,
        feasible.size(),
        scores.isEmpty() ? "" : scores.getFirst().node(),
        scores.stream().findFirst(),
        scores.stream().filter(score -> score.node().equals(name)).findFirst());
  }

  /** Returns whether the pod fits on a node in the current state, as {@link #run} judges it. */
  public boolean fits(PodEntry pod, ShapePlan plan, int slot) {
    return filtering.passes(pod, plan, slot);
  }

  private Ended end(
      PodEntry pod, Candidates candidates, ShapePlan plan, Optional<Advised> advised) {
    search.advance();
    Rejections nodeByNode =
        new Rejections(candidates.filtered(), plan, candidates.pin(), state.nodes());
    List<RejectionCount> rejections = candidates.filtered().rejections();
    if (advised.isPresent()) {
      rejections = new ArrayList<>(rejections);
      rejections.addAll(advised.get().rejections());
    }
    ClaimNames names = new ClaimNames(pod);
    rejections = names.in(rejections);
    Map<String, Map<String, Verdict>> verdicts =
        options.recordVerdicts() ? names.in(nodeByNode.byFilterAndNode()) : Map.of();
    List<String> notes = advised.map(Advised::notes).orElse(List.of());
    int feasible = candidates.nodes().size();
    if (feasible == 0) {
      Set<String> plugins = new LinkedHashSet<>();
      rejections.forEach(rejection -> plugins.addAll(rejection.plugins()));
      NodeSet curable = nodeByNode.curableByEviction();
      advised.ifPresent(advice -> advice.addCurable(curable));
      boolean ofPod = candidates.filtered() instanceof PodRejected;
      return new NotFound(plan, plugins, rejections, ofPod, curable, verdicts, notes);
    }
    Scoring.Choice choice = scoring.choose(candidates.nodes(), plan, advised);
    CompiledPolicy policy = plan.policy();
    return new Found(
        choice.slot(),
        new CycleRecord.Placed(
            policy.name(),
            policy.revision(),
            state.nodes().size(),
            feasible,
            rejections,
            choice.table(),
            verdicts,
            state.nodes().name(choice.slot()),
            notes));
  }

  /** Returns the feasible nodes: only the nominated one if it is feasible, or a sample. */
  private Candidates candidates(PodEntry pod, ShapePlan plan, boolean nominatedFirst) {
    Optional<FilterResult.Pin> pin = plan.pinOf(pod);
    return switch (filtering.run(pod, plan, nominatedFirst)) {
      case PodRejected rejected -> new Candidates(new NodeSet(), rejected, pin, false);
      case NodesFiltered filtered -> {
        boolean nominated = nominatedFirst && isNominated(pod, filtered);
        if (nominated || !NodeSearch.mayEndEarly(plan.policy())) {
          yield new Candidates(filtered.feasible(), filtered, pin, nominated);
        }
        NodeSet found = search.run(plan.policy(), filtered.examined(), filtered.feasible());
        yield new Candidates(found, filtering.among(search.examined(), filtered, plan), pin, false);
      }
    };
  }

  /** Returns whether the only remaining node is the pod's own nominated node. */
  private boolean isNominated(PodEntry pod, NodesFiltered filtered) {
    if (nominations.isEmpty()) {
      return false;
    }
    int nominated = nominations.nodeOf(pod.ref().uid()).map(state.nodes()::slotOf).orElse(-1);
    return nominated >= 0 && filtered.feasible().contains(nominated);
  }
}
