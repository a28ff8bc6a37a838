package io.berth.operator.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.operator.http.AccessRule.Verdict;
import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.RequestHandler;
import io.berth.serving.http.RequestHead;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The level of the log, changed while Berth runs. */
class LogLevelTest {

  private final LogLevel before = LogLevel.current();

  @AfterEach
  void restore() {
    before.use();
  }

  private static OperationsServer.Parts parts(Optional<AccessRule> access) {
    return new OperationsServer.Parts(
        new Health(),
        access,
        () -> "",
        (namespace, pod, json, fromReplica) -> HttpAnswer.text(404, "unknown"),
        address -> false);
  }

  private static HttpResponse<String> send(Optional<AccessRule> access, String method, String path)
      throws Exception {
    try (OperationsServer server = OperationsServer.startPlain(0, parts(access));
        HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
              .method(method, HttpRequest.BodyPublishers.noBody())
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  private static HttpResponse<String> send(String method, String path) throws Exception {
    return send(Optional.empty(), method, path);
  }

  @Test
  void putChangesTheLevelOfBerthsLog_andGetReturnsIt() throws Exception {
    LogLevel.INFO.use();
    assertThat(send("GET", "/log-level").body()).isEqualTo("info\n");

    assertThat(send("PUT", "/log-level?level=debug").body()).isEqualTo("debug\n");

    assertThat(LoggerFactory.getLogger(LogLevelTest.class).isDebugEnabled()).isTrue();
    assertThat(LoggerFactory.getLogger("io.fabric8.kubernetes").isDebugEnabled()).isFalse();
    assertThat(send("GET", "/log-level").body()).isEqualTo("debug\n");
  }

  @Test
  void unknownLevel_isRefused_withTheLevelsThatThereAre() throws Exception {
    HttpResponse<String> answer = send("PUT", "/log-level?level=loud");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("error, warn, info, debug, trace");
    assertThat(LogLevel.current()).isEqualTo(before);
  }

  @Test
  void otherPagesCannotBePut() throws Exception {
    assertThat(send("PUT", "/metrics").statusCode()).isEqualTo(405);
    assertThat(send("POST", "/log-level").headers().firstValue("Allow")).contains("GET, HEAD, PUT");
  }

  @Test
  void withoutTokens_onlyThisHostChangesTheLevel() {
    RequestHandler pages = OperationsServer.plainPages(parts(Optional.empty()));
    InetAddress other = InetAddress.ofLiteral("192.0.2.1");
    InetAddress here = InetAddress.ofLiteral("::1");

    HttpAnswer refused = pages.answer(request("PUT", "level=trace", other), new byte[0]);

    assertThat(refused.status()).isEqualTo(403);
    assertThat(new String(refused.body(), StandardCharsets.UTF_8))
        .contains("only from this host", "kubectl port-forward", "--open-http");
    assertThat(LogLevel.current()).isEqualTo(before);
    assertThat(pages.answer(request("GET", "", other), new byte[0]).status()).isEqualTo(200);
    assertThat(pages.answer(request("PUT", "level=debug", here), new byte[0]).status())
        .isEqualTo(200);
    assertThat(LogLevel.current()).isEqualTo(LogLevel.DEBUG);
  }

  private static RequestHead request(String method, String query, InetAddress client) {
    return new RequestHead(method, "/log-level", query, Map.of(), client, false);
  }

  @Test
  void withoutTls_whereAccessIsChecked_nothingIsChanged() throws Exception {
    AccessRule anybody = (token, verb, path, client) -> Verdict.ALLOWED;

    assertThat(send(Optional.of(anybody), "PUT", "/log-level?level=trace").statusCode())
        .isEqualTo(403);

    assertThat(LogLevel.current()).isEqualTo(before);
  }
}
