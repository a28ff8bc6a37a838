package io.berth.operator.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.ClusterEvent;
import io.berth.engine.Decision;
import io.berth.engine.Engine;
import io.berth.engine.EngineOptions;
import io.berth.engine.Outcome;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.Subscription;
import io.berth.operator.feed.WatchTimes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
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
    switch (new PolicyCompiler().compile("p", "1", SchedulingPolicySpec.defaults())) {
      case PolicyCompilation.Compiled(var policy) ->
          feed.publish(new ClusterEvent.PolicyServed(policy));
      case PolicyCompilation.Invalid invalid ->
          throw new IllegalStateException(invalid.problems().toString());
    }
    feed.publish(new ClusterEvent.DefaultPolicyChanged("p"));
  }

  @AfterEach
  void close() {
    cluster.close();
    client.close();
  }

  private static Node node(String name) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .withUid("uid-" + name)
        .withResourceVersion("1")
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .withNewStatus()
        .withAllocatable(Map.of("cpu", new Quantity("4"), "pods", new Quantity("110")))
        .endStatus()
        .build();
  }

  private static Pod pod(String name) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("team")
        .withUid("uid-" + name)
        .withResourceVersion("1")
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .addNewContainer()
        .withName("c")
        .withImage("image")
        .withNewResources()
        .addToRequests("cpu", new Quantity("3"))
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  private static Decision.Placed placed(Optional<Decision> decision) {
    return (Decision.Placed) decision.orElseThrow();
  }

  @Test
  void newEngine_isSentRulesThenObjectsThenWhatRefersToThem() {
    cluster.put(node("n1"));
    cluster.put(pod("a"));
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
    cluster.put(node("n1"));
    cluster.put(pod("a"));
    Fed leader = new Fed();
    Fed early = new Fed();
    try (Subscription _ = feed.subscribe(leader);
        Subscription _ = feed.subscribe(early)) {
      Decision.Placed first = placed(leader.decide());
      feed.placed(first, leader);
      Fed late = new Fed();
      try (Subscription _ = feed.subscribe(late)) {
        cluster.put(pod("b"));

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

      cluster.put(node("n1"));
      feed.publish(new ClusterEvent.PolicyRemoved("p"));

      assertThat(first.received).hasSize(before);
      assertThat(second.kinds()).endsWith("NodeUpserted", "PolicyRemoved");
    }
  }

  @Test
  void whenTheTermEnds_otherEnginesTakeBackWhatWasInFlight() {
    cluster.put(node("n1"));
    cluster.put(pod("a"));
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
    switch (new PolicyCompiler().compile("q", "1", SchedulingPolicySpec.defaults())) {
      case PolicyCompilation.Compiled(var policy) ->
          feed.publish(new ClusterEvent.PolicyServed(policy), receipts::add);
      case PolicyCompilation.Invalid invalid ->
          throw new IllegalStateException(invalid.problems().toString());
    }
    assertThat(receipts).isEmpty();

    try (Subscription _ = feed.subscribe(new Fed())) {
      assertThat(receipts).hasSize(1);
    }
  }

  @Test
  void replay_sendsTheSameAsToANewEngine_butForTheBindingsInFlight() {
    cluster.put(node("n1"));
    cluster.put(pod("a"));
    Fed leader = new Fed();
    try (Subscription _ = feed.subscribe(leader)) {
      feed.placed(placed(leader.decide()), leader);
      List<ClusterEvent> replayed = new ArrayList<>();

      feed.replay(replayed::add);

      assertThat(replayed).containsExactlyElementsOf(leader.received);
    }
  }
}
