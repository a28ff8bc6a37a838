package io.berth.operator.group;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.GroupRef;
import io.berth.operator.feed.FedPod;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The number of pods by group and phase. */
final class PodPhases {

  /** The counts of one group. */
  record Counts(int running, int succeeded, int failed) {
    private static final Counts NONE = new Counts(0, 0, 0);

    int completed() {
      return succeeded + failed;
    }

    private Counts with(String phase) {
      return switch (phase) {
        case "Running" -> new Counts(running + 1, succeeded, failed);
        case "Succeeded" -> new Counts(running, succeeded + 1, failed);
        case "Failed" -> new Counts(running, succeeded, failed + 1);
        default -> this;
      };
    }
  }

  private final Map<GroupRef, Counts> byGroup = new HashMap<>();

  /** Counts the pods in groups of a dialect. */
  static PodPhases of(GroupDialect dialect, Stream<FedPod> pods) {
    PodPhases phases = new PodPhases();
    pods.forEach(
        pod -> {
          if (pod.event() instanceof ClusterEvent.PodUpserted(var model, var _)) {
            model
                .group()
                .map(GroupMembership::group)
                .filter(group -> group.dialect() == dialect)
                .ifPresent(
                    group ->
                        phases.byGroup.merge(
                            group,
                            Counts.NONE.with(pod.phase()),
                            (counts, one) -> counts.with(pod.phase())));
          }
        });
    return phases;
  }

  Counts of(GroupRef group) {
    return byGroup.getOrDefault(group, Counts.NONE);
  }
}
