package io.berth.operator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What becomes of answers as servers may give them; the server says byte by byte what it is told.
 */
class DirectConnectionsTest {

  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

  private final ConcurrentLinkedQueue<String> answers = new ConcurrentLinkedQueue<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private ServerSocket server;
  private KubernetesClient client;
  private DirectConnections direct;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withAutoConfigure(false)
                    .withMasterUrl("http://127.0.0.1:" + server.getLocalPort() + "/clusters/c1/")
                    .withOauthToken("secret")
                    .build())
            .build();
    direct = DirectConnections.of(client, Duration.ofMillis(500)).orElseThrow();
  }

  @AfterEach
  void stop() throws IOException {
    direct.close();
    client.close();
    server.close();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        connections.incrementAndGet();
        Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (SocketException e) {
      return; // the test is over
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      byte[] buffer = new byte[8192];
      for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
        requests.add(new String(buffer, 0, n, StandardCharsets.UTF_8));
        String answer = answers.poll();
        if (answer == null) {
          return; // hangs up
        }
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
        if (answer.contains("Connection: close")) {
          return;
        }
      }
    } catch (IOException e) {
      requests.add("broken off: " + e.getMessage());
    }
  }

  private Answer post(String body) throws IOException {
    return direct.exchange(
        "POST", "/api/v1/x", "application/json", body.getBytes(StandardCharsets.UTF_8), () -> true);
  }

  @Test
  void request_carriesPathPrefixTokenAndBody_inOnePiece() throws IOException {
    answers.add(OK);

    assertThat(post("{\"a\":1}").code()).isEqualTo(200);

    assertThat(requests).hasSize(1);
    assertThat(requests.getFirst())
        .startsWith("POST /clusters/c1/api/v1/x HTTP/1.1\r\n")
        .contains("Authorization: Bearer secret\r\n", "Content-Length: 7\r\n")
        .endsWith("\r\n\r\n{\"a\":1}");
  }

  @Test
  void connection_isUsedAgain() throws IOException {
    answers.addAll(List.of(OK, OK, OK));

    for (int i = 0; i < 3; i++) {
      post("{}");
    }

    assertThat(connections).hasValue(1);
  }

  @Test
  void connection_thatTheServerCloses_isNotUsedAgain() throws IOException {
    answers.add("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
    answers.add(OK);

    post("{}");
    post("{}");

    assertThat(connections).hasValue(2);
  }

  @Test
  void chunkedAnswer_isPutTogether() throws IOException {
    answers.add(
        String.join(
            "\r\n",
            "HTTP/1.1 409 Conflict",
            "Transfer-Encoding: chunked",
            "",
            "c",
            "{\"message\":\"",
            "8;x=y",
            "is bound",
            "2",
            "\"}",
            "0",
            "Trailer: t",
            "",
            ""));
    answers.add(OK);

    Answer answer = post("{}");
    post("{}");

    assertThat(answer.code()).isEqualTo(409);
    assertThat(answer.message()).isEqualTo("is bound");
    assertThat(connections).hasValue(1);
  }

  @Test
  void throttledAnswer_saysHowLongToWait() throws IOException {
    answers.add("HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\nContent-Length: 0\r\n\r\n");

    assertThat(post("{}").retryAfter()).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void interimAnswer_isPassedOver() throws IOException {
    answers.add("HTTP/1.1 100 Continue\r\n\r\n" + OK);

    assertThat(post("{}").code()).isEqualTo(200);
  }

  @Test
  void hangUp_slowness_andNonsense_areNoAnswers() throws IOException {
    assertThatThrownBy(() -> post("{}"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ended before an answer");

    answers.add("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nnot all");
    assertThatThrownBy(() -> post("{}")).isInstanceOf(IOException.class);

    answers.add("SSH-2.0-OpenSSH\r\n");
    assertThatThrownBy(() -> post("{}"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no HTTP/1.1 answer");
  }

  @Test
  void behindAProxy_theClientGoes() {
    try (KubernetesClient proxied =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withAutoConfigure(false)
                    .withMasterUrl("https://example.test")
                    .withHttpsProxy("http://proxy.test:3128")
                    .build())
            .build()) {
      assertThat(DirectConnections.of(proxied, Duration.ofSeconds(1))).isEmpty();
    }
  }

  @Test
  void expiredToken_isTheClientsToRenew_soThatItAnswersInstead() throws Exception {
    answers.add("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
    answers.add(OK);
    try (ApiCalls api = new ApiCalls(client, Duration.ofSeconds(5))) {
      CompletableFuture<Answer> answered = new CompletableFuture<>();
      api.post("/api/v1/x", new ObjectMapper().valueToTree(Map.of()), answered::complete);

      assertThat(answered.get(10, TimeUnit.SECONDS).code()).isEqualTo(200);
    }
    assertThat(requests).hasSize(2);
  }
}
