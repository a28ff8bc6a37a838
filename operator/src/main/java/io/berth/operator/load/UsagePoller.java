package io.berth.operator.load;

import io.berth.engine.api.ClusterEvent;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.ClusterAccess;
import io.berth.operator.api.HttpApiCalls;
import io.berth.operator.api.Timing;
import io.berth.operator.load.UsageCheck.Fault;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.Metric;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends measured usage to the engine during one term as leader, as long as a policy uses it. A
 * source that fails or hangs blocks nothing; the engine's usage data only becomes older.
 */
public final class UsagePoller implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UsagePoller.class);
  private static final int NAMED_NODES = 5;
  private static final Duration UNUSED_PAUSE = Duration.ofSeconds(1);

  private final Parts parts;
  private final Timing timing;
  private final UsageSource source;
  private final UsageCheck check;
  private final Runnable release;
  private volatile boolean closed;
  private volatile @Nullable String problem;

  /**
   * The dependencies of a poller.
   *
   * @param options the settings
   * @param maxAge returns the maximum age that policies accept; empty while no policy uses measured
   *     usage
   * @param nodes returns the names of the cluster's nodes
   * @param node returns a node by name
   * @param engine receives the usage reports
   * @param metrics counts failed readings and ignored measurements
   * @param clock the clock by which measurements age
   */
  public record Parts(
      UsageOptions options,
      Supplier<Optional<Duration>> maxAge,
      Supplier<Set<String>> nodes,
      Function<String, Optional<Node>> node,
      Consumer<ClusterEvent> engine,
      BerthMetrics metrics,
      Clock clock) {}

  /**
   * Returns a poller for the source in the options.
   *
   * @param api calls to the API server
   */
  public static UsagePoller of(Parts parts, ApiCalls api) {
    if (parts.options().prometheus().isEmpty()) {
      return new UsagePoller(parts, api, new MetricsApi(api), () -> {});
    }
    UsageOptions.Prometheus server = parts.options().prometheus().get();
    HttpApiCalls calls =
        new HttpApiCalls(ClusterAccess.of(config(server)), parts.options().interval());
    return new UsagePoller(
        parts,
        api,
        new PrometheusQueries(calls, server.queries(), server.nodeLabel(), server.window()),
        calls::close);
  }

  private static Config config(UsageOptions.Prometheus server) {
    ConfigBuilder config = new ConfigBuilder(Config.empty()).withMasterUrl(server.url().toString());
    server.caFile().ifPresent(file -> config.withCaCertFile(file.toString()));
    server.tokenFile().ifPresent(file -> config.withOauthTokenProvider(() -> token(file)));
    return config.build();
  }

  private static String token(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("the token of Prometheus cannot be read", e);
    }
  }

  private UsagePoller(Parts parts, Timing timing, UsageSource source, Runnable release) {
    this.parts = parts;
    this.timing = timing;
    this.source = source;
    this.release = release;
    this.check = new UsageCheck(parts.node());
  }

  public void start() {
    timing.later(Duration.ZERO, this::turn);
  }

  /** Returns the problem of the last reading; empty if every node was measured. */
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  @Override
  public void close() {
    closed = true;
    release.run();
  }

  private void turn() {
    if (closed) {
      return;
    }
    Optional<Duration> maxAge = parts.maxAge().get();
    if (maxAge.isPresent()) {
      poll(maxAge.get());
    } else {
      problem = null;
      timing.later(UNUSED_PAUSE, this::turn);
    }
  }

  /**
   * Reads once. The next reading begins an interval after the answer, or after the time in which it
   * should have arrived.
   */
  private void poll(Duration maxAge) {
    Duration interval = parts.options().interval();
    AtomicBoolean finished = new AtomicBoolean();
    source.read(
        reading -> {
          if (!closed) {
            takeSafely(reading, maxAge);
          }
          if (!finished.getAndSet(true)) {
            timing.later(interval, this::turn);
          }
        });
    timing.later(
        interval,
        () -> {
          if (!finished.getAndSet(true)) {
            if (!closed) {
              failed("no answer within " + interval.toSeconds() + " s");
            }
            timing.later(interval, this::turn);
          }
        });
  }

  private void takeSafely(UsageSource.Reading reading, Duration maxAge) {
    try {
      take(reading, maxAge);
    } catch (RuntimeException bug) {
      LOG.error("Reading the usage of nodes failed; retrying", bug);
    }
  }

  private void take(UsageSource.Reading reading, Duration maxAge) {
    switch (reading) {
      case UsageSource.Reading.Failed(String reason) -> failed(reason);
      case UsageSource.Reading.Read read -> {
        UsageCheck.Result result =
            check.check(read.measurements(), parts.nodes().get(), maxAge, parts.clock().instant());
        parts.engine().accept(new ClusterEvent.UsageReported(result.usable()));
        result
            .faults()
            .forEach(
                (fault, nodes) ->
                    nodes.forEach(
                        node -> parts.metrics().count(Metric.USAGE_IGNORED, fault.label())));
        note(result.faults().isEmpty() ? null : text(result.faults()));
      }
    }
  }

  private void failed(String reason) {
    parts.metrics().count(Metric.USAGE_FAILURES);
    note(reason);
  }

  private static String text(Map<Fault, Set<String>> faults) {
    return faults.entrySet().stream()
        .map(
            entry ->
                "%s: %d node(s), %s"
                    .formatted(
                        entry.getKey().label(),
                        entry.getValue().size(),
                        entry.getValue().stream()
                            .limit(NAMED_NODES)
                            .collect(Collectors.joining(", "))))
        .collect(Collectors.joining("; ", "ignored reports: ", ""));
  }

  /** Records the problem, and logs it only when it changes. */
  private void note(@Nullable String now) {
    String before = problem;
    problem = now;
    if (now != null && !now.equals(before)) {
      LOG.warn("Node usage: {}; these nodes are scored by the requests of their pods", now);
    } else if (now == null && before != null) {
      LOG.info("The usage of all nodes is available again");
    }
  }
}
