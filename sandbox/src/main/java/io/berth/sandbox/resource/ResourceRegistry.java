package io.berth.sandbox.resource;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The resources that the server serves at the moment. Readers see each change as a whole; a
 * resource comes and goes with its definition.
 */
public final class ResourceRegistry {
  private final Map<Path, ResourceType> types = new ConcurrentHashMap<>();
  private final Map<Path, ReadOnlySource> sources = new ConcurrentHashMap<>();

  private record Path(String group, String version, String plural) {}

  /**
   * The resource at {@code /apis/group/version/plural}; the group is empty for {@code
   * /api/v1/plural}.
   */
  public Optional<ResourceType> find(String group, String version, String plural) {
    return Optional.ofNullable(types.get(new Path(group, version, plural)));
  }

  /** A resource that is always there, by group and plural name, in any of its versions. */
  public ResourceType builtIn(String group, String plural) {
    return types.values().stream()
        .filter(type -> type.is(group, plural) && !type.custom())
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no built-in resource " + plural + " in group \"" + group + "\""));
  }

  /** The resource of a kind. */
  public Optional<ResourceType> ofKind(String apiVersion, String kind) {
    return types.values().stream()
        .filter(type -> type.kind().equals(kind) && type.apiVersion().equals(apiVersion))
        .findFirst();
  }

  /** Every resource in every version, ordered by group, version and name. */
  public List<ResourceType> all() {
    List<ResourceType> sorted = new ArrayList<>(types.values());
    sorted.sort(
        Comparator.comparing(ResourceType::group)
            .thenComparing(ResourceType::version)
            .thenComparing(ResourceType::plural));
    return sorted;
  }

  /** Serves a resource from now on. */
  public void add(ResourceType type) {
    types.put(new Path(type.group(), type.version(), type.plural()), type);
  }

  /** Serves a resource whose objects are computed. */
  public void addComputed(ResourceType type, ReadOnlySource source) {
    sources.put(new Path(type.group(), type.version(), type.plural()), source);
    add(type);
  }

  /** Returns the source of a resource whose objects are computed; empty if they are stored. */
  public Optional<ReadOnlySource> source(ResourceType type) {
    return Optional.ofNullable(sources.get(new Path(type.group(), type.version(), type.plural())));
  }

  /** No longer serves these. */
  public void remove(Collection<ResourceType> gone) {
    gone.forEach(type -> types.remove(new Path(type.group(), type.version(), type.plural())));
  }
}
