package io.berth.operator.command;

import io.berth.operator.trace.TracingOptions;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The command-line options for tracing. */
final class TracingArguments {

  @Option(
      names = "--tracing-endpoint",
      paramLabel = "URL",
      description =
          "Send OpenTelemetry traces of pods to this collector, as OTLP over HTTP:"
              + " http://HOST:4318. A URL without a path gets /v1/traces. Without this option,"
              + " tracing is off.")
  private @Nullable URI endpoint;

  @Option(
      names = "--tracing-sample-ratio",
      paramLabel = "RATIO",
      defaultValue = "0.01",
      description = "The share of pods that are traced, from 0 to 1.")
  private double sampleRatio = 0.01;

  /**
   * @param webhook whether this replica serves the webhook, where traces begin
   */
  Optional<TracingOptions> options(boolean webhook) throws StartFailure {
    if (!(sampleRatio >= 0 && sampleRatio <= 1)) {
      throw new StartFailure(
          "--tracing-sample-ratio %s: give a number from 0 to 1".formatted(sampleRatio));
    }
    if (endpoint == null) {
      return Optional.empty();
    }
    boolean http = "http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme());
    if (!http || endpoint.getHost() == null) {
      throw new StartFailure(
          "--tracing-endpoint %s: give the http:// or https:// URL of a collector"
              .formatted(endpoint));
    }
    if (!webhook) {
      throw new StartFailure(
          "--tracing-endpoint with --no-webhook: traces begin in the webhook; leave one of the two"
              + " options out");
    }
    return Optional.of(new TracingOptions(endpoint, sampleRatio));
  }
}
