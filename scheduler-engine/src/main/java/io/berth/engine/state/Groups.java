package io.berth.engine.state;

import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.PodModel;
import io.berth.engine.state.GroupEntry.Standing;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The groups that objects describe or pods name. A group is known as long as anything of it is
 * there.
 */
public final class Groups {
  private record Finished(GroupEntry group, GroupMembership membership) {}

  /** Dialects whose pods say all that there is to know need no object that could be missing. */
  private final Set<GroupDialect> served = EnumSet.of(GroupDialect.BERTH, GroupDialect.KOORDINATOR);

  private final PriorityClasses classes;
  private final Map<GroupRef, GroupEntry> groups = new HashMap<>();
  private final Map<String, GroupMembership> memberships = new HashMap<>();
  private final Map<String, Finished> finished = new HashMap<>();

  /** The groups that changed since somebody took this in; only such as are known. */
  private final Set<GroupRef> changed = new LinkedHashSet<>();

  Groups(PriorityClasses classes) {
    this.classes = classes;
  }

  /**
   * Counts the pods of a dialect as members from now on.
   *
   * @return whether they were not before
   */
  public boolean serve(GroupDialect dialect) {
    return served.add(dialect);
  }

  private Optional<GroupMembership> membership(PodModel pod) {
    return pod.group().filter(membership -> served.contains(membership.group().dialect()));
  }

  /** Returns all groups: a live view. */
  public Collection<GroupEntry> all() {
    return Collections.unmodifiableCollection(groups.values());
  }

  /** Returns the group that the pod names; empty where it names none. */
  public Optional<GroupEntry> of(PodEntry pod) {
    return membership(pod.model()).map(membership -> groups.get(membership.group()));
  }

  /** Returns the group, if anything of it is known. */
  public Optional<GroupEntry> find(GroupRef ref) {
    return Optional.ofNullable(groups.get(ref));
  }

  /** Notes that something of the group has changed, or is said of it. */
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

  /** Notes a change of the pod that may allow its eviction, and so that of its group. */
  void evictionChanged(PodEntry pod) {
    of(pod).ifPresent(GroupEntry::changed);
  }

  /**
   * Takes in the object that describes a group, or its update.
   *
   * @return the group; empty if the object says what it said before
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

  /** Forgets the object that described a group. */
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

  /** A group of which nothing is there any more is forgotten; any other has changed. */
  private void settle(GroupEntry group) {
    if (group.isUnknown()) {
      groups.remove(group.ref());
      changed.remove(group.ref());
    } else {
      changed(group);
    }
  }

  /**
   * Takes in how a pod stands in the group that it names, if it names one.
   *
   * @return the group that it has left for this one, or for none
   */
  public Optional<GroupEntry> stands(PodEntry pod, Standing standing) {
    GroupMembership now = membership(pod.model()).orElse(null);
    GroupMembership before = memberships.get(pod.ref().uid());
    Optional<GroupEntry> left = Optional.empty();
    if (before != null && !before.equals(now)) {
      GroupEntry former = entry(before.group());
      former.forget(pod);
      former.leave(before);
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
        group.join(now);
      }
      group.stands(pod, standing);
      changed(group);
    }
    return left;
  }

  /**
   * Forgets a pod that is gone.
   *
   * @param end the pod as it has finished; empty where it has not
   */
  public Optional<GroupEntry> gone(PodEntry pod, Optional<PodModel> end) {
    GroupMembership membership = memberships.remove(pod.ref().uid());
    if (membership == null) {
      return end.flatMap(this::succeeded);
    }
    GroupEntry group = entry(membership.group());
    group.forget(pod);
    Optional<GroupEntry> counted = end.flatMap(this::succeeded);
    group.leave(membership);
    settle(group);
    return counted.isPresent() ? counted : Optional.of(group);
  }

  /** Counts a pod that has finished well, for as long as it is there. */
  public Optional<GroupEntry> succeeded(PodModel pod) {
    Optional<GroupMembership> named = membership(pod);
    if (!pod.succeeded() || named.isEmpty() || finished.containsKey(pod.ref().uid())) {
      return Optional.empty();
    }
    GroupMembership membership = named.get();
    GroupEntry group = entry(membership.group());
    group.join(membership);
    group.succeeded(pod.ref().uid(), membership.role());
    finished.put(pod.ref().uid(), new Finished(group, membership));
    changed(group);
    return Optional.of(group);
  }

  /** Forgets a pod that had finished. */
  public Optional<GroupEntry> finishedGone(String uid) {
    @Nullable Finished pod = finished.remove(uid);
    if (pod == null) {
      return Optional.empty();
    }
    pod.group().forget(uid);
    pod.group().leave(pod.membership());
    settle(pod.group());
    return Optional.of(pod.group());
  }
}
