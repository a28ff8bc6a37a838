package io.berth.engine.state;

import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.MatchPolicy;
import io.berth.engine.model.PodModel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A group in the state: its description, its members, and the standing of each. */
public final class GroupEntry implements SchedulingUnit {
  /** The standing of a member. */
  public enum MemberState {
    /** Pending and schedulable. */
    READY,
    /**
     * Pending, but not schedulable: a scheduling gate is closed, or its Binding failed permanently.
     */
    UNREADY,
    /** Assumed or bound. */
    PLACED,
    /** Bound in an earlier start of the group; not counted towards the minimum. */
    BEFORE,
    /** On a node, and terminating. */
    LEAVING,
    /** Finished successfully. */
    SUCCEEDED
  }

  private record Member(String role, MemberState standing) {}

  private final GroupRef ref;
  private final PriorityClasses classes;
  private final Map<String, Member> members = new LinkedHashMap<>();
  private final Set<PodEntry> waiting = new LinkedHashSet<>();
  private final Set<PodEntry> placed = new LinkedHashSet<>();
  private final Map<MemberState, Integer> counts = new EnumMap<>(MemberState.class);
  private final Map<String, Map<MemberState, Integer>> countsOfRoles = new HashMap<>();

  private final GroupDeclarations declared = new GroupDeclarations();

  private long version;

  /** True if this engine has seen the minimum bound. */
  private boolean bound;

  private boolean outlivedMinimum;
  private long satisfiedVersion = -1;
  private @Nullable List<List<PodEntry>> ready;
  private @Nullable GroupModel object;
  private Optional<GroupModel> model = Optional.empty();

  GroupEntry(GroupRef ref, PriorityClasses classes) {
    this.ref = ref;
    this.classes = classes;
  }

  public GroupRef ref() {
    return ref;
  }

  @Override
  public String key() {
    return ref.key();
  }

  /**
   * Returns the priority of the group: its own, else that of its PriorityClass, else the highest
   * priority of its pending members.
   */
  @Override
  public int priority() {
    return model
        .flatMap(GroupModel::priority)
        .or(() -> model.flatMap(group -> classes.valueOf(group.priorityClass())))
        .orElseGet(() -> waiting.stream().mapToInt(PodEntry::priority).max().orElse(0));
  }

  /** Returns whether the group takes its priority from this class, if the class exists. */
  public boolean isOfClass(String name) {
    return model
        .filter(group -> group.priority().isEmpty() && group.priorityClass().equals(name))
        .isPresent();
  }

  /** Returns the PriorityClass that the group references, if it does not exist. */
  public Optional<String> missingClass() {
    return model
        .map(GroupModel::priorityClass)
        .filter(name -> !name.isEmpty() && isOfClass(name) && classes.valueOf(name).isEmpty());
  }

  /**
   * Returns the description of the group: that of its object, else the one that its members
   * declare; empty if there is none.
   */
  public Optional<GroupModel> model() {
    return model;
  }

  boolean isDescribedBy(GroupModel description) {
    return description.equals(object);
  }

  void describe(@Nullable GroupModel description) {
    object = description;
    chooseModel();
  }

  void changed() {
    version++;
    ready = null;
  }

  /** Returns a version that grows with every change of the group or one of its members. */
  public long version() {
    return version;
  }

  private void chooseModel() {
    changed();
    model = object != null ? Optional.of(object) : declared.model();
  }

  void join(PodModel pod, GroupMembership membership) {
    if (declared.add(pod, membership)) {
      chooseModel();
    }
  }

  void leave(String uid) {
    if (declared.remove(uid)) {
      chooseModel();
    }
  }

  /** Records the standing of a pod of the group. */
  void stands(PodEntry pod, MemberState standing) {
    boolean waits = standing == MemberState.READY || standing == MemberState.UNREADY;
    if (waits) {
      placed.remove(pod);
      waiting.add(pod);
    } else {
      waiting.remove(pod);
      placed.add(pod);
    }
    changed();
    count(pod.ref().uid(), pod.model().group().map(GroupMembership::role).orElse(""), standing);
  }

  void succeeded(String uid, String role) {
    changed();
    count(uid, role, MemberState.SUCCEEDED);
  }

