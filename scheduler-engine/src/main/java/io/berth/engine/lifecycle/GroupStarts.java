package io.berth.engine.lifecycle;

import io.berth.engine.model.GroupRef;
import io.berth.engine.state.GroupEntry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The progress of placing each group, in the order in which the groups came: it must not depend on
 * their names, which copies of recordings replace.
 */
final class GroupStarts {
  private final Map<GroupRef, GroupStart> starts = new LinkedHashMap<>();

  GroupStart of(GroupEntry group) {
    return starts.computeIfAbsent(group.ref(), ref -> new GroupStart());
  }

  void forget(GroupRef ref) {
    starts.remove(ref);
  }

  Set<Map.Entry<GroupRef, GroupStart>> entries() {
    return starts.entrySet();
  }

  void forEach(BiConsumer<GroupRef, GroupStart> visitor) {
    starts.forEach(visitor);
  }
}
