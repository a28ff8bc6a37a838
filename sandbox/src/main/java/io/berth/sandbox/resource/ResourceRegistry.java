package io.berth.sandbox.resource;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The resources that are currently served. Custom resources are added and removed with their
 * CustomResourceDefinitions. Thread-safe.
 */
public final class ResourceRegistry {
  private final Map<Path, ResourceType> types = new ConcurrentHashMap<>();
  private final Map<Path, ReadOnlySource> sources = new ConcurrentHashMap<>();

  private record Path(String group, String version, String plural) {}

  /**
   * Returns the resource served at {@code /apis/<group>/<version>/<plural>}, or at {@code
   * /api/v1/<plural>} if the group is empty.
   */
  public Optional<ResourceType> find(String group, String version, String plural) {
    return Optional.ofNullable(types.get(new Path(group, version, plural)));
  }

  /**
   * Returns a built-in resource by group and plural name, in any of its versions.
   *
   * @throws IllegalArgumentException if there is no such resource
   */
  public ResourceType builtIn(String group, String plural) {
    return types.values().stream()
        .filter(type -> type.is(group, plural) && !type.custom())
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no built-in resource " + plural + " in group \"" + group + "\""));
  }

  /** Returns the resource of a kind. */
  public Optional<ResourceType> ofKind(String apiVersion, String kind) {
    return types.values().stream()
        .filter(type -> type.kind().equals(kind) && type.apiVersion().equals(apiVersion))
        .findFirst();
  }

  /** Returns all resources in all versions, sorted by group, version, and plural name. */
  public List<ResourceType> all() {
    List<ResourceType> sorted = new ArrayList<>(types.values());
    sorted.sort(
        Comparator.comparing(ResourceType::group)
            .thenComparing(ResourceType::version)
            .thenComparing(ResourceType::plural));
    return sorted;
  }

  /** Adds a resource. */
  public void add(ResourceType type) {
    types.put(new Path(type.group(), type.version(), type.plural()), type);
  }

  /** Adds a resource whose objects are computed. */
  public void addComputed(ResourceType type, ReadOnlySource source) {
    sources.put(new Path(type.group(), type.version(), type.plural()), source);
    add(type);
  }

  /** Returns the source of a resource whose objects are computed; empty if they are stored. */
  public Optional<ReadOnlySource> source(ResourceType type) {
    return Optional.ofNullable(sources.get(new Path(type.group(), type.version(), type.plural())));
  }

  /** Removes resources. */
  public void remove(Collection<ResourceType> gone) {
    gone.forEach(type -> types.remove(new Path(type.group(), type.version(), type.plural())));
  }
}
