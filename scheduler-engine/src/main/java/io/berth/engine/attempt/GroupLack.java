package io.berth.engine.attempt;

import io.berth.engine.attempt.OpenGroups.Open;
import io.berth.engine.state.GroupEntry;
import java.util.List;
import java.util.Set;

/**
 * A group that finds no room.
 *
 * @param members those that may be placed
 * @param needed how many of them have to be placed together
 * @param message why they are not, in words for the pods' owner
 * @param plugins by which its members were rejected
 */
record GroupLack(
    Open open, List<GroupMembers> members, int needed, String message, Set<String> plugins) {
  GroupEntry group() {
    return open.group();
  }

  GroupLack saying(String more) {
    return new GroupLack(open, members, needed, message + ". " + more, plugins);
  }
}
