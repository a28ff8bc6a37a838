package io.berth.engine.kube;

import java.util.Map;

/** Reads the fields of objects for which there is no Java type. */
final class JsonMaps {
  private JsonMaps() {}

  /** Returns the map in a field; an empty one if the field is absent, or no map. */
  static Map<?, ?> mapIn(Map<?, ?> object, String field) {
    return object.get(field) instanceof Map<?, ?> map ? map : Map.of();
  }
}
