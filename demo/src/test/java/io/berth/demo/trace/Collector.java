package io.berth.demo.trace;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** An OTLP/HTTP trace collector that keeps the received spans. */
final class Collector implements AutoCloseable {

  private final HttpServer server;
  private final List<Span> spans = new CopyOnWriteArrayList<>();
  private volatile int status = 200;

  Collector() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v1/traces", this::take);
    server.start();
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Sets the HTTP status of all further responses. */
  void answer(int code) {
    status = code;
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      ExportTraceServiceRequest request =
          ExportTraceServiceRequest.parseFrom(exchange.getRequestBody());
      if (status == 200) {
        request.getResourceSpansList().stream()
            .flatMap(resource -> resource.getScopeSpansList().stream())
            .forEach(scope -> spans.addAll(scope.getSpansList()));
      }
      exchange.sendResponseHeaders(status, -1);
    }
  }

  List<Span> spans() {
    return List.copyOf(spans);
  }

  /** Returns the spans of a pod. */
  List<Span> spansOf(String pod) {
    return spans.stream().filter(span -> pod.equals(attributes(span).get("k8s.pod.name"))).toList();
  }

  static Map<String, String> attributes(Span span) {
    return span.getAttributesList().stream()
        .collect(
            Collectors.toMap(
                attribute -> attribute.getKey(),
                attribute ->
                    attribute.getValue().hasIntValue()
                        ? String.valueOf(attribute.getValue().getIntValue())
                        : attribute.getValue().getStringValue()));
  }

  static String traceId(Span span) {
    return HexFormat.of().formatHex(span.getTraceId().toByteArray());
  }

  static String spanId(Span span) {
    return HexFormat.of().formatHex(span.getSpanId().toByteArray());
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
