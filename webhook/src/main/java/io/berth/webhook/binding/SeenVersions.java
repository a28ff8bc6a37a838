package io.berth.webhook.binding;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The newest state that was seen of each object. Not thread-safe. */
final class SeenVersions {
  /** By kind, then by identity: a list is of one kind. */
  private final Map<String, Map<String, ObjectVersion>> seen = new HashMap<>();

  void put(ObjectVersion version) {
    seen.computeIfAbsent(version.kind(), kind -> new HashMap<>()).put(version.identity(), version);
  }

  void remove(ObjectVersion version) {
    ofKind(version.kind()).remove(version.identity());
  }

  /**
   * Returns whether the content of this state is known already: a change of status alone is none.
   */
  boolean knows(ObjectVersion version) {
    ObjectVersion known = ofKind(version.kind()).get(version.identity());
    return known != null && known.saysTheSameAs(version);
  }

  /** Returns whether everything was seen that a list had, and everything that was gone by then. */
  boolean reaches(ListedState listed) {
    Map<String, ObjectVersion> known = ofKind(listed.kind());
    Set<String> there = new HashSet<>();
    for (ObjectVersion object : listed.objects()) {
      ObjectVersion ours = known.get(object.identity());
      if (ours == null
          || (ours.resourceVersion() < object.resourceVersion() && !ours.saysTheSameAs(object))) {
        return false;
      }
      there.add(object.identity());
    }
    return known.values().stream()
        .filter(ours -> listed.covers(ours) && !there.contains(ours.identity()))
        .allMatch(ours -> ours.resourceVersion() > listed.resourceVersion());
  }

  private Map<String, ObjectVersion> ofKind(String kind) {
    return seen.getOrDefault(kind, Map.of());
  }
}
