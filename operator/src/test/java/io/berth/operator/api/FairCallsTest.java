package io.berth.operator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.operator.api.ScriptedServer.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests of several namespaces; the test acts as API server. */
class FairCallsTest {
  private final CountDownLatch ended = new CountDownLatch(1);
  private final List<String> answers = new CopyOnWriteArrayList<>();
  private ScriptedServer server;
  private FairCalls calls;

  @BeforeEach
  void start() throws IOException {
    server =
        new ScriptedServer(
            (path, body) -> {
              if (path.startsWith("/hanging")) {
                awaitEnd();
              }
              return new Reply(200, "{}");
            });
    calls = new FairCalls(server.api());
  }

  @AfterEach
  void stop() {
    ended.countDown();
    server.close();
  }

  private void awaitEnd() {
    try {
      ended.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void send(String namespace, int number) {
    String path = "/" + namespace + "/" + number;
    calls.send(
        namespace,
        (api, then) -> api.get(path, then),
        answer -> answers.add(path + " " + answer.code()));
  }

  private long countOf(String prefix) {
    return answers.stream().filter(answer -> answer.startsWith(prefix)).count();
  }

  @Test
  void aNamespaceWithoutAnswers_delaysNoOther_andEveryRequestIsAnsweredOnce() {
    for (int i = 0; i < 200; i++) {
      send("hanging", i);
    }
    for (int i = 0; i < 100; i++) {
      send("web", i);
    }

    await().atMost(Duration.ofSeconds(20)).until(() -> countOf("/web/") == 100);
    assertThat(countOf("/hanging/")).isZero();

    ended.countDown();
    await().atMost(Duration.ofSeconds(20)).until(() -> answers.size() == 300);
    assertThat(answers).doesNotHaveDuplicates();
  }
}
