package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The response to a watch request, with readers that are slower and faster than the server. */
class WatchStreamTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int LINES = 64;
  private static final String LINE = "x".repeat(1024 * 1024 - 1);

  private final AtomicInteger written = new AtomicInteger();
  private final KubernetesClient client = new KubernetesClientBuilder().build();
  private HttpServer server;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          byte[] line = (LINE + "\n").getBytes(StandardCharsets.US_ASCII);
          try (OutputStream body = exchange.getResponseBody()) {
            for (int i = 0; i < LINES; i++) {
              body.write(line);
              written.incrementAndGet();
            }
          }
        });
    server.start();
  }

  @AfterEach
  void stop() {
    client.close();
    server.stop(0);
  }

  private WatchStream open() throws Exception {
    String uri = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    return WatchStream.open(client.getHttpClient(), uri, "application/json", LIMIT);
  }

  @Test
  void slowReader_slowsDownTheServer_andReceivesEveryLine() throws Exception {
    WatchFrames frames = new WatchFrames.Lines();
    try (WatchStream stream = open()) {
      await().during(Duration.ofSeconds(1)).atMost(LIMIT).until(() -> written.get() < LINES);

      for (int i = 0; i < LINES; i++) {
        assertThat(stream.next(frames, LIMIT))
            .isInstanceOfSatisfying(
                WatchStream.Frame.class, frame -> assertThat(frame.bytes()).hasSize(LINE.length()));
      }
      assertThat(stream.next(frames, LIMIT)).isInstanceOf(WatchStream.Ended.class);
      assertThat(written).hasValue(LINES);
    }
  }
}
