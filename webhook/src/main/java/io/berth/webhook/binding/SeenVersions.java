package io.berth.webhook.binding;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The newest version seen of each object. Not thread-safe. */
final class SeenVersions {
  /** By kind, then by identity, because a list contains one kind. */
  private final Map<String, Map<String, ObjectVersion>> seen = new HashMap<>();

  void put(ObjectVersion version) {
    seen.computeIfAbsent(version.kind(), kind -> new HashMap<>()).put(version.identity(), version);
  }

  void remove(ObjectVersion version) {
    ofKind(version.kind()).remove(version.identity());
  }

  /**
   * Returns whether the content of this version is already known; a change of only the status does
   * not count as new content.
   */
  boolean knows(ObjectVersion version) {
    ObjectVersion known = ofKind(version.kind()).get(version.identity());
    return known != null && known.saysTheSameAs(version);
  }

  /**
   * Returns whether all objects of a list were seen, and all deletions that had happened before it.
   */
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
