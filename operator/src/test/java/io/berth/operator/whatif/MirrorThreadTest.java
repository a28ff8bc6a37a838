package io.berth.operator.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.whatif.Mirror;
import io.berth.operator.fixtures.ExpectedLog;
import io.berth.operator.schedule.EngineFeed;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The thread of a mirror, with a feed of one node at first. */
class MirrorThreadTest {
  private final List<Consumer<ClusterEvent>> subscribers = new CopyOnWriteArrayList<>();
  private final AtomicInteger built = new AtomicInteger();
  private final MirrorThread thread = thread(MirrorThread.PATIENCE);

  private MirrorThread thread(Duration patience) {
    return new MirrorThread(
        new EngineFeed(
            subscriber -> {
              subscriber.accept(node("n1"));
              subscribers.add(subscriber);
              return () -> subscribers.remove(subscriber);
            },
            subscriber -> {}),
        () -> {
          built.incrementAndGet();
          return new Mirror(EngineOptions.defaults());
        },
        Clock.systemUTC(),
        patience);
  }

  private static ClusterEvent node(String name) {
    return new ClusterEvent.NodeUpserted(Nodes.node(name).build());
  }

  private boolean knows(String node) throws Exception {
    return thread.ask("a", (mirror, expired) -> mirror.node(node).isPresent());
  }

  @AfterEach
  void stop() {
    thread.close();
  }

  @Test
  void question_isAnsweredOnTheStateOfTheFeed() throws Exception {
    assertThat(subscribers).as("nothing is mirrored before the first question").isEmpty();
    assertThat(knows("n1")).isTrue();

    subscribers.forEach(subscriber -> subscriber.accept(node("n2")));

    assertThat(knows("n2")).isTrue();
    assertThat(built).hasValue(1);
  }

  @Test
  @ExpectedLog("A review failed; the mirror is dropped.*broken")
  void questionThatFails_costsTheMirror_andNoOtherQuestion() throws Exception {
    assertThatThrownBy(
            () ->
                thread.ask(
                    "a",
                    (mirror, expired) -> {
                      throw new IllegalStateException("broken");
                    }))
        .hasMessage("broken");

    assertThat(knows("n1")).isTrue();
    assertThat(built).hasValue(2);
    assertThat(subscribers).as("the failed mirror is not fed any more").hasSize(1);
  }

  @Test
  void questionsForWhoseAnswersNobodyWaits_areNotAnswered() throws Exception {
    try (MirrorThread impatient = thread(Duration.ofMillis(50))) {
      CountDownLatch stopped = new CountDownLatch(1);
      CountDownLatch end = new CountDownLatch(1);
      AtomicInteger answered = new AtomicInteger();

      assertThatThrownBy(
              () ->
                  impatient.ask(
                      "slow",
                      (mirror, expired) -> {
                        await().until(expired::getAsBoolean);
                        stopped.countDown();
                        return hold(end);
                      }))
          .isInstanceOf(MirrorBusyException.class);
      stopped.await();
      for (String user : List.of("a", "b")) {
        assertThatThrownBy(
                () -> impatient.ask(user, (mirror, expired) -> answered.incrementAndGet()))
            .isInstanceOf(MirrorBusyException.class);
      }
      end.countDown();

      await().untilAsserted(() -> assertThat(isIdle(impatient)).isTrue());
      assertThat(answered).hasValue(0);
    }
  }

  private static boolean hold(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return true;
  }

  private static boolean isIdle(MirrorThread thread) throws InterruptedException {
    try {
      return thread.ask("c", (mirror, expired) -> true);
    } catch (MirrorBusyException e) {
      return false;
    }
  }

  @Test
  @ExpectedLog("A review failed; the mirror is dropped.*too large")
  void questionThatNeedsTooMuchMemory_costsTheMirror_andNotTheThread() throws Exception {
    assertThatThrownBy(
            () ->
                thread.ask(
                    "a",
                    (mirror, expired) -> {
                      throw new OutOfMemoryError("too large");
                    }))
        .hasRootCauseMessage("too large");

    assertThat(knows("n1")).isTrue();
  }

  @Test
  void userWithManyQuestions_doesNotKeepOthersFromAsking() throws Exception {
    CountDownLatch answered = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < MirrorThread.MOST_OF_USER; i++) {
      waiting.add(ask("greedy", begun, answered));
    }
    begun.await();
    await().until(() -> thread.inProgress("greedy") == MirrorThread.MOST_OF_USER);
    assertThatThrownBy(() -> thread.ask("greedy", (mirror, expired) -> true))
        .isInstanceOfSatisfying(
            MirrorBusyException.class, busy -> assertThat(busy.isOfUser()).isTrue());
    CompletableFuture<Boolean> other = ask("modest", begun, answered);
    answered.countDown();

    assertThat(other.join()).isTrue();
    assertThat(waiting).allMatch(CompletableFuture::join);
  }

  private CompletableFuture<Boolean> ask(String user, CountDownLatch begun, CountDownLatch end) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    Thread.startVirtualThread(
        () -> {
          try {
            answer.complete(
                thread.ask(
                    user,
                    (mirror, expired) -> {
                      begun.countDown();
                      return hold(end);
                    }));
          } catch (MirrorBusyException | InterruptedException | RuntimeException e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }
}
