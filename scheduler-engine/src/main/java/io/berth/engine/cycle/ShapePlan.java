package io.berth.engine.cycle;

import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.policy.CompiledPolicy;
import io.berth.engine.ranking.Ranking;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The plan of one policy for pods of one shape: the answers of each of its plugins. */
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
  private final PromisedRoom promisedRoom;
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
    this.ranking = new Ranking(scorers, weights, state);
    this.promisedRoom = new PromisedRoom(filters, state);
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

  /** The policy whose plugins these are. */
  public CompiledPolicy policy() {
    return policy;
  }

  List<Integer> weights() {
    return weights;
  }

  /** The shape of the pods that it is about. */
  public PodShape shape() {
    return shape;
  }

  /**
   * The node that a pod of this plan names while the plan is shared with pods that name others.
   *
   * @param pod one of the pods that the plan is for
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

  /** The filters that have something to say, in the policy's order. */
  public List<NodeFilter> filters() {
    return filters;
  }

  /** Their plugins' names. */
  public List<String> filterNames() {
    return filterNames;
  }

  /** The scorers that have something to say, in the policy's order. */
  public List<NodeScorer> scorers() {
    return scorers;
  }

  /** The verdict on each node, the first that rejects it first. */
  FirstRejections firstRejections() {
    return firstRejections;
  }

  /** The nodes by total score. */
  Ranking ranking() {
    return ranking;
  }

  /** The nodes on which pods fit beside those that are promised room. */
  PromisedRoom promisedRoom() {
    return promisedRoom;
  }

  /** Returns how many pods of this plan each node could take, as the state is now: a live view. */
  public ShapeRoom room() {
    room.refresh();
    return room;
  }

  /** The number of nodes that were looked at to follow what filters and scorers published. */
  public long looks() {
    return firstRejections.looks() + ranking.looks() + room.looks();
  }

  /** The number of totals that were read to find the best nodes. */
  public long reads() {
    return ranking.reads();
  }

  /** The number of times that the totals of all nodes were added up. */
  public long passes() {
    return ranking.passes();
  }

  /** The number of times that promised pods were put on a node to see what is left beside them. */
  public long promisedTrials() {
    return promisedRoom.trials();
  }

  List<String> scorerNames() {
    return scorerNames;
  }

  /**
   * About how much memory the plan takes, with the spec that it keeps, its answers not included.
   */
  long bytes() {
    return 1_500L
        + 100L * (filters.size() + scorers.size())
        + 16L * shape.matchers().size()
        + shape.shared().bytes();
  }

  void release(ClusterState state) {
    firstRejections.release();
    ranking.release();
    promisedRoom.release();
    room.release();
    releaseAnswers(state);
  }

  private void releaseAnswers(ClusterState state) {
    filters.forEach(NodeFilter::release);
    scorers.forEach(NodeScorer::release);
    state.releaseSpec(shape.shared());
  }
}
