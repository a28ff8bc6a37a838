package io.berth.demo.simulation;

import io.berth.demo.tenants.Disturbances.Extender;
import io.berth.demo.tenants.Disturbances.Webhook;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** The faults between a replica and the API at this time. */
final class Faults {

  /** The state of the API server. */
  enum Server {
    WELL,
    /** It rejects half of the requests as too many. */
    THROTTLES,
    /** Half of its answers are errors, before or after it has executed the request. */
    FAILS,
    /** Half of the answers are lost, before or after it has executed the request. */
    LOSES_ANSWERS,
    /** Answers take one to three seconds. */
    SLOW
  }

  private final Map<String, Webhook> webhooks = new TreeMap<>();
  private Server server = Server.WELL;
  private Extender extender = Extender.WELL;
  private boolean watchStalls;
  private boolean podWebhookStopped;

  void server(Server state) {
    server = state;
  }

  Server server() {
    return server;
  }

  void webhook(String namespace, Webhook state) {
    webhooks.put(namespace, state);
  }

  Webhook webhook(String namespace) {
    return webhooks.getOrDefault(namespace, Webhook.WELL);
  }

  void extender(Extender state) {
    extender = state;
  }

  Extender extender() {
    return extender;
  }

  void watchStalls(boolean stalls) {
    watchStalls = stalls;
  }

  /** Returns whether watches deliver nothing now. */
  boolean watchStalls() {
    return watchStalls;
  }

  void podWebhookStopped(boolean stopped) {
    podWebhookStopped = stopped;
  }

  /** Returns whether pods are created without Berth's webhook, as with failurePolicy Ignore. */
  boolean isPodWebhookSkipped() {
    return podWebhookStopped || server == Server.LOSES_ANSWERS;
  }

  /** Ends all faults. */
  void clear() {
    webhooks.clear();
    server = Server.WELL;
    extender = Extender.WELL;
    watchStalls = false;
    podWebhookStopped = false;
  }

  /** Returns whether nothing that concerns all namespaces is wrong. */
  boolean isServerWell() {
    return server == Server.WELL && !watchStalls;
  }

  /** Returns the time that the server takes for a request, without webhooks. */
  Duration latency(RandomGenerator random) {
    return server == Server.SLOW
        ? Duration.ofMillis(random.nextInt(1_000, 3_000))
        : Duration.ofNanos(random.nextLong(500_000, 15_000_000));
  }
}
