package io.berth.benchmarks.webhook;

import java.time.Duration;

/**
 * The load on the webhook.
 *
 * @param reviewsPerSecond the number of reviews that are due per second, regardless of pending
 *     responses
 * @param connections the number of persistent connections
 * @param bindings the number of SchedulerConfigBindings
 * @param warmUp the duration of the load before the measurement
 * @param measured the duration of the measurement
 */
public record WebhookLoad(
    int reviewsPerSecond, int connections, int bindings, Duration warmUp, Duration measured) {

  /** Returns the default load: 500 reviews per second over 16 connections, with 200 bindings. */
  public static WebhookLoad usual() {
    return new WebhookLoad(500, 16, 200, Duration.ofSeconds(15), Duration.ofSeconds(20));
  }
}
