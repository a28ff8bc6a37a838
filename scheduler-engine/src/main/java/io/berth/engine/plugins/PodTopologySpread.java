package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.ScorePlugin;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.selector.MatcherKey;
import io.berth.engine.selector.PodMatcher;
import io.berth.engine.state.ClusterState;
import io.berth.engine.topology.EligibleNodes;
import io.berth.engine.topology.WellKnownTopologyKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Spreads matching pods evenly over the domains of topology keys: hard constraints reject nodes,
 * soft ones score them.
 *
 * @param defaults the constraints for pods without their own; their selector is replaced by {@link
 *     PodShape.DefaultSelector}
 * @param systemDefaults whether the defaults are the built-in ones, which also count nodes without
 *     one of the labels
 */
public record PodTopologySpread(List<SpreadConstraint> defaults, boolean systemDefaults)
    implements FilterPlugin, ScorePlugin {
  /**
   * A constraint for one kind of pod.
   *
   * @param counted selects the pods that count; absent if the selector is empty, which counts none
   * @param countsItself whether the incoming pod counts
   */
  record Constraint(
      int maxSkew,
      String key,
      int minDomains,
      Optional<MatcherKey> counted,
      boolean countsItself,
      EligibleNodes.Question eligible) {

    /** Returns the matcher for the pods to count; if none count, a key that selects no pods. */
    MatcherKey matcher(String namespace) {
      return counted.orElse(MatcherKey.ofSpread(namespace, LabelSelector.nothing()));
    }
  }

  public PodTopologySpread {
    defaults = List.copyOf(defaults);
  }

  /**
   * Creates the plugin with kube-scheduler's defaults: soft constraints over hosts with skew 3 and
   * zones with skew 5.
   */
  public PodTopologySpread() {
    this(
        List.of(
            softDefault(WellKnownTopologyKeys.HOSTNAME, 3),
            softDefault(WellKnownTopologyKeys.ZONE, 5)),
        true);
  }

  private static SpreadConstraint softDefault(String key, int maxSkew) {
    return new SpreadConstraint(maxSkew, key, false, LabelSelector.nothing(), 1, true, false);
  }

  /** Parses the arguments of the filter. */
  public static PodTopologySpread readFilter(Arguments arguments) {
    return DefaultConstraints.read(arguments, true);
  }

  /** Parses the arguments of the score. */
  public static PodTopologySpread readScore(Arguments arguments) {
    return DefaultConstraints.read(arguments, false);
  }

  @Override
  public String name() {
    return "PodTopologySpread";
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    List<Constraint> constraints = constraints(shape, true, true, state);
    if (constraints.isEmpty()) {
      return Optional.empty();
    }
    SpreadFilter.Question question = new SpreadFilter.Question(shape.namespace(), constraints);
    return Optional.of(state.answers().acquire(question, () -> new SpreadFilter(question, state)));
  }

  @Override
  public Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state) {
    boolean needsAllKeys = !shape.spec().spread().isEmpty() || !systemDefaults;
    List<Constraint> constraints = constraints(shape, false, needsAllKeys, state);
    if (constraints.isEmpty()) {
      return Optional.empty();
    }
    SpreadScorer.Question question =
        new SpreadScorer.Question(shape.namespace(), constraints, needsAllKeys);
    return Optional.of(state.answers().acquire(question, () -> new SpreadScorer(question, state)));
  }

  private List<Constraint> constraints(
      PodShape shape, boolean hard, boolean needsAllKeys, ClusterState state) {
    PodSpec spec = shape.spec();
    boolean own = !spec.spread().isEmpty();
    if (!own && shape.defaultSelector().isEmpty()) {
      return List.of();
    }
    List<SpreadConstraint> meant =
        (own ? spec.spread() : defaults)
            .stream().filter(constraint -> constraint.hard() == hard).toList();
    List<String> keys =
        needsAllKeys ? meant.stream().map(SpreadConstraint::topologyKey).toList() : List.of();
    List<Constraint> constraints = new ArrayList<>();
    for (SpreadConstraint constraint : meant) {
      LabelSelector selector =
          own ? constraint.selector() : shape.defaultSelector().orElseThrow().selector();
      MatcherKey counted = MatcherKey.ofSpread(shape.namespace(), selector);
      boolean itself;
      if (selector.isEverything()) {
        itself = true;
      } else if (own) {
        PodMatcher matcher = state.matchers().find(counted);
        itself = matcher != null && shape.isMatchedBy(matcher);
      } else {
        itself = shape.defaultSelector().orElseThrow().includesPod();
      }
      constraints.add(
          new Constraint(
              constraint.maxSkew(),
              constraint.topologyKey(),
              constraint.minDomains(),
              selector.isEverything() ? Optional.empty() : Optional.of(counted),
              itself,
              EligibleNodes.Question.of(
                  keys,
                  spec.nodes(),
                  constraint.honorNodeAffinity(),
                  spec.tolerations(),
                  constraint.honorNodeTaints())));
    }
    return constraints;
  }

  @Override
  public Cure cureBy(Change change) {
    return switch (change) {
      case Change.NodeChanged node ->
          Cure.when(
              node.before() == null
                  || !node.before().labels().equals(node.after().labels())
                  || !node.before().taints().equals(node.after().taints()));
      case Change.NodeGone node -> Cure.all();
      case Change.PodPlaced pod -> ofNamespace(pod.pod().ref().namespace());
      case Change.PodGone pod -> ofNamespace(pod.pod().ref().namespace());
      case Change.PodChanged pod -> ofNamespace(pod.after().ref().namespace());
      case Change.SelfChanged self -> Cure.all();
      case Change.WorkloadSelectorChanged group -> ofNamespace(group.namespace());
      default -> Cure.none();
    };
  }

  private static Cure ofNamespace(String namespace) {
    return Cure.of((shape, state) -> shape.namespace().equals(namespace));
  }
}
