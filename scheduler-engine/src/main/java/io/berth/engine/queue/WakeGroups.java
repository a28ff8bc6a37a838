package io.berth.engine.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The unschedulable pods by what decides whether an event can help them. A thousand replicas that
 * were rejected alike are one group, so an event costs one question for all of them.
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

  private final Map<Key, Group<P>> groups = new LinkedHashMap<>();

  void add(QueuedPod<P> entry, Object shape) {
    Group<P> group = groups.computeIfAbsent(new Key(shape, entry.rejectedBy), Group::new);
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
      groups.remove(group.key);
    }
  }

  /** A live view. */
  Collection<Group<P>> groups() {
    return groups.values();
  }
}
