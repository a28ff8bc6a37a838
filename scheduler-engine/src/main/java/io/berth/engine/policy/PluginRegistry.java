package io.berth.engine.policy;

import io.berth.crds.policy.AlgorithmNames;
import io.berth.engine.cards.CardRules;
import io.berth.engine.framework.Arguments;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.ScorePlugin;
import io.berth.engine.plugins.DynamicResources;
import io.berth.engine.plugins.GpuCards;
import io.berth.engine.plugins.GpuFragmentation;
import io.berth.engine.plugins.ImageLocality;
import io.berth.engine.plugins.InterPodAffinity;
import io.berth.engine.plugins.MostAvailable;
import io.berth.engine.plugins.NodeAffinity;
import io.berth.engine.plugins.NodeDeclaredFeatures;
import io.berth.engine.plugins.NodeName;
import io.berth.engine.plugins.NodePorts;
import io.berth.engine.plugins.NodeResourcesBalancedAllocation;
import io.berth.engine.plugins.NodeResourcesFit;
import io.berth.engine.plugins.NodeUnschedulable;
import io.berth.engine.plugins.NodeVolumeLimits;
import io.berth.engine.plugins.PodTopologySpread;
import io.berth.engine.plugins.SingleDeviceSource;
import io.berth.engine.plugins.TaintToleration;
import io.berth.engine.plugins.VolumeBinding;
import io.berth.engine.plugins.VolumeRestrictions;
import io.berth.engine.plugins.VolumeZone;
import io.berth.engine.plugins.WaterLevel;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The algorithms that policies may name, each with a factory that takes its arguments. Immutable.
 *
 * <p>A new algorithm needs its own file and one line in {@link #standard}. The algorithms in {@link
 * io.berth.crds.policy.AlgorithmNames#DEFAULT_FILTERS} and DEFAULT_WEIGHTS are part of every
 * policy, others only of policies that name them.
 */
public final class PluginRegistry {
  private static final PluginRegistry STANDARD =
      new PluginRegistry(Map.of(), Map.of())
          .withFilter("NodeUnschedulable", arguments -> new NodeUnschedulable())
          .withFilter("NodeName", arguments -> new NodeName())
          .withFilter("TaintToleration", arguments -> new TaintToleration())
          .withFilter("NodeAffinity", NodeAffinity::readFilter)
          .withFilter("NodePorts", arguments -> new NodePorts())
          .withFilter("NodeResourcesFit", NodeResourcesFit::readFilter)
          .withFilter("GpuCards", arguments -> new GpuCards())
          .withFilter("VolumeRestrictions", arguments -> new VolumeRestrictions())
          .withFilter("NodeVolumeLimits", arguments -> new NodeVolumeLimits())
          .withFilter("VolumeBinding", VolumeBinding::readFilter)
          .withFilter("VolumeZone", arguments -> new VolumeZone())
          .withFilter("PodTopologySpread", PodTopologySpread::readFilter)
          .withFilter("InterPodAffinity", InterPodAffinity::readFilter)
          .withFilter(DynamicResources.NAME, arguments -> new DynamicResources())
          .withFilter(SingleDeviceSource.NAME, arguments -> new SingleDeviceSource())
          .withFilter("NodeDeclaredFeatures", arguments -> new NodeDeclaredFeatures())
          .withScore("TaintToleration", arguments -> new TaintToleration())
          .withScore("NodeAffinity", NodeAffinity::readScore)
          .withScore("NodeResourcesFit", NodeResourcesFit::readScore)
          .withScore("VolumeBinding", VolumeBinding::readScore)
          .withScore("PodTopologySpread", PodTopologySpread::readScore)
          .withScore("InterPodAffinity", InterPodAffinity::readScore)
          .withScore(DynamicResources.NAME, arguments -> new DynamicResources())
          .withScore("NodeResourcesBalancedAllocation", NodeResourcesBalancedAllocation::read)
          .withScore("ImageLocality", ImageLocality::read)
          .withScore("WaterLevel", WaterLevel::read)
          .withScore("MostAvailable", MostAvailable::read)
          .withScore(
              AlgorithmNames.GPU_FRAGMENTATION,
              arguments -> new GpuFragmentation(CardRules.defaults()));

  private final Map<String, Function<Arguments, ? extends FilterPlugin>> filters;
  private final Map<String, Function<Arguments, ? extends ScorePlugin>> scores;

  private PluginRegistry(
      Map<String, Function<Arguments, ? extends FilterPlugin>> filters,
      Map<String, Function<Arguments, ? extends ScorePlugin>> scores) {
    this.filters = filters;
    this.scores = scores;
  }

  /** Returns Berth's own algorithms. */
  public static PluginRegistry standard() {
    return STANDARD;
  }

  /**
   * Returns a registry with an additional filter, which runs after the others, or replaces the one
   * of the same name.
   */
  public PluginRegistry withFilter(String name, Function<Arguments, ? extends FilterPlugin> read) {
    return new PluginRegistry(with(filters, name, read), scores);
  }

  /**
   * Returns a registry with an additional score, which is reported after the others, or replaces
   * the one of the same name.
   */
  public PluginRegistry withScore(String name, Function<Arguments, ? extends ScorePlugin> read) {
    return new PluginRegistry(filters, with(scores, name, read));
  }

  private static <T> Map<String, T> with(Map<String, T> known, String name, T added) {
    Map<String, T> all = new LinkedHashMap<>(known);
    all.put(name, added);
    return Collections.unmodifiableMap(all);
  }

  /** Returns the names of the filters, in the order in which they run. */
  public Set<String> filterNames() {
    return filters.keySet();
  }

  /** Returns the names of the scores, in the order in which they are reported. */
  public Set<String> scoreNames() {
    return scores.keySet();
  }

  /** Creates a filter from its arguments. */
  FilterPlugin readFilter(String name, Arguments arguments) {
    return filters.get(name).apply(arguments);
  }

  /** Creates a score from its arguments. */
  ScorePlugin readScore(String name, Arguments arguments) {
    return scores.get(name).apply(arguments);
  }
}
