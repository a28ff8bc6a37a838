package io.berth.crds.schema;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Substitutes for absent fields of a resource: no elements, or the schema's default. */
public final class Absent {
  private Absent() {}

  /** Returns an unmodifiable copy of the list, or an empty list for null. */
  public static <T> List<T> emptyIfNull(@Nullable List<T> list) {
    return list == null ? List.of() : List.copyOf(list);
  }

  /** Returns an unmodifiable view of the map in its own order, or an empty map for null. */
  public static <K, V> Map<K, V> emptyIfNull(@Nullable Map<K, V> map) {
    return map == null ? Map.of() : Collections.unmodifiableMap(map);
  }

  /** Returns the value, or the schema's default for null. */
  public static <T> T orElse(@Nullable T value, T schemaDefault) {
    return value == null ? schemaDefault : value;
  }
}
