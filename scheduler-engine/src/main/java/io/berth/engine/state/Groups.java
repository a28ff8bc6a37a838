package io.berth.engine.state;

import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.PodModel;
import io.berth.engine.state.GroupEntry.MemberState;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The groups that objects describe or pods reference. A group is known as long as its object or any
 * of its pods exists.
 */
public final class Groups {
  private record Finished(GroupEntry group) {}

  /**
   * The served dialects. Dialects that describe groups in their pods alone need no objects, and are
   * always served.
   */
  private final Set<GroupDialect> served = EnumSet.of(GroupDialect.BERTH, GroupDialect.KOORDINATOR);

  private final PriorityClasses classes;
  private final Map<GroupRef, GroupEntry> groups = new LinkedHashMap<>();
  private final Map<String, GroupMembership> memberships = new HashMap<>();
  private final Map<String, Finished> finished = new HashMap<>();

  /** The known groups that changed since {@link #takeChanged}. */
  private final Set<GroupRef> changed = new LinkedHashSet<>();

  Groups(PriorityClasses classes) {
    this.classes = classes;
  }

  /**
   * Counts the pods of a dialect as members from now on.
   *
   * @return whether this changed anything
   */
  public boolean serve(GroupDialect dialect) {
    return served.add(dialect);
  }

  private Optional<GroupMembership> membership(PodModel pod) {
    return pod.group().filter(membership -> served.contains(membership.group().dialect()));
  }

  /** Returns a live view of all groups. */
  public Collection<GroupEntry> all() {
    return Collections.unmodifiableCollection(groups.values());
  }

  /** Returns the group that the pod references; empty if it references none. */
  public Optional<GroupEntry> of(PodEntry pod) {
    return membership(pod.model()).map(membership -> groups.get(membership.group()));
  }

  /** Returns the group, if it is known. */
  public Optional<GroupEntry> find(GroupRef ref) {
    return Optional.ofNullable(groups.get(ref));
  }

  /** Records a change of the group or of its status message. */
  public void changed(GroupEntry group) {
    if (groups.get(group.ref()) == group) {
      changed.add(group.ref());
    }
  }

  /** Returns the groups that changed since the last call. */
  public List<GroupEntry> takeChanged() {
    List<GroupEntry> taken =
        changed.stream().map(ref -> Objects.requireNonNull(groups.get(ref))).toList();
    changed.clear();
    return taken;
  }

  /** Records a change of the pod that may permit its eviction, and that of its group. */
  void evictionChanged(PodEntry pod) {
    of(pod).ifPresent(GroupEntry::changed);
  }

  /**
   * Adds or updates the object that describes a group.
   *
   * @return the group; empty if the object is unchanged
   */
  public Optional<GroupEntry> put(GroupModel model) {
    GroupEntry group = entry(model.ref());
    if (group.isDescribedBy(model)) {
      return Optional.empty();
    }
    group.describe(model);
    changed(group);
    return Optional.of(group);
  }

  /** Removes the object that described a group. */
  public Optional<GroupEntry> remove(GroupRef ref) {
    GroupEntry group = groups.get(ref);
    if (group == null) {
      return Optional.empty();
    }
    group.describe(null);
    settle(group);
    return Optional.of(group);
  }

  private GroupEntry entry(GroupRef ref) {
    return groups.computeIfAbsent(ref, absent -> new GroupEntry(absent, classes));
  }

  /** Removes a group without object and pods; records any other as changed. */
  private void settle(GroupEntry group) {
    if (group.isUnknown()) {
      groups.remove(group.ref());
      changed.remove(group.ref());
    } else {
      changed(group);
    }
  }

  /**
   * Records the standing of a pod in the group that it references, if any.
   *
   * @return the group that the pod has left, for this one or for none
   */
  public Optional<GroupEntry> stands(PodEntry pod, MemberState standing) {
    GroupMembership now = membership(pod.model()).orElse(null);
    GroupMembership before = memberships.get(pod.ref().uid());
    Optional<GroupEntry> left = Optional.empty();
    if (before != null && !before.equals(now)) {
      GroupEntry former = entry(before.group());
      former.forget(pod);
      former.leave(pod.ref().uid());
      memberships.remove(pod.ref().uid());
      if (now == null || !now.group().equals(before.group())) {
        left = Optional.of(former);
        settle(former);
      }
    }
    if (now != null) {
      GroupEntry group = entry(now.group());
      if (!now.equals(before)) {
        memberships.put(pod.ref().uid(), now);
        group.join(pod.model(), now);
      }
      group.stands(pod, standing);
      changed(group);
    }
    return left;
  }

  /**
   * Removes a deleted pod.
   *
   * @param end the pod's last model if it has finished; empty otherwise
   */
  public Optional<GroupEntry> gone(PodEntry pod, Optional<PodModel> end) {
    GroupMembership membership = memberships.remove(pod.ref().uid());
    if (membership == null) {
      return end.flatMap(this::succeeded);
    }
    GroupEntry group = entry(membership.group());
    group.forget(pod);
    group.leave(pod.ref().uid());
    Optional<GroupEntry> counted = end.flatMap(this::succeeded);
    settle(group);
    return counted.isPresent() ? counted : Optional.of(group);
  }

  /** Counts a succeeded pod for as long as it exists. */
  public Optional<GroupEntry> succeeded(PodModel pod) {
    Optional<GroupMembership> named = membership(pod);
    if (!pod.succeeded() || named.isEmpty() || finished.containsKey(pod.ref().uid())) {
      return Optional.empty();
    }
    GroupMembership membership = named.get();
    GroupEntry group = entry(membership.group());
    group.join(pod, membership);
    group.succeeded(pod.ref().uid(), membership.role());
    finished.put(pod.ref().uid(), new Finished(group));
    changed(group);
    return Optional.of(group);
  }

  /** Removes a finished pod. */
  public Optional<GroupEntry> finishedGone(String uid) {
    @Nullable Finished pod = finished.remove(uid);
    if (pod == null) {
      return Optional.empty();
    }
    pod.group().forget(uid);
    pod.group().leave(uid);
    settle(pod.group());
    return Optional.of(pod.group());
  }
}
