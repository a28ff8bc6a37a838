package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.berth.engine.api.ClusterEvent;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A restored etcd shows in the version of lists; watches are silent meanwhile. */
class ListsThatGoBackTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  private final ConcurrentLinkedQueue<String> versions = new ConcurrentLinkedQueue<>();
  private final AtomicInteger lists = new AtomicInteger();
  private final List<String> findings = new CopyOnWriteArrayList<>();
  private HttpServer server;
  private KubernetesClient client;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                    .withRequestRetryBackoffLimit(0)
                    .build())
            .build();
  }

  @AfterEach
  void stop() {
    client.close();
    server.stop(0);
  }

  /** Answers a watch with a bookmark and its end, and a list with the next of the versions. */
  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      boolean watch = exchange.getRequestURI().getQuery().contains("watch=true");
      String next = watch || versions.size() == 1 ? versions.peek() : versions.poll();
      String body =
          watch
              ? ""
              : "{\"kind\":\"NamespaceList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\""
                  + next
                  + "\"},\"items\":[]}";
      if (!watch) {
        lists.incrementAndGet();
      }
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private Reflector<Namespace> reflector() {
    ClusterEvent nothing = new ClusterEvent.Ignored("Namespace");
    WatchTimes fast =
        new WatchTimes(
            Duration.ofSeconds(2),
            Duration.ofSeconds(1),
            Duration.ofSeconds(5),
            Duration.ofMillis(50),
            Duration.ofMillis(100),
            Duration.ofSeconds(1),
            Duration.ofSeconds(4));
    Reflector<Namespace> reflector =
        new Reflector<>(
            client,
            KindPath.everywhere(Namespace.class),
            KindCache.ofObjects(put -> nothing, gone -> nothing),
            new WatchStatus("namespaces", true, failure -> {}, System::nanoTime),
            fast);
    reflector.onWentBack(findings::add);
    return reflector.listingAfterEachWatch();
  }

  @Test
  void aListThatIsOlderThanTheOneBefore_isFound() {
    versions.addAll(List.of("100", "100", "101", "99"));
    Reflector<Namespace> reflector = reflector();
    var _ = reflector.start();
    try {
      await().atMost(SOON).until(() -> !findings.isEmpty());
      assertThat(findings.getFirst())
          .contains("namespaces is at resource version 99, and was at 101 before");
    } finally {
      reflector.stop();
    }
  }

  @Test
  void listsThatGrow_areNoFinding() {
    versions.addAll(List.of("98", "99", "100", "1000"));
    Reflector<Namespace> reflector = reflector();
    var _ = reflector.start();
    try {
      await().atMost(SOON).until(() -> lists.get() > 5);
      assertThat(findings).isEmpty();
    } finally {
      reflector.stop();
    }
  }
}
