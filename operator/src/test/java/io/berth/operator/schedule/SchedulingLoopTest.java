package io.berth.operator.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.engine.Engine;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.GroupState;
import io.berth.engine.api.QueueCounts;
import io.berth.engine.api.QueueState;
import io.berth.engine.api.Refusal;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.api.ShadowState;
import io.berth.engine.cards.CardTotals;
import io.berth.engine.kube.KubeEvents;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The reports of the loop that owns the engine, and its behavior in failures. */
class SchedulingLoopTest {
  private final KubeEvents events = new KubeEvents();
  private final Reports reports = new Reports();
  private final SchedulingLoop loop =
      new SchedulingLoop(
          () -> new Engine(EngineOptions.defaults()),
          all -> {},
          reports,
          EngineObserver.NONE,
          Clock.systemUTC(),
          System::nanoTime);

  private static final class Reports implements Decisions {
    final List<String> decided = new CopyOnWriteArrayList<>();
    final List<String> failures = new CopyOnWriteArrayList<>();
    final List<String> unheard = new CopyOnWriteArrayList<>();
    final AtomicInteger counted = new AtomicInteger();
    volatile QueueCounts counts = new QueueCounts(0, 0, 0, 0, List.of());

    @Override
    public void consulted(AdviceRequest adviceRequest) {
      throw new AssertionError("asks for advice: " + adviceRequest);
    }

    @Override
    public void decided(Decision decision, long tookNanos) {
      decided.add(decision.pod().name() + " attempt " + decision.attempt().number());
    }

    @Override
    public boolean hasRoom() {
      return true;
    }

    @Override
    public void refused(Refusal refusal) {
      throw new IllegalArgumentException("nothing is refused here: " + refusal);
    }

    @Override
    public void gauged(List<GaugeReading> readings) {
      assertThat(readings).as("readings without a policy").isEmpty();
    }

    @Override
    public void grouped(List<GroupState> reports) {}

    @Override
    public void queues(List<QueueState> states) {}

    @Override
    public void shadowed(ShadowDecision decision) {}

    @Override
    public void shadows(List<ShadowState> states) {}

    @Override
    public void counted(QueueCounts now) {
      counts = now;
      counted.incrementAndGet();
    }

    @Override
    public void replaced(String doing, Throwable failure) {
      throw new IllegalArgumentException("nothing is replaced here", failure);
    }

    @Override
    public void unheard(String doing, Throwable failure) {
      unheard.add(doing + ": " + failure.getMessage());
    }

    @Override
    public void failed(String doing, Throwable failure) {
      failures.add(doing + ": " + failure.getMessage());
    }
  }

  @AfterEach
  void stop() {
    loop.close();
  }

  @Test
  void waitingPods_areCountedByQueue_withTheEventThatBroughtThem() {
    Pod gated =
        new PodBuilder(LoopObjects.pod("gated"))
            .editSpec()
            .addNewSchedulingGate("later")
            .endSpec()
            .build();
    loop.start();
    loop.begin();
    loop.post(events.upserted(LoopObjects.pod("web")));
    loop.post(events.upserted(gated));

    await().until(() -> reports.counts.gated() == 1 && reports.counts.unschedulable() == 1);
    assertThat(reports.decided).containsExactly("web attempt 1");
    assertThat(reports.counts.incoming())
        .containsExactlyInAnyOrder(
            new QueueCounts.Incoming("active", "UnschedulablePodAdd", 1),
            new QueueCounts.Incoming("unschedulable", "UnschedulablePodAdd", 1),
            new QueueCounts.Incoming("unschedulable", "ScheduleAttemptFailure", 1));
    assertThat(loop.problem()).isEmpty();
  }

  @Test
  void cardsOfAllNodes_areNotCountedAfterEveryEvent() {
    loop.start();
    loop.begin();
    Set<CardTotals> totals = Collections.newSetFromMap(new IdentityHashMap<>());
    int events = 200;
    long startNanos = System.nanoTime();
    for (int i = 0; i < events; i++) {
      int before = reports.counted.get();
      loop.post(this.events.upserted(LoopObjects.pod("web-" + i)));
      await().pollInterval(Duration.ofMillis(1)).until(() -> reports.counted.get() > before);
      totals.add(loop.cardTotals());
    }

    Duration took = Duration.ofNanos(System.nanoTime() - startNanos);
    assertThat((long) totals.size()).isLessThanOrEqualTo(2 + took.toMillis() / 500);
  }

  @Test
  void aReceiverOfAReceiptThatFails_isReported_andTheLoopGoesOn() {
    loop.start();
    loop.begin();
    loop.post(
        events.upserted(LoopObjects.pod("web")),
        taken -> {
          throw new IllegalStateException("the listener failed");
        });
    loop.post(events.upserted(LoopObjects.pod("other")));

    await().until(() -> reports.decided.contains("other attempt 1"));
    assertThat(reports.unheard).containsExactly("processing PodUpserted: the listener failed");
    assertThat(loop.problem()).isEmpty();
  }
}
