package io.berth.operator.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The page {@code docs/metrics.md}, generated from the metrics: {@code MetricsPage FILE}. */
public final class MetricsPage {

  private static final String HEAD =
      """
      # Metrics

      Every replica serves its metrics at `/metrics`, over TLS at port 8443, to accounts with the ClusterRole
      `berth-reader`. The leader schedules, so only its scheduling metrics move; each replica counts the reviews of its own
      webhook. Metrics with an equivalent have the name, the labels, and the buckets of kube-scheduler's, so its dashboards
      and alerts work for Berth. The others begin with `berth_`.

      Scraping requires a token with audience `berth`, which is of no use elsewhere, and the certificate authority in the
      ConfigMap `berth-ca` of Berth's namespace. With the Prometheus operator, give the pods of Prometheus such a token,
      and set `serviceMonitor.enabled` in the chart:

      ```yaml
      # spec of the Prometheus
      volumes:
      - name: berth-token
        projected:
          sources:
          - serviceAccountToken: {path: token, audience: berth}
      volumeMounts:
      - {name: berth-token, mountPath: /var/run/secrets/berth}
      ```

      Without the operator, also mount a copy of the ConfigMap in Prometheus' namespace, for example at
      `/etc/prometheus/berth`:

      ```yaml
      scrape_configs:
      - job_name: berth
        scheme: https
        authorization: {credentials_file: /var/run/secrets/berth/token}
        tls_config: {ca_file: /etc/prometheus/berth/ca.crt, server_name: berth.berth-system.svc}
        kubernetes_sd_configs:
        - {role: endpoints, namespaces: {names: [berth-system]}}
        relabel_configs:
        - {source_labels: [__meta_kubernetes_endpoint_port_name], regex: https, action: keep}
      ```

      A histogram has the series `_bucket`, `_count`, and `_sum`; `_max` is the greatest value of the last minutes.
      Beside these metrics there are those of the Java virtual machine, which begin with `jvm_`, `process_`, and `system_`.

      The chart brings alerts and a dashboard made of these metrics: `alerts.enabled` and `dashboard.enabled`.
      [runbook.md](runbook.md#alerts) says what to do about each alert.

      <!-- Generated from the enum Metric by `make docs`; changes made here are lost. -->

      | Name | Type | Labels | Meaning | Equivalent of kube-scheduler |
      | --- | --- | --- | --- | --- |
      """;

  private MetricsPage() {}

  /** Writes the page. */
  public static void main(String[] args) throws IOException {
    if (args.length != 1) {
      System.err.println("usage: MetricsPage FILE");
      System.exit(2);
    }
    Files.writeString(Path.of(args[0]), text());
  }

  static String text() {
    return Arrays.stream(Metric.values())
        .map(MetricsPage::row)
        .collect(Collectors.joining("", HEAD, ""));
  }

  private static String row(Metric metric) {
    return "| `%s` | %s | %s | %s | %s |%n"
        .formatted(
            metric.prometheusName(),
            metric.type().prometheusName().toLowerCase(Locale.ROOT),
            metric.labels().stream()
                .map(label -> "`" + label + "`")
                .collect(Collectors.joining(", ")),
            sentence(metric.description()),
            metric.equivalent().map(name -> "the same").orElse("none"));
  }

  private static String sentence(String description) {
    return description.endsWith(".") ? description : description + ".";
  }
}