  private void count(String uid, String role, MemberState standing) {
    add(members.put(uid, new Member(role, standing)), -1);
    add(members.get(uid), 1);
  }

  private void add(@Nullable Member member, int delta) {
    if (member == null) {
      return;
    }
    counts.merge(member.standing(), delta, Integer::sum);
    if (!member.role().isEmpty()) {
      countsOfRoles
          .computeIfAbsent(member.role(), role -> new EnumMap<>(MemberState.class))
          .merge(member.standing(), delta, Integer::sum);
    }
  }

  void forget(String uid) {
    changed();
    add(members.remove(uid), -1);
  }

  void forget(PodEntry pod) {
    waiting.remove(pod);
    placed.remove(pod);
    forget(pod.ref().uid());
  }

  boolean isUnknown() {
    return object == null && members.isEmpty() && declared.isEmpty();
  }

  /** Returns the standing of a pod of the group; empty if the pod is not a member. */
  public Optional<MemberState> standingOf(PodEntry pod) {
    return Optional.ofNullable(members.get(pod.ref().uid())).map(Member::standing);
  }

  /** Returns a live view of the members without a node, in order of arrival. */
  public Set<PodEntry> waiting() {
    return Collections.unmodifiableSet(waiting);
  }

  /**
   * Returns the members that can be scheduled, in order of arrival. Members that differ only in
   * their names are listed together.
   */
  public List<List<PodEntry>> ready() {
    List<List<PodEntry>> known = ready;
    if (known == null) {
      known = new ArrayList<>();
      for (PodEntry pod : waiting) {
        if (standingOf(pod).equals(Optional.of(MemberState.READY))) {
          if (known.isEmpty() || !pod.isLike(known.getLast().getLast())) {
            known.add(new ArrayList<>());
          }
          known.getLast().add(pod);
        }
      }
      ready = known;
    }
    return known;
  }

  /** Returns a live view of the members that are assumed or bound. */
  public Set<PodEntry> placed() {
    return Collections.unmodifiableSet(placed);
  }

  /** Returns the existing members: the pending ones, then the placed ones. */
  public List<PodEntry> members() {
    List<PodEntry> all = new ArrayList<>(waiting);
    all.addAll(placed);
    return all;
  }

  /** Returns the number of members with this standing. */
  public int count(MemberState standing) {
    return counts.getOrDefault(standing, 0);
  }

  private int countOf(String role, MemberState standing) {
    return countsOfRoles.getOrDefault(role, Map.of()).getOrDefault(standing, 0);
  }

  /** Returns the number of members that can be placed, are placed, or have succeeded. */
  public int existing() {
    return count(MemberState.READY) + held();
  }

  /** Returns the number of members that are placed or have succeeded. */
  public int held() {
    return count(MemberState.PLACED) + count(MemberState.BEFORE) + count(MemberState.SUCCEEDED);
  }

  /** Returns the number of {@linkplain #held held} members that count towards the minimum. */
  private int counted() {
    return count(MemberState.PLACED) + (countsStartsOnly() ? 0 : count(MemberState.SUCCEEDED));
  }

  private int countedOf(String role) {
    return countOf(role, MemberState.PLACED)
        + (countsStartsOnly() ? 0 : countOf(role, MemberState.SUCCEEDED));
  }

  private boolean countsStartsOnly() {
    return hasPolicy(MatchPolicy.ONLY_WAITING);
  }

  private boolean hasPolicy(MatchPolicy policy) {
    return model.filter(group -> group.matchPolicy() == policy).isPresent();
  }

  /** Records that the members are bound, if they reach the minimum by themselves. */
  public void rememberBound() {
    boolean met = isMet();
    bound |= met && !outlivedMinimum;
  }

  /** Returns whether the minimum has been bound once, if the group requires no more than that. */
  private boolean isSatisfied() {
    if (!hasPolicy(MatchPolicy.ONCE_SATISFIED)) {
      return false;
    }
    if (!bound && satisfiedVersion != version) {
      satisfiedVersion = version;
      outlivedMinimum = outlivedMinimum();
    }
    return bound || outlivedMinimum;
  }

