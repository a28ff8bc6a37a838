package io.berth.engine.group;

import io.berth.engine.model.GroupMembership;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import java.util.Map;

/** The missing members of a group: a total number, and minimums by role. */
public final class GroupNeeds {
  private final Map<String, Integer> roles;
  private int ofRoles;
  private int others;

  private GroupNeeds(Map<String, Integer> roles, int ofRoles, int others) {
    this.roles = roles;
    this.ofRoles = ofRoles;
    this.others = others;
  }

  public static GroupNeeds of(GroupEntry group) {
    Map<String, Integer> roles = group.missingRoles();
    int ofRoles = roles.values().stream().mapToInt(Integer::intValue).sum();
    return new GroupNeeds(roles, ofRoles, Math.max(0, group.missing() - ofRoles));
  }

  /** Returns the number of pods that remain to be placed. */
  public int left() {
    return ofRoles + others;
  }

  /** Returns whether placing the pod reduces the number of missing members. */
  boolean wants(PodEntry pod) {
    return others > 0 || roles.getOrDefault(roleOf(pod), 0) > 0;
  }

  /** Counts a placed pod. */
  void placed(PodEntry pod) {
    String role = roleOf(pod);
    int ofRole = roles.getOrDefault(role, 0);
    if (ofRole > 0) {
      roles.put(role, ofRole - 1);
      ofRoles--;
    } else {
      others--;
    }
  }

  private static String roleOf(PodEntry pod) {
    return pod.model().group().map(GroupMembership::role).orElse("");
  }
}
