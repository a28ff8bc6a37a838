package io.berth.engine.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The unschedulable pods by what decides whether an event can help them. A thousand replicas that
 * were rejected alike are one group, so an event costs one question for all of them; and groups are
 * found by the plugins that rejected them, so an event that means nothing to a plugin costs nothing
 * for the groups of that plugin.
 */
final class WakeGroups<P> {

  private record Key(Object shape, Set<String> rejectedBy) {}

  /** Pods of one shape that the same plugins rejected; never empty. */
  static final class Group<P> {
    private final Key key;
    private final List<QueuedPod<P>> pods = new ArrayList<>();

    private Group(Key key) {
      this.key = key;
    }

    QueuedPod<P> any() {
      return pods.get(pods.size() - 1);
    }

    void addTo(List<QueuedPod<P>> target) {
      target.addAll(pods);
    }
  }

  private final Map<Key, Group<P>> groups = new HashMap<>();
  private final Map<String, Set<Group<P>>> byPlugin = new LinkedHashMap<>();

  void add(QueuedPod<P> entry, Object shape) {
    Key key = new Key(shape, entry.rejectedBy);
    Group<P> group = groups.get(key);
    if (group == null) {
      group = new Group<>(key);
      groups.put(key, group);
      for (String plugin : key.rejectedBy()) {
        byPlugin.computeIfAbsent(plugin, absent -> new LinkedHashSet<>()).add(group);
      }
    }
    entry.group = group;
    entry.groupIndex = group.pods.size();
    group.pods.add(entry);
  }

  void remove(QueuedPod<P> entry) {
    Group<P> group = entry.group;
    if (group == null) {
      throw new IllegalStateException("pod " + entry.uid + " is in no wake group");
    }
    QueuedPod<P> last = group.pods.remove(group.pods.size() - 1);
    if (last != entry) {
      group.pods.set(entry.groupIndex, last);
      last.groupIndex = entry.groupIndex;
    }
    entry.group = null;
    entry.groupIndex = -1;
    if (group.pods.isEmpty()) {
      remove(group);
    }
  }

  private void remove(Group<P> group) {
    groups.remove(group.key);
    for (String plugin : group.key.rejectedBy()) {
      Set<Group<P>> ofPlugin = byPlugin.get(plugin);
      if (ofPlugin != null && ofPlugin.remove(group) && ofPlugin.isEmpty()) {
        byPlugin.remove(plugin);
      }
    }
  }

  /** The plugins that rejected any of the pods: a live view. */
  Collection<String> plugins() {
    return byPlugin.keySet();
  }

  /** The groups that a plugin rejected, alone or with others: a live view. */
  Collection<Group<P>> rejectedBy(String plugin) {
    return byPlugin.getOrDefault(plugin, Set.of());
  }
}
