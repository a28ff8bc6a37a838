package io.berth.operator.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.serving.http.HttpAnswer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kubelet's probes are answered, whatever other clients of the port do. */
class BusyPagesTest {
  private static final String KUBELET = "127.0.0.1";
  private static final String OTHERS = "127.0.0.2";
  private static final Duration AT_ONCE = Duration.ofSeconds(2);
  private static final int REQUESTS = 64;

  private final Semaphore entered = new Semaphore(0);
  private final CountDownLatch released = new CountDownLatch(1);
  private final List<Socket> open = new ArrayList<>();
  private OperationsServer server;

  @BeforeEach
  void start() throws Exception {
    server =
        OperationsServer.startPlain(
            0,
            new OperationsServer.Parts(
                new Health(),
                Optional.empty(),
                this::metrics,
                (namespace, pod, json, fromReplica) -> HttpAnswer.text(200, "explained"),
                address -> false));
  }

  private String metrics() {
    entered.release();
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return "";
  }

  @AfterEach
  void stop() throws Exception {
    released.countDown();
    for (Socket each : open) {
      each.close();
    }
    server.close();
  }

  private Socket send(String from, String head) throws IOException {
    Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), server.port(), InetAddress.getByName(from), 0);
    open.add(socket);
    socket.setSoTimeout((int) AT_ONCE.toMillis());
    socket
        .getOutputStream()
        .write((head + "\r\nHost: berth\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static String statusOf(Socket socket) throws IOException {
    byte[] start = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
    return new String(start, StandardCharsets.US_ASCII).replace("HTTP/1.1 ", "");
  }

  private String answer(String from, String head) throws IOException {
    return statusOf(send(from, head));
  }

  @ParameterizedTest
  @ValueSource(strings = {KUBELET, OTHERS})
  void probes_areAnswered_whileClientsSendHeadersWithoutTheirBodies(String attacker)
      throws Exception {
    for (int i = 0; i < REQUESTS; i++) {
      send(attacker, "GET / HTTP/1.1\r\nContent-Length: 1");
    }

    assertThat(answer(KUBELET, "GET /readyz HTTP/1.1")).isEqualTo("200");
    assertThat(answer(KUBELET, "GET /livez HTTP/1.1")).isEqualTo("200");
  }

  @Test
  void probes_areAnswered_whileAllRequestsAreTaken() throws Exception {
    for (String client : List.of(KUBELET, OTHERS)) {
      for (int i = 0; i < REQUESTS / 2; i++) {
        send(client, "GET /metrics HTTP/1.1");
      }
    }
    assertThat(entered.tryAcquire(REQUESTS / 2, 30, TimeUnit.SECONDS)).isTrue();

    assertThat(answer(KUBELET, "GET /readyz HTTP/1.1")).isEqualTo("200");
  }

  @Test
  void probes_areAnswered_whileAnAddressOpensAsManyConnectionsAsItCan() throws Exception {
    for (int i = 0; i < 300; i++) {
      open.add(
          new Socket(
              InetAddress.getLoopbackAddress(), server.port(), InetAddress.getByName(OTHERS), 0));
    }

    assertThat(answer(KUBELET, "GET /readyz HTTP/1.1")).isEqualTo("200");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "GET /readyz HTTP/1.1", "GET / HTTP/1.1\r\nContent-Length: 1"})
  void probes_areAnswered_whileTheirOwnAddressKeepsAsManyConnectionsAsItCan(String head)
      throws Exception {
    for (int i = 0; i < 1_200; i++) {
      if (head.isEmpty()) {
        open.add(new Socket(InetAddress.getLoopbackAddress(), server.port()));
      } else {
        send(KUBELET, head);
      }
    }

    assertThat(answer(KUBELET, "GET /readyz HTTP/1.1")).isEqualTo("200");
  }

  @Test
  void probes_areAnswered_whileTheirOwnAddressReconnectsWithoutEnd() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    Thread attacker =
        Thread.ofVirtual()
            .start(
                () -> {
                  while (!ended.get()) {
                    try (Socket each =
                        new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                      each.getOutputStream()
                          .write(
                              "GET / HTTP/1.1\r\nHost: berth\r\nContent-Length: 1\r\n\r\n"
                                  .getBytes(StandardCharsets.US_ASCII));
                    } catch (IOException e) {
                      return; // the server is closed
                    }
                  }
                });
    for (int i = 0; i < 300; i++) {
      assertThat(answer(KUBELET, "GET /livez HTTP/1.1")).isEqualTo("200");
    }
    ended.set(true);
    attacker.join();
  }

  @Test
  void aPage_isServedToAnotherAddress_whileOneAddressHasUsedUpItsShare() throws Exception {
    for (int i = 0; i < REQUESTS; i++) {
      send(OTHERS, "GET /metrics HTTP/1.1");
    }
    assertThat(entered.tryAcquire(REQUESTS / 2, 30, TimeUnit.SECONDS)).isTrue();

    assertThat(answer(KUBELET, "GET / HTTP/1.1")).isEqualTo("200");
  }

  @Test
  void aProbe_isAnsweredWithoutItsBody() throws Exception {
    assertThat(answer(KUBELET, "GET /livez HTTP/1.1\r\nContent-Length: 1")).isEqualTo("200");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Content-Length: 1", "Transfer-Encoding: chunked"})
  void aBody_isRefusedBeforeItComes_andTheConnectionIsClosed(String body) throws Exception {
    Socket client = send(OTHERS, "GET / HTTP/1.1\r\n" + body);

    assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
        .startsWith("HTTP/1.1 413 ")
        .contains("send the request without one");
  }

  @Test
  void anotherMethod_isRefusedBeforeItsBodyComes() throws Exception {
    assertThat(answer(OTHERS, "POST /livez HTTP/1.1\r\nContent-Length: 1")).isEqualTo("405");
  }
}
