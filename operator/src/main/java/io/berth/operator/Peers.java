package io.berth.operator;

import io.berth.operator.admission.HostPort;
import io.berth.operator.http.ReplicaClient;
import io.berth.operator.query.QueryServer;
import io.berth.operator.query.StandbyAnnouncements;
import io.berth.operator.query.Standbys;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.Metric;
import java.time.Clock;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The other replicas: the requests that this one sends them, and those that can answer reviews for
 * this one while it leads.
 */
final class Peers implements AutoCloseable {
  private final BooleanSupplier leading;
  private final BerthMetrics metrics;
  private final Standbys standbys;
  private @Nullable ReplicaClient client;
  private @Nullable StandbyAnnouncements announcements;

  /**
   * @param leading returns whether this replica leads
   */
  Peers(BooleanSupplier leading, BerthMetrics metrics, Clock clock) {
    this.leading = leading;
    this.metrics = metrics;
    this.standbys = new Standbys(clock);
  }

  /**
   * Prepares requests to other replicas; call it once, before the other methods.
   *
   * @param replicas the TLS context with this replica's certificate, which trusts only other
   *     replicas
   */
  ReplicaClient connect(SSLContext replicas) {
    ReplicaClient connected = new ReplicaClient(replicas);
    client = connected;
    return connected;
  }

  /** Notes that another replica can answer reviews; returns whether its address is valid. */
  boolean announced(String address) {
    return standbys.announce(address);
  }

  /** Returns the replicas to which the leader forwards reviews. */
  QueryServer.Replicas forReviews() {
    return new QueryServer.Replicas(
        leading,
        standbys,
        connected(),
        result -> metrics.count(Metric.QUERY_REVIEWS_FORWARDED, result));
  }

  /**
   * Announces this replica to the leader, again and again, while it does not lead itself.
   *
   * @param leader returns the {@code host:port} of the leader's TLS endpoint, if known
   * @param ready returns whether this replica is ready
   * @param host the host at which others reach this replica
   * @param queryPort the port of the API group
   */
  void announce(
      Supplier<Optional<String>> leader, BooleanSupplier ready, String host, int queryPort) {
    StandbyAnnouncements starting =
        new StandbyAnnouncements(
            connected(),
            () -> leading.getAsBoolean() || !ready.getAsBoolean() ? Optional.empty() : leader.get(),
            HostPort.of(host, queryPort));
    announcements = starting;
    starting.start();
  }

  private ReplicaClient connected() {
    ReplicaClient known = client;
    if (known == null) {
      throw new IllegalStateException("not connected");
    }
    return known;
  }

  @Override
  public void close() {
    if (announcements != null) {
      announcements.close();
    }
    if (client != null) {
      client.close();
    }
  }
}
