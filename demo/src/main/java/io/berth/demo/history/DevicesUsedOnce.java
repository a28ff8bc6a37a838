package io.berth.demo.history;

import io.berth.demo.history.ClusterChange.ClaimChange;
import io.berth.demo.history.ClusterChange.NodeChange;
import io.berth.demo.history.ClusterChange.PodChange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The rule that no device is used by the pods of two resource claims. Two schedulers may give it to
 * two claims at the same moment, but one of them sees that before it binds its pod.
 */
record DevicesUsedOnce() implements Rule {
  private static final String RULE = "a device is used by the pods of one claim";

  @Override
  public List<Violation> violations(History history) {
    List<Violation> found = new ArrayList<>();
    Replay replay = new Replay();
    for (ClusterChange change : history.changes()) {
      for (ClaimState claim : replay.apply(change)) {
        replay
            .conflict(claim)
            .map(text -> new Violation(RULE, change.at(), text))
            .ifPresent(found::add);
      }
    }
    return found;
  }

  /** The claims and bound pods at a point in a history. */
  private static final class Replay {
    private final ClusterReplay cluster = new ClusterReplay();
    private final Map<String, ClaimState> claims = new HashMap<>();
    private final Map<String, Set<String>> claimsByDevice = new HashMap<>();
    private final Map<String, Set<String>> claimsByUser = new HashMap<>();

    /** Applies the next change; returns the claims whose use it may have begun. */
    List<ClaimState> apply(ClusterChange change) {
      boolean wasBound = change instanceof PodChange seen && isRunning(seen.pod().uid());
      cluster.apply(change);
      return switch (change) {
        case PodChange seen when !wasBound && isRunning(seen.pod().uid()) ->
            claimsByUser.getOrDefault(seen.pod().uid(), Set.of()).stream()
                .map(claims::get)
                .toList();
        case ClaimChange seen -> {
          forget(seen.claim().title());
          if (seen.deleted()) {
            yield List.of();
          }
          remember(seen.claim());
          yield List.of(seen.claim());
        }
        case PodChange _, NodeChange _ -> List.of(); // begins no use
      };
    }

    private boolean isRunning(String uid) {
      return cluster.pod(uid).filter(pod -> pod.node().isPresent() && !pod.finished()).isPresent();
    }

    private void forget(String title) {
      ClaimState before = claims.remove(title);
      if (before != null) {
        before.devices().forEach(device -> claimsByDevice.get(device).remove(title));
        before.users().forEach(user -> claimsByUser.get(user).remove(title));
      }
    }

    private void remember(ClaimState claim) {
      claims.put(claim.title(), claim);
      claim
          .devices()
          .forEach(
              device ->
                  claimsByDevice.computeIfAbsent(device, of -> new HashSet<>()).add(claim.title()));
      claim
          .users()
          .forEach(
              user -> claimsByUser.computeIfAbsent(user, of -> new HashSet<>()).add(claim.title()));
    }

    private boolean isUsed(ClaimState claim) {
      return claim.users().stream().anyMatch(this::isRunning);
    }

    /** Returns which device the claim's pods use together with those of another claim. */
    Optional<String> conflict(ClaimState claim) {
      if (!isUsed(claim)) {
        return Optional.empty();
      }
      return claim.devices().stream()
          .sorted()
          .flatMap(
              device ->
                  claimsByDevice.get(device).stream()
                      .filter(title -> !title.equals(claim.title()) && isUsed(claims.get(title)))
                      .map(
                          title ->
                              "device %s is used by pods of claim %s and of %s"
                                  .formatted(device, claim.title(), title)))
          .findFirst();
    }
  }
}
