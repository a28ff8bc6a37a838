package io.berth.operator.load;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The settings for reading the measured usage of nodes.
 *
 * @param interval the time between two readings
 * @param prometheus the Prometheus server to use instead of metrics.k8s.io
 */
public record UsageOptions(Duration interval, Optional<Prometheus> prometheus) {

  /**
   * A Prometheus server.
   *
   * @param url the base URL
   * @param queries PromQL by resource
   * @param nodeLabel the label of the results that contains the node's name
   * @param window the time range over which the queries measure
   * @param tokenFile the file with a bearer token, reloaded when it changes
   * @param caFile the file with the CA certificates to trust, in PEM; empty for those of the JDK
   */
  public record Prometheus(
      URI url,
      Map<String, String> queries,
      String nodeLabel,
      Duration window,
      Optional<Path> tokenFile,
      Optional<Path> caFile) {

    /** Queries of node-exporter's metrics. */
    public static final Map<String, String> NODE_EXPORTER =
        Map.of(
            "cpu",
            "sum by (node) (rate(node_cpu_seconds_total{mode!~\"idle|iowait\"}[1m]))",
            "memory",
            "sum by (node) (node_memory_MemTotal_bytes - node_memory_MemAvailable_bytes)");

    public Prometheus {
      queries = Map.copyOf(queries);
    }
  }

  /** The defaults: metrics.k8s.io, every 15 seconds. */
  public static UsageOptions defaults() {
    return new UsageOptions(Duration.ofSeconds(15), Optional.empty());
  }
}
