package io.berth.engine.attempt;

import io.berth.engine.group.GroupMembers;
import io.berth.engine.lifecycle.OpenGroups.Open;
import io.berth.engine.state.GroupEntry;
import java.util.List;
import java.util.Set;

/**
 * A group that does not fit.
 *
 * @param members the members that can be placed
 * @param needed the number of members that have to be placed together
 * @param message the reason, for the pods' owner
 * @param plugins the plugins that rejected its members
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
