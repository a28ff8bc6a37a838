package io.berth.operator.trace;

import io.berth.engine.model.PodRef;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.DecisionLog;
import io.berth.serving.tls.LiveCertificate;
import io.berth.webhook.admission.PodTracing;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The tracing of one replica. The webhook decides which pods are traced, and writes the trace
 * context on the pod; the leader, which may be another replica, adds its spans to the trace.
 */
public final class Tracing implements AutoCloseable {

  private static final Duration FLUSH = Duration.ofSeconds(2);
  private static final int LONGEST_ATTRIBUTE = 1024;

  /**
   * The library's logger, which would log each failure that {@link SpanExport} summarizes;
   * referenced so that it is not garbage collected.
   */
  private static final Logger LIBRARY = Logger.getLogger("io.opentelemetry");

  private final SdkTracerProvider provider;
  private final Tracer tracer;
  private final SignedTraceIds ids;
  private final Clock clock;

  private Tracing(SdkTracerProvider provider, Tracer tracer, SignedTraceIds ids, Clock clock) {
    this.provider = provider;
    this.tracer = tracer;
    this.ids = ids;
    this.clock = clock;
  }

  /**
   * Starts to send traces.
   *
   * @param identity the name of this replica
   * @param certificate the certificate that the replicas share
   */
  public static Tracing start(
      TracingOptions options,
      String identity,
      LiveCertificate certificate,
      BerthMetrics metrics,
      Clock clock) {
    LIBRARY.setLevel(Level.OFF);
    SignedTraceIds ids =
        new SignedTraceIds(() -> certificate.state().sharedSecret(SignedTraceIds.PURPOSE));
    SdkTracerProvider provider =
        SdkTracerProvider.builder()
            .setResource(
                Resource.create(
                    Attributes.builder()
                        .put("service.name", "berth")
                        .put("service.instance.id", identity)
                        .build()))
            .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(options.sampleRatio())))
            .setIdGenerator(ids)
            .setSpanLimits(
                SpanLimits.builder().setMaxAttributeValueLength(LONGEST_ATTRIBUTE).build())
            .addSpanProcessor(
                new SpanExport(
                    OtlpHttpSpanExporter.builder()
                        .setEndpoint(options.endpoint().toString())
                        .build(),
                    metrics))
            .build();
    Tracer tracer =
        new OtelTracer(provider.get("io.berth"), new OtelCurrentTraceContext(), event -> {});
    return new Tracing(provider, tracer, ids, clock);
  }

  /**
   * Returns the tracing of admission reviews.
   *
   * @param schedulerNames the scheduler names whose pods are traced
   */
  public PodTracing reviews(Set<String> schedulerNames) {
    return new ReviewTraces(tracer, ids, schedulerNames, clock);
  }

  /**
   * Returns the tracing of the leader's work.
   *
   * @param traceparentOf returns the annotation of a pod; empty if it has none
   */
  public PodTraces pods(Function<PodRef, String> traceparentOf, DecisionLog decisions) {
    return new TracedAttempts(tracer, ids, traceparentOf, decisions, clock);
  }

  /** Sends the remaining spans, for two seconds at most. */
  @Override
  public void close() {
    provider.shutdown().join(FLUSH.toMillis(), TimeUnit.MILLISECONDS);
  }
}
