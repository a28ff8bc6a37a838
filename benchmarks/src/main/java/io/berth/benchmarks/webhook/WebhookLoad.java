package io.berth.benchmarks.webhook;

import java.time.Duration;

/**
 * The load on the webhook.
 *
 * @param reviewsPerSecond how many reviews fall due in a second, whether or not earlier ones are
 *     answered
 * @param connections how many connections are kept alive
 * @param bindings how many SchedulerConfigBindings there are
 * @param warmUp how long the load runs before it counts
 * @param measured how long it counts
 */
public record WebhookLoad(
    int reviewsPerSecond, int connections, int bindings, Duration warmUp, Duration measured) {

  /** 500 reviews a second over 16 connections, with 200 bindings. */
  public static WebhookLoad usual() {
    return new WebhookLoad(500, 16, 200, Duration.ofSeconds(15), Duration.ofSeconds(20));
  }
}
