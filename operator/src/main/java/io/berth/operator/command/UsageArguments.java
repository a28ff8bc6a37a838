package io.berth.operator.command;

import io.berth.operator.load.UsageOptions;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The command-line options for the source of node usage. */
final class UsageArguments {
  private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);

  @Option(
      names = "--usage-interval",
      paramLabel = "DURATION",
      defaultValue = "PT15S",
      description =
          "Interval between reads of node usage while a policy uses MostAvailable, such as PT15S.")
  private Duration interval = Duration.ofSeconds(15);

  @Option(
      names = "--usage-prometheus-url",
      paramLabel = "URL",
      description = "Base URL of a Prometheus server to query instead of metrics.k8s.io.")
  private @Nullable URI url;

  @Option(
      names = "--usage-prometheus-query",
      paramLabel = "RESOURCE=QUERY",
      description =
          "PromQL for a resource: CPU in cores, memory in bytes. Default: queries for"
              + " node-exporter's metrics.")
  private Map<String, String> queries = new HashMap<>();

  @Option(
      names = "--usage-prometheus-node-label",
      paramLabel = "LABEL",
      defaultValue = "node",
      description = "The label of the results that contains the node's name.")
  private String nodeLabel = "node";

  @Option(
      names = "--usage-prometheus-window",
      paramLabel = "DURATION",
      defaultValue = "PT1M",
      description = "The time range over which the queries measure, such as PT1M.")
  private Duration window = Duration.ofMinutes(1);

  @Option(
      names = "--usage-prometheus-token-file",
      paramLabel = "FILE",
      description = "File with a bearer token for Prometheus; reloaded once a minute.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--usage-prometheus-ca-file",
      paramLabel = "FILE",
      description = "CA certificates to trust for Prometheus, in PEM. Default: those of the JDK.")
  private @Nullable Path caFile;

  UsageOptions options() throws StartFailure {
    if (interval.compareTo(SHORTEST_INTERVAL) < 0) {
      throw new StartFailure(
          "--usage-interval %s: give a duration of 1 s or more".formatted(interval));
    }
    if (window.isNegative()) {
      throw new StartFailure(
          "--usage-prometheus-window %s: give a duration of 0 or more".formatted(window));
    }
    if (url == null) {
      return new UsageOptions(interval, Optional.empty());
    }
    if (!"http".equals(url.getScheme()) && !"https".equals(url.getScheme())) {
      throw new StartFailure(
          "--usage-prometheus-url %s: give an http:// or https:// URL".formatted(url));
    }
    return new UsageOptions(
        interval,
        Optional.of(
            new UsageOptions.Prometheus(
                url,
                queries.isEmpty() ? UsageOptions.Prometheus.NODE_EXPORTER : queries,
                nodeLabel,
                window,
                Optional.ofNullable(tokenFile),
                Optional.ofNullable(caFile))));
  }
}
