package io.berth.engine.cycle;

import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.policy.CompiledPolicy;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SharedSpec;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The plans that are remembered. When these and their answers take more memory than they may, those
 * used least recently go.
 */
public final class Plans {
  /** One served revision of a policy: a plan of another is another plan. */
  private record Key(int serial, PodShape shape) {}

  private static final int KEPT_AT_LEAST = 2;

  private final ClusterState state;
  private final Map<Key, ShapePlan> plans = new LinkedHashMap<>(16, 0.75f, true);

  public Plans(ClusterState state) {
    this.state = state;
  }

  /** The number of plans that are remembered. */
  public int size() {
    return plans.size();
  }

  /**
   * The shape of a pod now, as a policy sees it: without the one node that the pod names, where a
   * filter of the policy keeps it off all others by itself; and without the names of claims that
   * are like others.
   */
  public PodShape shapeOf(PodEntry pod, CompiledPolicy policy) {
    Optional<PodShape.DefaultSelector> defaultSelector =
        pod.spec().spread().isEmpty()
            ? state
                .podGroups()
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
   * The plan for pods of a shape.
   *
   * @param serial differs between revisions that were served one after the other
   */
  public ShapePlan planFor(int serial, CompiledPolicy policy, PodShape shape) {
    Key key = new Key(serial, shape);
    ShapePlan plan = plans.get(key);
    if (plan == null) {
      plan = new ShapePlan(policy, shape, state);
      plans.put(key, plan);
      state.answers().charge(plan.bytes());
    }
    if (state.answers().isFull()) {
      shrink();
    }
    return plan;
  }

  /** The number of times that nodes were filtered and scored for the plans that are remembered. */
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

  /** The number of nodes that were looked at to follow what filters and scorers published. */
  public long looks() {
    return plans.values().stream().mapToLong(ShapePlan::looks).sum();
  }

  /** The number of totals that were read to find the best nodes. */
  public long reads() {
    return plans.values().stream().mapToLong(ShapePlan::reads).sum();
  }

  /** The number of times that the totals of all nodes were added up. */
  public long passes() {
    return plans.values().stream().mapToLong(ShapePlan::passes).sum();
  }

  /** The number of times that promised pods were put on a node to see what is left beside them. */
  public long promisedTrials() {
    return plans.values().stream().mapToLong(ShapePlan::promisedTrials).sum();
  }

  /** Forgets the plans of a revision that serves no more. */
  public void forget(int serial) {
    plans
        .entrySet()
        .removeIf(
            entry -> {
              boolean old = entry.getKey().serial() == serial;
              if (old) {
                release(entry.getValue());
              }
              return old;
            });
  }

  /** Forgets all plans. */
  public void forgetAll() {
    plans.values().forEach(this::release);
    plans.clear();
  }

  private void release(ShapePlan plan) {
    state.answers().charge(-plan.bytes());
    plan.release(state);
  }

  private void shrink() {
    Iterator<ShapePlan> eldest = plans.values().iterator();
    while (plans.size() > KEPT_AT_LEAST && state.answers().isFull()) {
      ShapePlan plan = eldest.next();
      eldest.remove();
      release(plan);
    }
  }
}
