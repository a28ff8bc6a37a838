package io.berth.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.operator.fixtures.ExpectedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The order in which tasks run on the event loop. */
class RequestLoopTest {

  private static final int LIMIT_SECONDS = 20;

  /** Runs a task on the loop and returns what it reports before the loop continues. */
  private static List<String> onTheLoop(Consumer<List<String>> task) throws Exception {
    CompletableFuture<List<String>> reported = new CompletableFuture<>();
    List<String> reports = new ArrayList<>();
    RequestLoop.run(() -> task.accept(reports));
    RequestLoop.run(() -> reported.complete(reports));
    return reported.get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void tasksOfATask_runAfterIt_inOrder() throws Exception {
    List<String> reports =
        onTheLoop(
            into -> {
              RequestLoop.run(
                  () -> {
                    RequestLoop.run(() -> into.add("third"));
                    into.add("first");
                  });
              RequestLoop.run(() -> into.add("second"));
              into.add("the task itself");
            });

    assertThat(reports).containsExactly("the task itself", "first", "second", "third");
  }

  @Test
  void tasksOfATask_runBeforeTheLoopContinues() throws Exception {
    List<String> reports =
        onTheLoop(
            into -> {
              RequestLoop.vertx().runOnContext(ignored -> into.add("from the loop's queue"));
              RequestLoop.run(() -> into.add("from the task"));
            });

    assertThat(reports).startsWith("from the task");
  }

  @Test
  void longChainOfTasks_doesNotDeepenTheStack() throws Exception {
    AtomicInteger left = new AtomicInteger(200_000);
    Runnable[] next = new Runnable[1];
    next[0] =
        () -> {
          if (left.decrementAndGet() > 0) {
            RequestLoop.run(next[0]);
          }
        };

    onTheLoop(into -> next[0].run());

    assertThat(left).hasValue(0);
  }

  @Test
  @ExpectedLog("A task of the request loop failed.*: a bug")
  void failedTask_doesNotStopTheOthers() throws Exception {
    List<String> reports =
        onTheLoop(
            into -> {
              RequestLoop.run(
                  () -> {
                    throw new IllegalStateException("a bug");
                  });
              RequestLoop.run(() -> into.add("next"));
            });

    assertThat(reports).containsExactly("next");
  }
}
