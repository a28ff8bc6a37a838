package io.berth.operator.admission;

import io.berth.operator.api.LogKeys;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.Metric;
import io.berth.webhook.admission.AdmissionObserver;
import io.berth.webhook.admission.AdmissionPath;
import io.berth.webhook.admission.PlatformMistake;
import io.berth.webhook.error.ErrorCode;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the webhook's reviews and their results. */
final class WebhookMetrics implements AdmissionObserver {

  private static final Logger LOG = LoggerFactory.getLogger(WebhookMetrics.class);

  private final BerthMetrics metrics;

  WebhookMetrics(BerthMetrics metrics) {
    this.metrics = metrics;
    metrics.startAtZero(
        Metric.WEBHOOK_PLATFORM_MISTAKES,
        Stream.of(ErrorCode.values()).map(ErrorCode::id).toList());
  }

  void answered(String path, int status, long nanos) {
    metrics.webhook(path, status, Duration.ofNanos(nanos));
  }

  @Override
  public void reviewed(AdmissionPath path, Verdict verdict) {
    metrics.count(Metric.WEBHOOK_REVIEWS, path.path(), verdict.name().toLowerCase(Locale.ROOT));
  }

  @Override
  public void denied(AdmissionPath path, ErrorCode code) {
    metrics.count(Metric.WEBHOOK_DENIALS, path.path(), code.id());
  }

  @Override
  public void platformMistake(PlatformMistake mistake) {
    metrics.count(Metric.WEBHOOK_PLATFORM_MISTAKES, mistake.code().id());
    LogKeys.code(mistake.code()).debug(LOG).accept(mistake.text());
  }

  @Override
  public void failed(AdmissionPath path, RuntimeException failure) {
    LOG.error("An internal error occurred in a review at {}", path.path(), failure);
  }
}
