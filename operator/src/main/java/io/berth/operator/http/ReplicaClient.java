package io.berth.operator.http;

import io.berth.serving.http.HttpAnswer;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;

/**
 * Sends requests to other replicas over TLS. It authenticates with the replicas' certificate;
 * credentials of users are not forwarded.
 */
public final class ReplicaClient implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final String TEXT = "text/plain; charset=utf-8";

  /** The headers of a response, beside its content type, that matter to the user. */
  private static final List<String> PASSED_ON = List.of("Warning", "Retry-After", "Allow");

  private final HttpClient http;

  /**
   * @param replicas the TLS context with this replica's certificate, which trusts only other
   *     replicas
   */
  public ReplicaClient(SSLContext replicas) {
    this.http =
        HttpClient.newBuilder().sslContext(replicas).connectTimeout(CONNECT_TIMEOUT).build();
  }

  /**
   * A request.
   *
   * @param address the {@code host:port} of the other replica
   * @param path the decoded path
   * @param query the encoded query; empty if there is none
   * @param timeout the longest time until the response
   */
  public record Call(
      String method,
      String address,
      String path,
      String query,
      Map<String, List<String>> headers,
      HttpRequest.BodyPublisher body,
      Duration timeout) {

    /**
     * Returns a request without a body.
     *
     * @param parameters the parameters of the query, not encoded: they may come from users
     * @param accept the accepted content type
     */
    public static Call withoutBody(
        String method,
        String address,
        String path,
        Map<String, String> parameters,
        String accept,
        Duration timeout) {
      return new Call(
          method,
          address,
          path,
          encoded(parameters),
          Map.of("Accept", List.of(accept)),
          HttpRequest.BodyPublishers.noBody(),
          timeout);
    }

    private static String encoded(Map<String, String> parameters) {
      return parameters.entrySet().stream()
          .map(
              each ->
                  each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
          .collect(Collectors.joining("&"));
    }
  }

  /**
   * Sends a request, and waits for the response.
   *
   * @throws java.net.http.HttpConnectTimeoutException if the replica accepts no connection in time
   * @throws java.net.http.HttpTimeoutException if the response does not come in time
   * @throws IOException if there is no response
   * @throws InterruptedException if interrupted while waiting
   */
  public HttpAnswer send(Call call) throws IOException, InterruptedException {
    HttpResponse<byte[]> response =
        http.send(request(call), HttpResponse.BodyHandlers.ofByteArray());
    HttpAnswer answer =
        new HttpAnswer(
            response.statusCode(),
            response.headers().firstValue("Content-Type").orElse(TEXT),
            response.body());
    for (String name : PASSED_ON) {
      for (String value : response.headers().allValues(name)) {
        answer = answer.with(name, value);
      }
    }
    return answer;
  }

  private static HttpRequest request(Call call) throws IOException {
    try {
      URI page = new URI("https", call.address(), call.path(), null, null);
      HttpRequest.Builder request =
          HttpRequest.newBuilder(call.query().isEmpty() ? page : new URI(page + "?" + call.query()))
              .method(call.method(), call.body())
              .timeout(call.timeout());
      call.headers()
          .forEach((name, values) -> values.forEach(value -> request.header(name, value)));
      return request.build();
    } catch (URISyntaxException | IllegalArgumentException e) {
      throw new IOException(call.address() + " cannot be asked: " + e.getMessage(), e);
    }
  }

  /** Ends the requests in progress. */
  @Override
  public void close() {
    http.shutdownNow();
  }
}
