package io.berth.engine.cycle;

import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.DomainGate;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.ranking.Ranking;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The plan of one policy for pods of one shape: the answers of its plugins. */
public final class ShapePlan {
  private final CompiledPolicy policy;
  private final PodShape shape;
  private final List<NodeFilter> filters = new ArrayList<>();
  private final List<String> filterNames = new ArrayList<>();
  private final List<NodeScorer> scorers = new ArrayList<>();
  private final List<String> scorerNames = new ArrayList<>();
  private final List<Integer> weights = new ArrayList<>();
  private final FirstRejections firstRejections;
  private final Ranking ranking;
  private final NominatedRoom nominatedRoom;
  private final ShapeRoom room;

  ShapePlan(CompiledPolicy policy, PodShape shape, ClusterState state) {
    this.policy = policy;
    this.shape = shape;
    state.retainSpec(shape.shared());
    try {
      acquire(state);
    } catch (RuntimeException e) {
      releaseAnswers(state);
      throw e;
    }
    this.firstRejections = new FirstRejections(filters, filterNames, state);
    Optional<DomainGate> gate = filters.stream().flatMap(each -> each.gate().stream()).findFirst();
    this.ranking = new Ranking(scorers, weights, gate, state);
    this.nominatedRoom = new NominatedRoom(filters, state);
    int atMost = shape.spec().ports().isEmpty() ? Integer.MAX_VALUE : 1;
    this.room = new ShapeRoom(filters, atMost, state);
  }

  private void acquire(ClusterState state) {
    for (FilterPlugin plugin : policy.filters()) {
      plugin
          .filterFor(shape, state)
          .ifPresent(
              filter -> {
                filters.add(filter);
                filterNames.add(plugin.name());
              });
    }
    for (CompiledPolicy.WeightedScore score : policy.scores()) {
      score
          .plugin()
          .scorerFor(shape, state)
          .ifPresent(
              scorer -> {
                scorers.add(scorer);
                scorerNames.add(score.plugin().name());
                weights.add(Math.toIntExact(score.weight()));
              });
    }
  }

  /** Returns the policy. */
  public CompiledPolicy policy() {
    return policy;
  }

  List<Integer> weights() {
    return weights;
  }

  /** Returns the shape of the pods. */
  public PodShape shape() {
    return shape;
  }

  /**
   * Returns the node that a pod of this plan names, if the plan is shared with pods that name other
   * nodes.
   *
   * @param pod a pod of this plan
   */
  Optional<FilterResult.Pin> pinOf(PodEntry pod) {
    if (pod.shared() == shape.shared() || pod.spec().nodes().equals(shape.spec().nodes())) {
      return Optional.empty();
    }
    return pod.spec()
        .nodes()
        .pinnedNode()
        .flatMap(node -> pinningFilter().map(plugin -> new FilterResult.Pin(plugin, node)));
  }

  private Optional<String> pinningFilter() {
    return policy.filters().stream()
        .filter(FilterPlugin::pinsPods)
        .map(FilterPlugin::name)
        .findFirst();
  }

  /** Returns the filters that apply, in the policy's order. */
  public List<NodeFilter> filters() {
    return filters;
  }

  /** Returns the names of the filters' plugins. */
  public List<String> filterNames() {
    return filterNames;
  }

  /** Returns the scorers that apply, in the policy's order. */
  public List<NodeScorer> scorers() {
    return scorers;
  }

  /** Returns the first rejection of each node. */
  FirstRejections firstRejections() {
    return firstRejections;
  }

  /** Returns the nodes ordered by total score. */
  Ranking ranking() {
    return ranking;
  }

  /** Returns the room on nodes next to the pods that are nominated there. */
  NominatedRoom nominatedRoom() {
    return nominatedRoom;
  }

  /** Returns a live view of the number of pods of this plan that each node can take. */
  public ShapeRoom room() {
    room.refresh();
    return room;
  }

  /** Returns the number of nodes examined to follow the changes of filters and scorers. */
  public long looks() {
    return firstRejections.looks() + ranking.looks() + room.looks();
  }

  /** Returns the number of totals read to find the best nodes. */
  public long reads() {
    return ranking.reads();
  }

  /** Returns the number of times that the totals of all nodes were computed. */
  public long passes() {
    return ranking.passes();
  }

  /**
   * Returns the number of times that nominated pods were placed on a node to check the remaining
   * room.
   */
  public long nominatedTrials() {
    return nominatedRoom.trials();
  }

  List<String> scorerNames() {
    return scorerNames;
  }

  /** Returns the approximate memory of the plan with its spec, without its answers, in bytes. */
  long bytes() {
    return 1_500L
        + 100L * (filters.size() + scorers.size())
        + 16L * shape.matchers().size()
        + shape.shared().bytes();
  }

  void release(ClusterState state) {
    firstRejections.release();
    ranking.release();
    nominatedRoom.release();
    room.release();
    releaseAnswers(state);
  }

  private void releaseAnswers(ClusterState state) {
    filters.forEach(NodeFilter::release);
    scorers.forEach(NodeScorer::release);
    state.releaseSpec(shape.shared());
  }
}
