package io.berth.operator.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A start during an outage of the API server. */
class ClusterAwaitTest {
  private static KubernetesClient client(String url) {
    return new KubernetesClientBuilder()
        .withConfig(new ConfigBuilder().withMasterUrl(url).withRequestRetryBackoffLimit(0).build())
        .build();
  }

  @Test
  void aServerThatCannotAnswer_isAwaited_andTheReasonIsReported() throws Exception {
    List<String> waits = new ArrayList<>();
    AtomicInteger requests = new AtomicInteger();
    try (ScriptedServer server =
            new ScriptedServer(
                (path, body) ->
                    switch (requests.getAndIncrement()) {
                      case 0 -> new Reply(503, "{}");
                      case 1 -> new Reply(429, "{}");
                      default -> new Reply(200, "{}");
                    });
        KubernetesClient client = client(server.url())) {
      Cluster.await(client, waits::add);
    }

    assertThat(waits).hasSize(2);
    assertThat(waits.getFirst()).contains("does not answer (HTTP 503)");
    assertThat(waits.getLast()).contains("does not answer (HTTP 429)");
  }

  @Test
  void aServerThatIsNotThere_isAwaited_untilTheProcessIsStopped() throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }
    List<String> waits = new ArrayList<>();
    try (KubernetesClient client = client("http://127.0.0.1:" + free)) {
      assertThatThrownBy(
              () ->
                  Cluster.await(
                      client,
                      why -> {
                        waits.add(why);
                        Thread.currentThread().interrupt();
                      }))
          .isInstanceOf(InterruptedException.class);
    }
    assertThat(waits)
        .singleElement()
        .asString()
        .contains(
            "the API server at http://127.0.0.1:" + free,
            "does not answer",
            "check that the cluster runs");
  }

  @Test
  void anAnswerThatWaitingDoesNotChange_endsTheStart() throws IOException {
    try (ScriptedServer server = new ScriptedServer((path, body) -> new Reply(401, "{}"));
        KubernetesClient client = client(server.url())) {
      assertThatThrownBy(() -> Cluster.await(client, why -> {}))
          .isInstanceOf(StartFailure.class)
          .hasMessageContaining("does not accept this account");
    }
  }
}
