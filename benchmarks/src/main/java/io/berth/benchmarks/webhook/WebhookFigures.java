package io.berth.benchmarks.webhook;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The measured figures. The latency of a review starts when the review is due, not when it is sent,
 * so that a stall of the webhook counts for all reviews that it delays.
 *
 * @param load the load on the webhook
 * @param reviews the number of measured reviews
 * @param changed the number of reviews whose response contained a patch
 * @param reviewsPerSecond the number of responses per second
 * @param p50Millis the median latency, in milliseconds
 * @param p99Millis the 99th percentile of the latency, in milliseconds
 * @param maxMillis the maximum latency, in milliseconds
 * @param cpuMillisPerReview the CPU time of the process per review, in milliseconds, including the
 *     load generator; unlike the latency, it does not depend on other processes of the machine
 */
public record WebhookFigures(
    WebhookLoad load,
    int reviews,
    int changed,
    double reviewsPerSecond,
    double p50Millis,
    double p99Millis,
    double maxMillis,
    double cpuMillisPerReview) {

  /**
   * Returns the figures by name, for JSON. The names are those of the engine's figures, where a
   * review counts as one pod.
   */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("workload", "webhook");
    fields.put("bindings", load.bindings());
    fields.put("connections", load.connections());
    fields.put("reviews", reviews);
    fields.put("changed", changed);
    fields.put("podsPerSecond", Math.round(reviewsPerSecond * 10) / 10.0);
    fields.put("p50Micros", Math.round(p50Millis * 1000));
    fields.put("p99Micros", Math.round(p99Millis * 1000));
    fields.put("maxMicros", Math.round(maxMillis * 1000));
    fields.put("cpuMillisPerReview", Math.round(cpuMillisPerReview * 1000) / 1000.0);
    return fields;
  }

  /** Returns the figures as one line of text. */
  public String line() {
    return String.format(
        "webhook: %d reviews at %.0f/s over HTTPS, %d bindings, %d connections: p50 %.2f ms, p99"
            + " %.2f ms, max %.2f ms; %.2f ms of processor time each; %d changed",
        reviews,
        reviewsPerSecond,
        load.bindings(),
        load.connections(),
        p50Millis,
        p99Millis,
        maxMillis,
        cpuMillisPerReview,
        changed);
  }
}
