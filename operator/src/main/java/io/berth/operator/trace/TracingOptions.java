package io.berth.operator.trace;

import java.net.URI;

/**
 * The settings for tracing.
 *
 * @param endpoint the URL to which spans are sent, as OTLP over HTTP; a URL without a path gets
 *     {@code /v1/traces}
 * @param sampleRatio the fraction of pods that are traced, 0 to 1
 */
public record TracingOptions(URI endpoint, double sampleRatio) {

  /** Adds the path to an endpoint that has none. */
  public TracingOptions {
    String path = endpoint.getPath();
    if (path == null || path.isEmpty() || path.equals("/")) {
      endpoint = endpoint.resolve("/v1/traces");
    }
  }
}
