package io.berth.operator.query;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A user, as the API server has authenticated it.
 *
 * @param uid empty if it has none
 * @param extra further attributes, by lower-case key
 */
record ApiUser(String name, String uid, List<String> groups, Map<String, List<String>> extra) {
  ApiUser {
    groups = List.copyOf(groups);
    extra = Map.copyOf(new TreeMap<>(extra));
  }
}
