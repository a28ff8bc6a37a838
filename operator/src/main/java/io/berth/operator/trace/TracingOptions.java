package io.berth.operator.trace;

import java.net.URI;

/**
 * The settings of traces.
 *
 * @param endpoint where spans are sent, as OTLP over HTTP; a URL without a path gets {@code
 *     /v1/traces}
 * @param sampleRatio the share of pods that are traced, 0 to 1
 */
public record TracingOptions(URI endpoint, double sampleRatio) {

  /** Adds the path to the endpoint where it has none. */
  public TracingOptions {
    String path = endpoint.getPath();
    if (path == null || path.isEmpty() || path.equals("/")) {
      endpoint = endpoint.resolve("/v1/traces");
    }
  }
}
