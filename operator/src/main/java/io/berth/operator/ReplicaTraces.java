package io.berth.operator;

import io.berth.crds.Annotations;
import io.berth.engine.model.PodRef;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.DecisionLog;
import io.berth.operator.trace.PodTraces;
import io.berth.operator.trace.Tracing;
import io.berth.serving.tls.LiveCertificate;
import io.berth.webhook.admission.PodTracing;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The replica's pod tracing, once it has started; {@link PodTraces#OFF} if tracing is off. */
final class ReplicaTraces implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaTraces.class);

  private final BerthOptions options;
  private final ClusterFeed feed;
  private final DecisionLog decisions;
  private @Nullable Tracing tracing;
  private volatile PodTraces pods = PodTraces.OFF;

  ReplicaTraces(BerthOptions options, ClusterFeed feed, DecisionLog decisions) {
    this.options = options;
    this.feed = feed;
    this.decisions = decisions;
  }

  /**
   * Starts sending traces if tracing is on.
   *
   * @param shared the certificate that the replicas share
   */
  void start(LiveCertificate shared, BerthMetrics metrics, Clock clock) {
    options
        .tracing()
        .ifPresent(
            wanted -> {
              Tracing started = Tracing.start(wanted, options.identity(), shared, metrics, clock);
              tracing = started;
              pods = started.pods(this::traceparentOf, decisions);
              LOG.info("Tracing {} of the pods to {}", wanted.sampleRatio(), wanted.endpoint());
            });
  }

  /** Returns the tracing of the leader's work on pods. */
  PodTraces pods() {
    return pods;
  }

  /** Returns the tracing of admission reviews; empty if tracing is off. */
  Optional<PodTracing> reviews() {
    return Optional.ofNullable(tracing)
        .map(traces -> traces.reviews(Set.copyOf(options.schedulerNames())));
  }

  private String traceparentOf(PodRef pod) {
    return feed.pod(pod.namespace(), pod.name())
        .filter(fed -> fed.ref().uid().equals(pod.uid()))
        .map(fed -> fed.annotations().getOrDefault(Annotations.TRACEPARENT, ""))
        .orElse("");
  }

  @Override
  public void close() {
    if (tracing != null) {
      tracing.close();
    }
  }
}
