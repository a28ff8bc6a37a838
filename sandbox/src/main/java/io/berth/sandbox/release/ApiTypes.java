package io.berth.sandbox.release;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All API types of the newest Kubernetes version that the server emulates, from {@code
 * api-types.txt}. Immutable, and shared by all servers in the process.
 */
public final class ApiTypes {
  private static final String RESOURCE = "api-types.txt";
  private static final ApiTypes TYPES = read();

  private final Map<String, ApiType> byName = new LinkedHashMap<>();
  private final Map<String, ApiType> byKind = new LinkedHashMap<>();

  private ApiTypes() {}

  /** Returns the shared instance. */
  public static ApiTypes get() {
    return TYPES;
  }

  private static ApiTypes read() {
    ApiTypes types = new ApiTypes();
    String header = "";
    List<String> fields = new ArrayList<>();
    for (String line : Tables.lines(RESOURCE)) {
      if (line.startsWith("\t")) {
        fields.add(line);
      } else {
        types.add(header, fields);
        header = line;
        fields.clear();
      }
    }
    types.add(header, fields);
    return types;
  }

  private void add(String header, List<String> fields) {
    if (header.isEmpty()) {
      return;
    }
    ApiType type = ApiType.parse(header, fields);
    byName.put(type.name(), type);
    if (!type.apiVersion().isEmpty()) {
      byKind.put(type.apiVersion() + "/" + type.kind(), type);
    }
  }

  /** Returns all types, sorted by name. */
  public Collection<ApiType> all() {
    return byName.values();
  }

  /** Returns the type of a kind; empty if the release does not have it. */
  public Optional<ApiType> ofKind(String apiVersion, String kind) {
    return Optional.ofNullable(
        byKind.getOrDefault(apiVersion + "/" + kind, byKind.get("*/" + kind)));
  }

  /**
   * Returns a type.
   *
   * @throws IllegalArgumentException if the release has no type of this name
   */
  public ApiType named(String name) {
    ApiType type = byName.get(name);
    if (type == null) {
      throw new IllegalArgumentException(RESOURCE + " has no type " + name);
    }
    return type;
  }
}
