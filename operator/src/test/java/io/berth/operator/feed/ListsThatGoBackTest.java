package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.engine.api.ClusterEvent;
import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import io.fabric8.kubernetes.api.model.Namespace;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
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
  private ScriptedServer server;

  @BeforeEach
  void start() throws IOException {
    server = ScriptedServer.withParameters((uri, body) -> answer(uri));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** Answers a watch with its end, and a list with the next of the versions. */
  private Reply answer(URI uri) {
    if (uri.getQuery().contains("watch=true")) {
      return new Reply(200, "");
    }
    lists.incrementAndGet();
    return new Reply(
        200,
        """
        {"kind": "NamespaceList", "apiVersion": "v1", "metadata": {"resourceVersion": "%s"},
         "items": []}
        """
            .formatted(versions.size() == 1 ? versions.peek() : versions.poll()));
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
            server.client(),
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
