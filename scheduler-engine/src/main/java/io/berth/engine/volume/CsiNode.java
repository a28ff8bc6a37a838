package io.berth.engine.volume;

import io.berth.engine.model.StorageObject;
import java.util.Map;
import java.util.Set;

/**
 * A CSINode: the CSI drivers of the node of the same name.
 *
 * @param limits how many volumes of a driver the node takes, where the driver says
 * @param migratedPlugins in-tree plugins whose volumes the node attaches through CSI
 */
public record CsiNode(String name, Map<String, Integer> limits, Set<String> migratedPlugins)
    implements StorageObject {

  /** The kind, as in the API. */
  public static final String KIND = "CSINode";

  public CsiNode {
    limits = Map.copyOf(limits);
    migratedPlugins = Set.copyOf(migratedPlugins);
  }

  /** The smallest of the limits; large where there is none. */
  public int lowestLimit() {
    int lowest = Integer.MAX_VALUE;
    for (int limit : limits.values()) {
      lowest = Math.min(lowest, limit);
    }
    return lowest;
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public String namespace() {
    return "";
  }
}