  /**
   * Returns whether running members were started together with others that have been deleted since.
   * An interrupted start leaves the pods that it did not reach pending, and those are older than
   * the first running member. So if these pods and the running members are fewer than the minimum,
   * the group was complete once. A restarted scheduler recognizes complete groups in this way.
   */
  private boolean outlivedMinimum() {
    Optional<Instant> started =
        placed.stream()
            .flatMap(pod -> pod.model().startedAt().stream())
            .min(Comparator.naturalOrder());
    return started.isPresent()
        && !suffices(
            pod -> placed.contains(pod) || !pod.model().createdAt().isAfter(started.get()));
  }

  /**
   * Returns whether the members on nodes are from a start that was never completed: this engine has
   * not seen the minimum bound, and the pods that existed when the first member started are enough
   * for it, so that some of them are still pending.
   */
  public boolean neverReachedMinimum() {
    return !bound && model.isPresent() && !placed.isEmpty() && !outlivedMinimum();
  }

  /** Returns whether these members, together with those that succeeded, reach every minimum. */
  private boolean suffices(Predicate<PodEntry> among) {
    int all = count(MemberState.SUCCEEDED);
    Map<String, Integer> ofRoles = new HashMap<>();
    for (PodEntry pod : members()) {
      if (among.test(pod)) {
        all++;
        ofRoles.merge(pod.model().group().map(GroupMembership::role).orElse(""), 1, Integer::sum);
      }
    }
    GroupModel wanted = model.orElseThrow();
    return all >= wanted.minMember()
        && wanted.minPerRole().entrySet().stream()
            .allMatch(
                role ->
                    ofRoles.getOrDefault(role.getKey(), 0)
                            + countOf(role.getKey(), MemberState.SUCCEEDED)
                        >= role.getValue());
  }

  /** Returns the number of members that still have to be placed together. */
  public int missing() {
    return isSatisfied() ? 0 : Math.max(0, model.map(GroupModel::minMember).orElse(0) - counted());
  }

  /** Returns the number of {@linkplain #missing missing} members by role. */
  public Map<String, Integer> missingRoles() {
    Map<String, Integer> missing = new HashMap<>();
    if (isSatisfied()) {
      return missing;
    }
    model.ifPresent(
        group ->
            group
                .minPerRole()
                .forEach(
                    (role, min) -> {
                      int held = countedOf(role);
                      if (min > held) {
                        missing.put(role, min - held);
                      }
                    }));
    return missing;
  }

  /** Returns whether the minimum is placed; further members are then scheduled one by one. */
  public boolean isMet() {
    return model.isPresent() && missing() == 0 && missingRoles().isEmpty();
  }

  /** Returns whether members run, and no pending member has to be placed together with others. */
  public boolean isStarted() {
    return isMet() || (waiting.isEmpty() && count(MemberState.BEFORE) > 0);
  }

  /** Returns the user-visible reason why the group cannot be tried yet; empty if it can. */
  public Optional<String> gatedBy() {
    if (model.isEmpty()) {
      return Optional.of(ref + " does not exist");
    }
    int there = count(MemberState.READY) + counted();
    int wanted = Math.min(missing(), model.get().minMember() - there);
    if (wanted > 0) {
      return Optional.of(
          "%s waits for %d more %s: %d of at least %d exist%s"
              .formatted(
                  ref,
                  wanted,
                  wanted == 1 ? "pod" : "pods",
                  there,
                  model.get().minMember(),
                  runningDoNotCount()));
    }
    for (Map.Entry<String, Integer> role : missingRoles().entrySet()) {
      int lacking = role.getValue() - countOf(role.getKey(), MemberState.READY);
      if (lacking > 0) {
        return Optional.of(
            "%s waits for %d more %s of role %s%s"
                .formatted(
                    ref,
                    lacking,
                    lacking == 1 ? "pod" : "pods",
                    role.getKey(),
                    runningDoNotCount()));
      }
    }
    return Optional.empty();
  }

  private String runningDoNotCount() {
    return countsStartsOnly() && count(MemberState.BEFORE) > 0
        ? ", and pods that are placed already do not count (match-policy only-waiting)"
        : "";
  }

  @Override
  public String toString() {
    return ref + " (" + held() + " of " + existing() + " placed)";
  }
}
