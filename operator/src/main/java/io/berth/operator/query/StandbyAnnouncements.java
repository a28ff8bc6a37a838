package io.berth.operator.query;

import io.berth.operator.http.OperationsServer;
import io.berth.operator.http.ReplicaClient;
import io.berth.serving.http.HttpAnswer;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Announces to the leader, again and again, that this replica can answer reviews. */
public final class StandbyAnnouncements implements AutoCloseable {
  static final Duration EVERY = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(StandbyAnnouncements.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final ReplicaClient client;
  private final Supplier<Optional<String>> leader;
  private final String address;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("standby-announcements").daemon().factory());

  /**
   * @param leader returns the {@code host:port} of the leader's TLS endpoint; empty while this
   *     replica leads or is not ready, or nobody leads
   * @param address the {@code host:port} at which this replica serves the API group
   */
  public StandbyAnnouncements(
      ReplicaClient client, Supplier<Optional<String>> leader, String address) {
    this.client = client;
    this.leader = leader;
    this.address = address;
  }

  /** Starts to announce this replica. */
  public void start() {
    start(EVERY);
  }

  void start(Duration every) {
    var _ =
        timer.scheduleWithFixedDelay(this::announce, 0, every.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void announce() {
    try {
      Optional<String> known = leader.get();
      if (known.isPresent()) {
        announce(known.get());
      }
    } catch (RuntimeException e) { // or the timer would stop
      LOG.error("This replica cannot be announced to the leader; trying again", e);
    }
  }

  private void announce(String known) {
    try {
      HttpAnswer answer =
          client.send(
              ReplicaClient.Call.withoutBody(
                  "PUT",
                  known,
                  OperationsServer.STANDBY,
                  Map.of("address", address),
                  "text/plain",
                  TIMEOUT));
      if (answer.status() != 200) {
        LOG.debug("{} refuses announcements: {}", known, answer.status());
      }
    } catch (IOException e) {
      LOG.debug("{} cannot be reached; trying again", known, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
