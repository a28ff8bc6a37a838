package io.berth.operator.sharing;

import io.berth.engine.model.PodRef;
import io.berth.operator.api.LogKeys;
import io.berth.operator.feed.FedPod;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.Metric;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects another scheduler that serves one of Berth's scheduler names: pods that wait for Berth
 * are bound by another client. Occurrences are counted by scheduler name, and logged once a minute.
 */
final class ForeignBindings {
  /**
   * The time after the start of a term during which Bindings of the previous leader may still
   * appear.
   */
  static final Duration LAST_TERM = Duration.ofSeconds(60);

  private static final Logger LOG = LoggerFactory.getLogger(ForeignBindings.class);
  private static final Duration BETWEEN_LOGS = Duration.ofMinutes(1);

  private final Set<String> schedulerNames;
  private final Predicate<PodRef> placedHere;
  private final BerthMetrics metrics;
  private final Clock clock;
  private final Instant from;
  private Instant logFrom = Instant.MIN;

  /**
   * @param placedHere returns whether this replica has decided on a node for the pod
   */
  ForeignBindings(
      Set<String> schedulerNames, Predicate<PodRef> placedHere, BerthMetrics metrics, Clock clock) {
    this.schedulerNames = schedulerNames;
    this.placedHere = placedHere;
    this.metrics = metrics;
    this.clock = clock;
    this.from = clock.instant().plus(LAST_TERM);
  }

  /** Processes a change of a pod. */
  void changed(FedPod before, FedPod now) {
    if (!before.nodeName().isEmpty()
        || now.nodeName().isEmpty()
        || !schedulerNames.contains(now.schedulerName())
        || placedHere.test(now.ref())) {
      return;
    }
    Instant at = clock.instant();
    if (at.isBefore(from)) {
      return;
    }
    metrics.count(Metric.FOREIGN_BINDINGS, now.schedulerName());
    if (!at.isBefore(logFrom)) {
      logFrom = at.plus(BETWEEN_LOGS);
      LogKeys.pod(now.ref())
          .andNode(now.nodeName())
          .warn(LOG)
          .accept(
              ("Pod %s was bound to %s by another client, although Berth serves its schedulerName"
                      + " %s. Another scheduler with this name seems to be running: stop it, or"
                      + " remove the name from --scheduler-name. This is logged at most once a"
                      + " minute")
                  .formatted(now.ref(), now.nodeName(), now.schedulerName()));
    }
  }
}
