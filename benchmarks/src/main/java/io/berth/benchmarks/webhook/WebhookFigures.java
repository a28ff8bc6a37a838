package io.berth.benchmarks.webhook;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The measured figures. A latency runs from the moment a review fell due, not from the moment it
 * could be sent, so that a webhook that stalls is charged for every review that had to wait.
 *
 * @param load what the webhook was put under
 * @param reviews how many reviews were measured
 * @param changed how many of them were answered with a patch
 * @param reviewsPerSecond how many were answered in a second
 * @param p50Millis half of the latencies are at most this, in milliseconds
 * @param p99Millis 99 % of the latencies are at most this, in milliseconds
 * @param maxMillis the greatest latency, in milliseconds
 * @param cpuMillisPerReview the processor time of the whole process, load included, per review; it
 *     says what a busy machine's latencies cannot
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

  /** The figures by name, for JSON: named as the engine's are, a review being one pod. */
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

  /** One line for people. */
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
