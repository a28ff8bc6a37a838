package io.berth.engine.state;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Every pod that is known, pending or placed, by UID and by namespace and name. */
public final class PodIndex {
  private final Map<String, PodEntry> byUid = new HashMap<>();
  private final Map<String, Map<String, PodEntry>> byName = new HashMap<>();

  public @Nullable PodEntry byUid(String uid) {
    return byUid.get(uid);
  }

  public @Nullable PodEntry byName(String namespace, String name) {
    Map<String, PodEntry> pods = byName.get(namespace);
    return pods == null ? null : pods.get(name);
  }

  /** The pods of a namespace, in the order in which they came. */
  public Collection<PodEntry> inNamespace(String namespace) {
    Map<String, PodEntry> pods = byName.get(namespace);
    return pods == null ? List.of() : pods.values();
  }

  public Collection<PodEntry> all() {
    return byUid.values();
  }

  public int size() {
    return byUid.size();
  }

  void add(PodEntry pod) {
    byUid.put(pod.ref().uid(), pod);
    byName
        .computeIfAbsent(pod.ref().namespace(), namespace -> new LinkedHashMap<>())
        .put(pod.ref().name(), pod);
  }

  void remove(PodEntry pod) {
    byUid.remove(pod.ref().uid());
    Map<String, PodEntry> pods = byName.get(pod.ref().namespace());
    if (pods != null && pods.remove(pod.ref().name()) != null && pods.isEmpty()) {
      byName.remove(pod.ref().namespace());
    }
  }
}
