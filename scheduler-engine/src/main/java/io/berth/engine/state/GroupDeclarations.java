package io.berth.engine.state;

import io.berth.engine.model.Controller;
import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.PodModel;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The descriptions of a group by its members.
 *
 * <p>Members may differ. Of the pods with the same controller that declare the minimum, the latest
 * count: a workload that is scaled creates pods with its new size, and the older ones keep theirs.
 * Otherwise, the highest minimum counts, because a pod may declare less than others know.
 */
final class GroupDeclarations {
  private record Declaration(
      Optional<Controller> controller, GroupModel model, boolean hasMinimum) {
    boolean replacesOthers() {
      return hasMinimum && controller.isPresent();
    }
  }

  /** The members with a declaration, and the creation of the latest of them. */
  private static final class Declared {
    int members;
    Instant latest = Instant.EPOCH;
  }

  private final Map<String, Declaration> byMember = new HashMap<>();
  private final Map<Declaration, Declared> declared = new HashMap<>();

  /** Adds the declaration of a member; returns whether the description may have changed. */
  boolean add(PodModel pod, GroupMembership membership) {
    if (membership.declared().isEmpty()) {
      return false;
    }
    Declaration declaration =
        new Declaration(pod.controller(), membership.declared().get(), membership.hasMinimum());
    byMember.put(pod.ref().uid(), declaration);
    Declared same = declared.computeIfAbsent(declaration, absent -> new Declared());
    same.members++;
    boolean later = pod.createdAt().isAfter(same.latest);
    if (later) {
      same.latest = pod.createdAt();
    }
    return same.members == 1 || (later && declared.size() > 1);
  }

  /** Removes the declaration of a member; returns whether the description may have changed. */
  boolean remove(String uid) {
    Declaration declaration = byMember.remove(uid);
    if (declaration == null) {
      return false;
    }
    Declared same = Objects.requireNonNull(declared.get(declaration));
    same.members--;
    return same.members == 0 && declared.remove(declaration) != null;
  }

  boolean isEmpty() {
    return declared.isEmpty();
  }

  /**
   * Returns the description with the highest minimum among those that count, with the minimums of
   * all roles.
   */
  Optional<GroupModel> model() {
    if (declared.size() == 1) {
      return Optional.of(declared.keySet().iterator().next().model());
    }
    Map<Controller, Instant> latest = new HashMap<>();
    declared.forEach(
        (declaration, members) -> {
          if (declaration.replacesOthers()) {
            latest.merge(
                declaration.controller().orElseThrow(),
                members.latest,
                (one, other) -> one.isAfter(other) ? one : other);
          }
        });
    return declared.entrySet().stream()
        .filter(entry -> counts(entry.getKey(), entry.getValue(), latest))
        .map(entry -> entry.getKey().model())
        .distinct()
        .sorted(
            Comparator.comparingInt(GroupModel::minMember)
                .thenComparing(GroupModel::toString)
                .reversed())
        .reduce(GroupDeclarations::withRolesOf);
  }

  private static boolean counts(
      Declaration declaration, Declared members, Map<Controller, Instant> latest) {
    @Nullable Instant last = declaration.controller().map(latest::get).orElse(null);
    return !declaration.replacesOthers() || members.latest.equals(last);
  }

  /**
   * Adds the minimums of another declaration, since a member may declare only that of its own role.
   */
  private static GroupModel withRolesOf(GroupModel all, GroupModel more) {
    Map<String, Integer> minimums = new HashMap<>(all.minPerRole());
    more.minPerRole().forEach((role, min) -> minimums.merge(role, min, Math::max));
    return all.withRoles(minimums);
  }
}
