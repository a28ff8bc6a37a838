package io.berth.operator.reconcile;

import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.policy.LegacyCheck;
import io.berth.operator.policy.PolicyState;
import io.berth.operator.policy.ServedPolicies;
import io.berth.operator.reconcile.Conditions.Finding;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.record.ObjectEvent;
import io.berth.operator.record.ObjectEvent.Subject;
import io.fabric8.kubernetes.api.model.ConfigMap;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reports the state of legacy policies as events on their ConfigMaps, which have no status, and
 * stores the last good revision of each. Problems are reported again every {@link #AGAIN}, because
 * events expire.
 */
final class LegacyReports {

  static final Duration AGAIN = Duration.ofMinutes(30);
  private static final String SUPERSEDED = "Superseded";

  private final ClusterFeed feed;
  private final ServedPolicies served;
  private final KeptRevisions kept;
  private final EventRecorder events;
  private final Clock clock;
  private final Map<String, Reported> reported = new HashMap<>();

  private record Reported(Finding finding, Instant at) {}

  LegacyReports(
      ClusterFeed feed,
      ServedPolicies served,
      KeptRevisions kept,
      EventRecorder events,
      Clock clock) {
    this.feed = feed;
    this.served = served;
    this.kept = kept;
    this.events = events;
    this.clock = clock;
  }

  /** Reports what has changed; called by one thread, a few times a second. */
  void look() {
    List<ConfigMap> legacy = feed.legacyPolicies();
    reported
        .keySet()
        .retainAll(
            legacy.stream().map(map -> map.getMetadata().getUid()).collect(Collectors.toSet()));
    if (legacy.isEmpty()) {
      return;
    }
    Set<String> superseding =
        feed.policies().stream()
            .map(policy -> policy.getMetadata().getName())
            .collect(Collectors.toSet());
    for (ConfigMap map : legacy) {
      finding(map, superseding.contains(map.getMetadata().getName()))
          .ifPresent(finding -> tell(map, finding));
    }
  }

  /** Returns the state of the policy; empty while the engine has not loaded it yet. */
  private Optional<Finding> finding(ConfigMap map, boolean superseded) {
    String name = map.getMetadata().getName();
    if (superseded) {
      return Optional.of(
          new Finding(
              false,
              SUPERSEDED,
              "SchedulingPolicy %s serves under this name, and this ConfigMap is not read: delete one of the two"
                  .formatted(name)));
    }
    Optional<PolicyState> state =
        served
            .state(name)
            .filter(known -> known.owner().getUid().equals(map.getMetadata().getUid()));
    if (state.isEmpty()) {
      return Optional.empty();
    }
    kept.keep(name);
    Finding finding =
        PolicyStanding.of(
            state.get(),
            String.join(
                "\n",
                Stream.concat(
                        Stream.of(
                            "revision %s serves pods from now on".formatted(state.get().latest())),
                        LegacyCheck.remarks(map).stream())
                    .toList()));
    return finding.reason().equals(PolicyStanding.PENDING)
        ? Optional.empty()
        : Optional.of(finding);
  }

  private void tell(ConfigMap map, Finding finding) {
    Instant now = clock.instant();
    Reported before = reported.get(map.getMetadata().getUid());
    boolean news = before == null || !before.finding().equals(finding);
    boolean due = before != null && !finding.isTrue() && !before.at().plus(AGAIN).isAfter(now);
    if (!news && !due) {
      return;
    }
    reported.put(map.getMetadata().getUid(), new Reported(finding, now));
    events.report(
        new ObjectEvent(
            new Subject(
                "v1",
                "ConfigMap",
                map.getMetadata().getNamespace(),
                map.getMetadata().getName(),
                map.getMetadata().getUid()),
            Optional.empty(),
            !finding.isTrue(),
            finding.reason(),
            "Reconciling",
            finding.message()));
  }
}
