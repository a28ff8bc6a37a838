package io.berth.operator.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.Outcome;
import io.berth.engine.state.Gauge;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.EventReceipt;
import io.berth.operator.feed.Subscription;
import io.berth.operator.feed.WatchTimes;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Engines that subscribe at different times, and are fed the same. */
class EngineFeedTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final KubernetesClient client =
      new KubernetesClientBuilder().withConfig(Config.empty()).build();
  private final ClusterFeed cluster =
      new ClusterFeed(client, "berth-system", WatchTimes.defaults(), failure -> {});
  private final EngineFeed feed = new EngineFeed(cluster::subscribe, cluster::replay);

  /** An engine that is asked for decisions by the test, on its own thread. */
  private static final class Fed implements EngineFeed.Subscriber {
    final Engine engine = new Engine(EngineOptions.defaults());
    final List<ClusterEvent> received = new ArrayList<>();

    @Override
    public void post(ClusterEvent event) {
      post(event, receipt -> {});
    }

    @Override
    public void post(ClusterEvent event, Consumer<EventReceipt> receipt) {
      received.add(event);
      receipt.accept(new EventReceipt(NOW, engine.apply(event, NOW)));
    }

    /** Returns the next decision; empty if the engine has nothing to decide. */
    Optional<Decision> decide() {
      Outcome outcome = engine.next(NOW);
      return outcome instanceof Decision decision ? Optional.of(decision) : Optional.empty();
    }

    List<String> kinds() {
      return received.stream().map(event -> event.getClass().getSimpleName()).toList();
    }
  }

  @BeforeEach
  void servePolicy() {
    feed.publish(new ClusterEvent.PolicyServed(LoopObjects.policy("p")));
    feed.publish(new ClusterEvent.DefaultPolicyChanged("p"));
  }

  @AfterEach
  void close() {
    cluster.close();
    client.close();
  }

  private static Decision.Placed placed(Optional<Decision> decision) {
    return (Decision.Placed) decision.orElseThrow();
  }

  @Test
  void newEngine_isSentRulesThenObjectsThenWhatRefersToThem() {
    cluster.put(LoopObjects.node("n1", Map.of()));
    cluster.put(LoopObjects.pod("a", "3"));
    Fed leader = new Fed();
    try (Subscription _ = feed.subscribe(leader)) {
      feed.placed(placed(leader.decide()), leader);
      feed.publish(new ClusterEvent.UsageReported(List.of()));
      Fed mirror = new Fed();
      try (Subscription _ = feed.subscribe(mirror)) {
        assertThat(mirror.kinds())
            .containsExactly(
                "PolicyServed",
                "DefaultPolicyChanged",
                "NodeUpserted",
                "PodUpserted",
                "UsageReported",
                "PodAssumed");
      }
    }
  }

  @Test
  void secondEngine_knowsTheRoomThatTheFirstHasGivenAway() {
    cluster.put(LoopObjects.node("n1", Map.of()));
    cluster.put(LoopObjects.pod("a", "3"));
    Fed leader = new Fed();
    Fed early = new Fed();
    try (Subscription _ = feed.subscribe(leader);
        Subscription _ = feed.subscribe(early)) {
      Decision.Placed first = placed(leader.decide());
      feed.placed(first, leader);
      Fed late = new Fed();
      try (Subscription _ = feed.subscribe(late)) {
        cluster.put(LoopObjects.pod("b", "3"));

        for (Fed mirror : List.of(early, late)) {
          assertThat(mirror.decide()).get().isInstanceOf(Decision.Unschedulable.class);
          assertThat(mirror.decide()).as("pod a waits no longer").isEmpty();
        }
        feed.publish(new ClusterEvent.BindingFailed(first.pod(), "refused", false));
        assertThat(early.kinds()).endsWith("BindingFailed");
        assertThat(late.kinds()).endsWith("BindingFailed");
      }
    }
  }

  @Test
  void engineWithoutSubscription_receivesNothing_andOthersGoOn() {
    Fed first = new Fed();
    Fed second = new Fed();
    Subscription ended = feed.subscribe(first);
    try (Subscription _ = feed.subscribe(second)) {
      ended.close();
      ended.close();
      int before = first.received.size();

      cluster.put(LoopObjects.node("n1", Map.of()));
      feed.publish(new ClusterEvent.PolicyRemoved("p"));

      assertThat(first.received).hasSize(before);
      assertThat(second.kinds()).endsWith("NodeUpserted", "PolicyRemoved");
    }
  }

  @Test
  void lateReadingOfAGauge_whosePolicyIsGone_isNotKept() {
    List<GaugeReading> readings =
        List.of(new GaugeReading("p", "WaterLevel", new Gauge.Reading("cluster", "Pack", 0.83)));
    feed.gauged(readings);
    Fed before = new Fed();
    try (Subscription _ = feed.subscribe(before)) {
      assertThat(before.kinds()).contains("GaugeSeeded");
    }

    feed.publish(new ClusterEvent.PolicyRemoved("p"));
    feed.gauged(readings);

    Fed after = new Fed();
    try (Subscription _ = feed.subscribe(after)) {
      assertThat(after.kinds()).doesNotContain("GaugeSeeded");
    }
  }

  @Test
  void whenTheTermEnds_otherEnginesTakeBackWhatWasInFlight() {
    cluster.put(LoopObjects.node("n1", Map.of()));
    cluster.put(LoopObjects.pod("a", "3"));
    Fed leader = new Fed();
    Fed mirror = new Fed();
    Subscription leading = feed.subscribe(leader);
    try (Subscription _ = feed.subscribe(mirror)) {
      feed.placed(placed(leader.decide()), leader);
      assertThat(mirror.decide()).isEmpty();
      leading.close();

      feed.termEnded();

      assertThat(mirror.kinds()).endsWith("PodAssumed", "BindingFailed");
      Fed next = new Fed();
      try (Subscription _ = feed.subscribe(next)) {
        assertThat(next.kinds()).doesNotContain("PodAssumed", "UsageReported");
        assertThat(next.decide()).get().isInstanceOf(Decision.Placed.class);
      }
    }
  }

  @Test
  void receipts_reachTheSenderOfAPolicy_alsoFromAnEngineThatSubscribesLater() {
    List<EventReceipt> receipts = new ArrayList<>();
    feed.publish(new ClusterEvent.PolicyServed(LoopObjects.policy("q")), receipts::add);
    assertThat(receipts).isEmpty();

    try (Subscription _ = feed.subscribe(new Fed())) {
      assertThat(receipts).hasSize(1);
    }
  }

  @Test
  void replay_sendsTheSameAsToANewEngine_butForTheBindingsInFlight() {
    cluster.put(LoopObjects.node("n1", Map.of()));
    cluster.put(LoopObjects.pod("a", "3"));
    Fed leader = new Fed();
    try (Subscription _ = feed.subscribe(leader)) {
      feed.placed(placed(leader.decide()), leader);
      List<ClusterEvent> replayed = new ArrayList<>();

      feed.replay(replayed::add);

      assertThat(replayed).containsExactlyElementsOf(leader.received);
    }
  }
}
