package io.berth.engine.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;

/**
 * Unschedulable units, grouped by the properties that decide whether an event can help them.
 * Replicas that were rejected for the same reasons form one group, so an event costs one check for
 * all of them. Groups are indexed by the plugins that rejected them, so an event that does not
 * concern a plugin costs nothing for its groups; and by the amounts that they need, so that a small
 * amount of freed resources costs nothing for units that need more.
 */
final class WakeGroups<U> {

  private record Key(Object shape, int priority, Set<String> rejectedBy) {}

  /** Units of one shape and priority that the same plugins rejected; never empty. */
  static final class Group<U> {
    private final Key key;
    private final List<QueuedUnit<U>> units = new ArrayList<>();

    /** The needed amounts by plugin. */
    private final Map<String, Long> needs = new HashMap<>();

    private Group(Key key) {
      this.key = key;
    }

    QueuedUnit<U> any() {
      return units.get(units.size() - 1);
    }

    /** Adds the units to the target, only the earliest if there are more than {@code most}. */
    void addTo(List<QueuedUnit<U>> target, int most) {
      if (units.size() <= most) {
        target.addAll(units);
      } else {
        units.stream()
            .sorted(Comparator.comparingLong(unit -> unit.arrival))
            .limit(most)
            .forEach(target::add);
      }
    }
  }

  /** The groups that a plugin rejected, by the amount that they need. */
  private record ByNeed<U>(NavigableMap<Long, Set<Group<U>>> groups) {
    void add(Group<U> group, long need) {
      groups.computeIfAbsent(need, absent -> new LinkedHashSet<>()).add(group);
    }

    void remove(Group<U> group, long need) {
      groups.computeIfPresent(
          need, (key, alike) -> alike.remove(group) && alike.isEmpty() ? null : alike);
    }

    boolean isEmpty() {
      return groups.isEmpty();
    }
  }

  private final QueueRules<U, ?> rules;
  private final Map<Key, Group<U>> groups = new HashMap<>();
  private final Map<String, NavigableMap<Integer, ByNeed<U>>> byPlugin = new LinkedHashMap<>();

  WakeGroups(QueueRules<U, ?> rules) {
    this.rules = rules;
  }

  void add(QueuedUnit<U> entry, Object shape) {
    Key key = new Key(shape, entry.priority, entry.rejectedBy);
    Group<U> group = groups.get(key);
    if (group == null) {
      group = new Group<>(key);
      groups.put(key, group);
      for (String plugin : key.rejectedBy()) {
        long need = rules.needOf(entry.unit, plugin);
        group.needs.put(plugin, need);
        byPlugin
            .computeIfAbsent(plugin, absent -> new TreeMap<>())
            .computeIfAbsent(key.priority(), absent -> new ByNeed<>(new TreeMap<>()))
            .add(group, need);
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
    group.needs.forEach(
        (plugin, need) ->
            byPlugin.computeIfPresent(
                plugin,
                (name, byPriority) -> {
                  byPriority.computeIfPresent(
                      group.key.priority(),
                      (priority, byNeed) -> {
                        byNeed.remove(group, need);
                        return byNeed.isEmpty() ? null : byNeed;
                      });
                  return byPriority.isEmpty() ? null : byPriority;
                }));
  }

  /** Returns a live view of the plugins that rejected any of the units. */
  Collection<String> plugins() {
    return byPlugin.keySet();
  }

  /**
   * Visits the groups that a plugin rejected, alone or with others, and that need at most the
   * offered amount.
   *
   * @param offered returns the offered amount, by the groups' priority
   */
  void visit(String plugin, IntToLongFunction offered, Consumer<Group<U>> visitor) {
    NavigableMap<Integer, ByNeed<U>> byPriority = byPlugin.get(plugin);
    if (byPriority != null) {
      byPriority.forEach(
          (priority, byNeed) ->
              byNeed
                  .groups()
                  .headMap(offered.applyAsLong(priority), true)
                  .values()
                  .forEach(alike -> alike.forEach(visitor)));
    }
  }
}
