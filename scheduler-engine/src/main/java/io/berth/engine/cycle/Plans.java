package io.berth.engine.cycle;

import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SharedSpec;
import io.berth.engine.topology.WellKnownTopologyKeys;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A cache of plans. If the plans and their answers exceed the memory limit, some are dropped, first
 * those that were not used again ({@link KeptPlans}).
 */
public final class Plans {
  /** The key of a plan: a served revision of a policy, and a shape. */
  private record Key(int serial, PodShape shape) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key key && serial == key.serial && shape.equals(key.shape);
    }

    @Override
    public int hashCode() {
      return 31 * serial + shape.hashCode();
    }
  }

  private static final int KEPT_AT_LEAST = 2;

  private final ClusterState state;
  private final WellKnownTopologyKeys wellKnownKeys;
  private final KeptPlans<Key, ShapePlan> plans = new KeptPlans<>();
  private long made;

  public Plans(ClusterState state) {
    this.state = state;
    this.wellKnownKeys = new WellKnownTopologyKeys(state);
  }

  /** Prepares for plans after a change of nodes. */
  public void nodesChanged() {
    wellKnownKeys.refresh();
  }

  /** Returns the number of cached plans. */
  public int size() {
    return plans.size();
  }

  /**
   * Returns the current shape of a pod for a policy: without the single node that the pod names, if
   * a filter of the policy enforces it separately, and without the names of interchangeable claims.
   */
  public PodShape shapeOf(PodEntry pod, CompiledPolicy policy) {
    Optional<PodShape.DefaultSelector> defaultSelector =
        pod.spec().spread().isEmpty()
            ? state
                .workloadSelectors()
                .defaultSelectorOf(pod.model())
                .filter(selector -> !selector.isEverything())
                .map(selector -> defaultSelector(selector, pod))
            : Optional.empty();
    Optional<SharedSpec> unpinned = pod.shared().unpinned();
    boolean sharesAnswers =
        unpinned.isPresent()
            && defaultSelector.isEmpty()
            && policy.filters().stream().anyMatch(FilterPlugin::pinsPods);
    SharedSpec spec = sharesAnswers ? unpinned.get() : pod.shared();
    return new PodShape(state.podClaims().described(spec), state.matchersOf(pod), defaultSelector);
  }

  private static PodShape.DefaultSelector defaultSelector(LabelSelector selector, PodEntry pod) {
    return new PodShape.DefaultSelector(selector, selector.matches(pod.model().labels()));
  }

  /**
   * Returns the plan for pods of a shape.
   *
   * @param serial the serial number of the policy's revision
   */
  public ShapePlan planFor(int serial, CompiledPolicy policy, PodShape shape) {
    ShapePlan plan = planBeside(serial, policy, shape);
    if (state.answers().isFull()) {
      shrink();
    }
    return plan;
  }

  /**
   * Returns the plan for pods of a shape as {@link #planFor} does, while another plan is in use: no
   * plan is dropped until the next call of that method.
   */
  public ShapePlan planBeside(int serial, CompiledPolicy policy, PodShape shape) {
    Key key = new Key(serial, shape);
    ShapePlan plan = plans.use(key);
    if (plan == null) {
      plan = new ShapePlan(policy, shape, state);
      made++;
      plans.add(key, plan);
      state.answers().charge(plan.bytes());
    }
    return plan;
  }

  /** Returns the number of plans that were made so far. */
  public long made() {
    return made;
  }

  /** Returns the number of node evaluations by filters and scorers for the cached plans. */
  public long evaluations() {
    long evaluations = 0;
    for (ShapePlan plan : plans.values()) {
      for (NodeFilter filter : plan.filters()) {
        evaluations += filter.evaluations();
      }
      for (NodeScorer scorer : plan.scorers()) {
        evaluations += scorer.evaluations();
      }
    }
    return evaluations;
  }

  /** Returns the number of nodes examined to follow the changes of filters and scorers. */
  public long looks() {
    return plans.values().stream().mapToLong(ShapePlan::looks).sum();
  }

  /** Returns the number of totals read to find the best nodes. */
  public long reads() {
    return plans.values().stream().mapToLong(ShapePlan::reads).sum();
  }

  /** Returns the number of times that the totals of all nodes were computed. */
  public long passes() {
    return plans.values().stream().mapToLong(ShapePlan::passes).sum();
  }

  /**
   * Returns the number of times that nominated pods were placed on a node to check the remaining
   * room.
   */
  public long nominatedTrials() {
    return plans.values().stream().mapToLong(ShapePlan::nominatedTrials).sum();
  }

  /** Drops the plans of a revision that is not served any more. */
  public void forget(int serial) {
    plans.removeAll(key -> key.serial() == serial).forEach(this::release);
  }

  /** Drops all plans, and all answers with them. */
  public void forgetAll() {
    wellKnownKeys.release();
    plans.removeAll(key -> true).forEach(this::release);
  }

  private void release(ShapePlan plan) {
    state.answers().charge(-plan.bytes());
    plan.release(state);
  }

  private void shrink() {
    while (plans.size() > KEPT_AT_LEAST && state.answers().isFull()) {
      release(plans.dropOne());
    }
  }
}
