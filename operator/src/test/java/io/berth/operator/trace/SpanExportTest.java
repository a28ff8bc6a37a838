package io.berth.operator.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.operator.record.BerthMetrics;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SpanExportTest {

  private static final String QUEUE_FULL = "berth_trace_spans_lost_total{reason=\"queue_full\"}";

  /** A collector that responds when the test lets it. */
  private static final class SlowCollector implements SpanExporter {
    private final CompletableResultCode answer = new CompletableResultCode();
    private final AtomicInteger received = new AtomicInteger();

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      received.addAndGet(spans.size());
      return answer;
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  @Test
  void spansThatFindTheQueueFull_areDroppedAndCounted_andNobodyWaits() {
    SlowCollector collector = new SlowCollector();
    BerthMetrics metrics = new BerthMetrics(List.of("berth"));
    int ended = 3 * SpanExport.QUEUE;
    try (SdkTracerProvider provider =
        SdkTracerProvider.builder().addSpanProcessor(new SpanExport(collector, metrics)).build()) {
      for (int i = 0; i < ended; i++) {
        provider.get("test").spanBuilder("span").startSpan().end();
      }

      assertThat(count(metrics.page(), QUEUE_FULL)).isGreaterThanOrEqualTo(SpanExport.QUEUE);
      collector.answer.succeed();
    }
    assertThat(collector.received.get() + count(metrics.page(), QUEUE_FULL)).isEqualTo(ended);
  }

  private static int count(String page, String series) {
    return page.lines()
        .filter(line -> line.startsWith(series))
        .mapToInt(line -> (int) Double.parseDouble(line.substring(series.length()).trim()))
        .sum();
  }
}
