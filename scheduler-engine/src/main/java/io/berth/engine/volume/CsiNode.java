package io.berth.engine.volume;

import io.berth.engine.model.StorageObject;
import java.util.Map;
import java.util.Set;

/**
 * A CSINode: the CSI drivers of the node of the same name.
 *
 * @param drivers the names of the installed drivers
 * @param limits the maximum number of volumes on the node, for drivers that report one
 * @param migratedPlugins the in-tree plugins whose volumes the node attaches through CSI
 */
public record CsiNode(
    String name, Set<String> drivers, Map<String, Integer> limits, Set<String> migratedPlugins)
    implements StorageObject {

  /** The kind, as in the API. */
  public static final String KIND = "CSINode";

  public CsiNode {
    drivers = Set.copyOf(drivers);
    limits = Map.copyOf(limits);
    migratedPlugins = Set.copyOf(migratedPlugins);
  }

  /** A node on which all drivers report a limit. */
  public CsiNode(String name, Map<String, Integer> limits, Set<String> migratedPlugins) {
    this(name, limits.keySet(), limits, migratedPlugins);
  }

  /** Returns the smallest of the limits; a large number if there is none. */
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
