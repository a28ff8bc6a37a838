package io.berth.engine.policy;

import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.ScorePlugin;
import io.berth.engine.plugins.ImageLocality;
import io.berth.engine.plugins.NodeName;
import io.berth.engine.plugins.NodePorts;
import io.berth.engine.plugins.NodeUnschedulable;
import io.berth.engine.plugins.NodeVolumeLimits;
import io.berth.engine.plugins.TaintToleration;
import io.berth.engine.plugins.VolumeBinding;
import io.berth.engine.plugins.VolumeRestrictions;
import io.berth.engine.plugins.VolumeZone;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The registry: every algorithm by its name, made of its arguments.
 *
 * <p>A new algorithm needs its own file, what reads its arguments, and one line here.
 */
final class PluginReader {
  /** In the order in which nodes are held against them. */
  static final Map<String, Function<Arguments, FilterPlugin>> FILTERS = filters();

  /** In the order in which scores are reported. */
  static final Map<String, Function<Arguments, ScorePlugin>> SCORES = scores();

  private PluginReader() {}

  private static Map<String, Function<Arguments, FilterPlugin>> filters() {
    Map<String, Function<Arguments, FilterPlugin>> filters = new LinkedHashMap<>();
    filters.put("NodeUnschedulable", arguments -> new NodeUnschedulable());
    filters.put("NodeName", arguments -> new NodeName());
    filters.put("TaintToleration", arguments -> new TaintToleration());
    filters.put("NodeAffinity", AffinityArguments::nodeFilter);
    filters.put("NodePorts", arguments -> new NodePorts());
    filters.put("NodeResourcesFit", FitArguments::filter);
    filters.put("VolumeRestrictions", arguments -> new VolumeRestrictions());
    filters.put("NodeVolumeLimits", arguments -> new NodeVolumeLimits());
    filters.put("VolumeBinding", arguments -> new VolumeBinding());
    filters.put("VolumeZone", arguments -> new VolumeZone());
    filters.put("PodTopologySpread", AffinityArguments::spreadFilter);
    filters.put("InterPodAffinity", AffinityArguments::interPodFilter);
    return filters;
  }

  private static Map<String, Function<Arguments, ScorePlugin>> scores() {
    Map<String, Function<Arguments, ScorePlugin>> scores = new LinkedHashMap<>();
    scores.put("TaintToleration", arguments -> new TaintToleration());
    scores.put("NodeAffinity", AffinityArguments::nodeScore);
    scores.put("NodeResourcesFit", FitArguments::score);
    scores.put("PodTopologySpread", AffinityArguments::spreadScore);
    scores.put("InterPodAffinity", AffinityArguments::interPodScore);
    scores.put("NodeResourcesBalancedAllocation", FitArguments::balanced);
    scores.put("ImageLocality", PluginReader::imageLocality);
    scores.put("WaterLevel", FitArguments::waterLevel);
    return scores;
  }

  private static ImageLocality imageLocality(Arguments arguments) {
    ImageLocality defaults = new ImageLocality();
    long min = arguments.integer("minThresholdBytes", 0, 1L << 50, defaults.minThresholdBytes());
    long max =
        arguments.integer(
            "maxContainerThresholdBytes", 1, 1L << 50, defaults.maxContainerThresholdBytes());
    if (max <= min) {
      arguments.problem(
          "maxContainerThresholdBytes",
          "must be more than minThresholdBytes, which is " + min + ", not " + max);
      return defaults;
    }
    return new ImageLocality(min, max);
  }
}
