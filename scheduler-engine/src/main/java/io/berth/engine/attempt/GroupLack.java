package io.berth.engine.attempt;

import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.engine.group.GroupMembers;
import io.berth.engine.lifecycle.OpenGroups.Open;
import io.berth.engine.lifecycle.WaitingReason;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A group that does not fit.
 *
 * @param members the members that can be placed
 * @param needed the number of members that have to be placed together
 * @param plugins the plugins that rejected its members
 */
record GroupLack(
    Open open, List<GroupMembers> members, int needed, WaitingReason why, Set<String> plugins) {
  GroupEntry group() {
    return open.group();
  }

  GroupLack saying(String more) {
    return new GroupLack(open, members, needed, why.saying(more), plugins);
  }

  GroupLack because(WaitCause cause) {
    return new GroupLack(open, members, needed, why.because(cause), plugins);
  }

  GroupLack reporting(Map<PodEntry, Decision.WouldEvict> reports) {
    return new GroupLack(open, members, needed, why.reporting(reports), plugins);
  }
}
