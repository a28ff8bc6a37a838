package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import io.berth.engine.framework.GaugedScore;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Scale;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.Gauge;
import io.berth.engine.state.NodeSet;
import io.berth.rules.LabelSyntax;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Spreads pods while the cluster has room, and packs them when a part of it fills up, so that large
 * pods still fit.
 *
 * <p>A scope is the whole cluster, or the nodes with one value of a label. Its level is the
 * requested share of its scarcest resource: the greatest, over the resources k, of ΣR_k / ΣA_k over
 * the scope's schedulable nodes. Once the level has risen to {@code packAbove}, nodes of the scope
 * are scored as by {@link ScoringStrategy.MostAllocated}; once it has fallen to {@code
 * spreadBelow}, as by {@link ScoringStrategy.LeastAllocated}; in between, the mode stays unchanged.
 *
 * @param packAbove 0 to 1
 * @param spreadBelow 0 to 1, not more than {@code packAbove}
 * @param nodeLabel the label whose values are the scopes; empty for the whole cluster
 * @param resources the resources to consider, with their weights in the score
 */
public record WaterLevel(
    double packAbove,
    double spreadBelow,
    Optional<String> nodeLabel,
    List<WeightedResource> resources)
    implements GaugedScore {
  record Question(List<Long> asked, WaterLevel plugin) {}

  public WaterLevel {
    resources = List.copyOf(resources);
  }

  /**
   * Creates the plugin for the whole cluster: packs from 85 % of CPU or memory on, until the level
   * has fallen to 80 %.
   */
  public WaterLevel() {
    this(0.85, 0.80, Optional.empty(), WeightedResource.CPU_AND_MEMORY);
  }

  /** Parses the arguments. */
  public static WaterLevel read(Arguments arguments) {
    WaterLevel defaults = new WaterLevel();
    double packAbove = arguments.fraction("packAbove", defaults.packAbove());
    double spreadBelow =
        arguments.fraction("spreadBelow", Math.min(defaults.spreadBelow(), packAbove));
    if (spreadBelow > packAbove) {
      arguments.problem(
          "spreadBelow",
          "must not be greater than packAbove, which is " + packAbove + ", but is " + spreadBelow);
      spreadBelow = packAbove;
    }
    Optional<String> nodeLabel = Optional.empty();
    if (arguments.has("scope")) {
      Arguments scope = arguments.object("scope");
      String label = scope.text("nodeLabel", "");
      scope.finish();
      if (!LabelSyntax.ofLabelName(label).isEmpty()) {
        scope.problem(
            "nodeLabel",
            "\"" + label + "\" must be the key of a node label, such as cloud.example.com/pool");
      }
      nodeLabel = Optional.of(label);
    }
    return new WaterLevel(packAbove, spreadBelow, nodeLabel, WeightedResource.read(arguments));
  }

  @Override
  public String name() {
    return "WaterLevel";
  }

  @Override
  public Gauge newGauge(ClusterState state) {
    return new WaterLevelGauge(this, state);
  }

  @Override
  public Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state) {
    long[] asked = ResourceFigures.asked(shape, resources, true);
    Question question = new Question(Arrays.stream(asked).boxed().toList(), this);
    WaterLevelGauge gauge =
        (WaterLevelGauge)
            state
                .gauges()
                .find(this)
                .orElseThrow(() -> new IllegalStateException("no policy serves with " + this));
    return Optional.of(
        state.answers().acquire(question, () -> new Answer(question, asked, gauge, state)));
  }

  private static final class Answer extends NodeScorer {
    private final WaterLevelGauge gauge;
    private final ResourceFigures figures;
    private final ScoringStrategy packing;
    private final ScoringStrategy spreading;

    Answer(Question question, long[] asked, WaterLevelGauge gauge, ClusterState state) {
      super(question, state, Scale.Kind.NONE, state.nodes().capacityLog(), gauge.log());
      List<WeightedResource> resources = question.plugin().resources();
      this.gauge = gauge;
      this.figures = new ResourceFigures(state, resources, asked, true);
      this.packing = new ScoringStrategy.MostAllocated(resources);
      this.spreading = new ScoringStrategy.LeastAllocated(resources);
    }

    @Override
    protected boolean refreshInputs(NodeSet feasible) {
      figures.locate();
      return false;
    }

    @Override
    protected int score(int slot) {
      figures.read(slot);
      return (gauge.isPacking(slot) ? packing : spreading).score(figures);
    }
  }
}
