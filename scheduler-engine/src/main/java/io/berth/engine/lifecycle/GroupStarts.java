package io.berth.engine.lifecycle;

import io.berth.engine.model.GroupRef;
import io.berth.engine.state.GroupEntry;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** The progress of placing each group. */
final class GroupStarts {
  private final Map<GroupRef, GroupStart> starts = new HashMap<>();

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
