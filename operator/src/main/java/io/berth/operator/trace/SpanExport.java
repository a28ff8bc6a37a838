package io.berth.operator.trace;

import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.Metric;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exports ended spans to the collector through a bounded queue and one thread that sends batches. A
 * span that does not fit in the queue is dropped and counted, so that callers never wait for the
 * collector. Spans are also lost if the collector rejects a batch; the first loss after a success
 * is logged.
 */
final class SpanExport implements SpanProcessor {

  /** The capacity of the queue, in spans. */
  static final int QUEUE = 4096;

  private static final Logger LOG = LoggerFactory.getLogger(SpanExport.class);
  private static final int BATCH = 512;
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final BatchSpanProcessor batches;
  private final BerthMetrics metrics;
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicBoolean losing = new AtomicBoolean();

  /**
   * @param collector sends a batch of spans
   */
  SpanExport(SpanExporter collector, BerthMetrics metrics) {
    this.metrics = metrics;
    this.batches =
        BatchSpanProcessor.builder(new Batches(collector))
            .setMaxQueueSize(QUEUE)
            .setMaxExportBatchSize(BATCH)
            .setScheduleDelay(PAUSE)
            .setExporterTimeout(TIMEOUT)
            .build();
  }

  @Override
  public void onStart(Context parent, ReadWriteSpan span) {
    batches.onStart(parent, span);
  }

  @Override
  public boolean isStartRequired() {
    return false;
  }

  @Override
  public void onEnd(ReadableSpan span) {
    if (!span.getSpanContext().isSampled()) {
      return;
    }
    if (waiting.incrementAndGet() > QUEUE) {
      waiting.decrementAndGet();
      lost(1, "queue_full", "spans are created faster than the collector accepts them");
      return;
    }
    batches.onEnd(span);
  }

  @Override
  public boolean isEndRequired() {
    return true;
  }

  @Override
  public CompletableResultCode shutdown() {
    return batches.shutdown();
  }

  @Override
  public CompletableResultCode forceFlush() {
    return batches.forceFlush();
  }

  private void lost(int spans, String reason, String why) {
    metrics.count(Metric.TRACE_SPANS_LOST, spans, reason);
    if (losing.compareAndSet(false, true)) {
      LOG.warn(
          "Trace spans are lost: {}. Scheduling is not affected. berth_trace_spans_lost_total"
              + " counts the lost spans; this message is logged again only after the next success",
          why);
    }
  }

  /** The exporter that receives batches from the queue. */
  private final class Batches implements SpanExporter {
    private final SpanExporter collector;

    Batches(SpanExporter collector) {
      this.collector = collector;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      int count = spans.size();
      waiting.addAndGet(-count);
      CompletableResultCode result = collector.export(spans);
      return result.whenComplete(() -> sent(result, count));
    }

    private void sent(CompletableResultCode result, int count) {
      if (result.isSuccess()) {
        losing.set(false);
      } else {
        lost(
            count,
            "export_failed",
            "the collector at --tracing-endpoint did not accept them" + reason(result));
      }
    }

    private static String reason(CompletableResultCode result) {
      Throwable failure = result.getFailureThrowable();
      if (failure == null) {
        return "";
      }
      Throwable cause = failure.getCause();
      return " (" + (cause == null ? failure : cause) + ")";
    }

    @Override
    public CompletableResultCode flush() {
      return collector.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
      return collector.shutdown();
    }
  }
}
