package io.berth.engine.state;

import io.berth.engine.model.Requirement;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
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

  /**
   * Visits all pods whose labels satisfy the requirements.
   *
   * @param namespace the namespace of the pods; null for all namespaces
   */
  void forEachMatching(
      @Nullable String namespace, List<Requirement> requirements, Consumer<PodEntry> visitor) {
    if (namespace == null) {
      byNamespace.values().forEach(pods -> pods.forEachMatching(requirements, visitor));
      return;
    }
    PodsByLabel pods = byNamespace.get(namespace);
    if (pods != null) {
      pods.forEachMatching(requirements, visitor);
    }
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
  void relabel(PodEntry pod) {
    PodsByLabel pods = byNamespace.get(pod.ref().namespace());
    if (pods != null) {
      pods.relabel(pod);
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
