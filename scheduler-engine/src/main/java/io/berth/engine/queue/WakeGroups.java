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
 * The unschedulable units by what decides whether an event can help them. A thousand replicas that
 * were rejected alike are one group, so an event costs one question for all of them; and groups are
 * found by the plugins that rejected them, so an event that means nothing to a plugin costs nothing
 * for the groups of that plugin.
 */
final class WakeGroups<U> {

  private record Key(Object shape, Set<String> rejectedBy) {}

  /** Units of one shape that the same plugins rejected; never empty. */
  static final class Group<U> {
    private final Key key;
    private final List<QueuedUnit<U>> units = new ArrayList<>();

    private Group(Key key) {
      this.key = key;
    }

    QueuedUnit<U> any() {
      return units.get(units.size() - 1);
    }

    void addTo(List<QueuedUnit<U>> target) {
      target.addAll(units);
    }
  }

  private final Map<Key, Group<U>> groups = new HashMap<>();
  private final Map<String, Set<Group<U>>> byPlugin = new LinkedHashMap<>();

  void add(QueuedUnit<U> entry, Object shape) {
    Key key = new Key(shape, entry.rejectedBy);
    Group<U> group = groups.get(key);
    if (group == null) {
      group = new Group<>(key);
      groups.put(key, group);
      for (String plugin : key.rejectedBy()) {
        byPlugin.computeIfAbsent(plugin, absent -> new LinkedHashSet<>()).add(group);
      }
    }
    entry.group = group;
    entry.groupIndex = group.units.size();
    group.units.add(entry);
  }

  void remove(QueuedUnit<U> entry) {
    Group<U> group = entry.group;
    if (group == null) {
      throw new IllegalStateException("unit " + entry.key + " is in no wake group");
    }
    QueuedUnit<U> last = group.units.remove(group.units.size() - 1);
    if (last != entry) {
      group.units.set(entry.groupIndex, last);
      last.groupIndex = entry.groupIndex;
    }
    entry.group = null;
    entry.groupIndex = -1;
    if (group.units.isEmpty()) {
      remove(group);
    }
  }

  private void remove(Group<U> group) {
    groups.remove(group.key);
    for (String plugin : group.key.rejectedBy()) {
      Set<Group<U>> ofPlugin = byPlugin.get(plugin);
      if (ofPlugin != null && ofPlugin.remove(group) && ofPlugin.isEmpty()) {
        byPlugin.remove(plugin);
      }
    }
  }

  /** The plugins that rejected any of the units: a live view. */
  Collection<String> plugins() {
    return byPlugin.keySet();
  }

  /** The groups that a plugin rejected, alone or with others: a live view. */
  Collection<Group<U>> rejectedBy(String plugin) {
    return byPlugin.getOrDefault(plugin, Set.of());
  }
}
