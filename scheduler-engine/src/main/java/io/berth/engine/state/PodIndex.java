package io.berth.engine.state;

import io.berth.engine.model.Requirement;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Known pods, pending or placed, by UID and by namespace and name. */
public final class PodIndex {
  private final Map<String, PodEntry> byUid = new HashMap<>();
  private final Map<String, PodsByLabel> byNamespace = new HashMap<>();

  public @Nullable PodEntry byUid(String uid) {
    return byUid.get(uid);
  }

  public @Nullable PodEntry byName(String namespace, String name) {
    PodsByLabel pods = byNamespace.get(namespace);
    return pods == null ? null : pods.byName(name);
  }

  /** Returns the pods of a namespace, in order of arrival. */
  public Collection<PodEntry> inNamespace(String namespace) {
    PodsByLabel pods = byNamespace.get(namespace);
    return pods == null ? List.of() : pods.all();
  }

  /** Returns all pods of a namespace whose labels satisfy the requirements, and possibly others. */
  Collection<PodEntry> candidates(String namespace, List<Requirement> requirements) {
    PodsByLabel pods = byNamespace.get(namespace);
    return pods == null ? List.of() : pods.candidates(requirements);
  }

  public Collection<PodEntry> all() {
    return byUid.values();
  }

  public int size() {
    return byUid.size();
  }

  void add(PodEntry pod) {
    byUid.put(pod.ref().uid(), pod);
    byNamespace.computeIfAbsent(pod.ref().namespace(), namespace -> new PodsByLabel()).add(pod);
  }

  /** Updates the index after a change of the pod's labels. */
  void relabel(PodEntry pod, Map<String, String> before) {
    PodsByLabel pods = byNamespace.get(pod.ref().namespace());
    if (pods != null) {
      pods.relabel(pod, before);
    }
  }

  void remove(PodEntry pod) {
    byUid.remove(pod.ref().uid());
    PodsByLabel pods = byNamespace.get(pod.ref().namespace());
    if (pods != null) {
      pods.remove(pod);
      if (pods.isEmpty()) {
        byNamespace.remove(pod.ref().namespace());
      }
    }
  }
}
