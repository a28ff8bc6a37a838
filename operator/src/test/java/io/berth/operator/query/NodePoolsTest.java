package io.berth.operator.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.operator.schedule.EngineFeed;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The nodes of a cluster by pools. */
class NodePoolsTest {
  private final List<ClusterEvent> events = new ArrayList<>();
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
  private final EngineFeed feed =
      new EngineFeed(engine -> () -> {}, engine -> events.forEach(engine));
  private final NodePools pools = new NodePools(feed, now::get);

  private void add(Nodes node) {
    events.add(new ClusterEvent.NodeUpserted(node.build()));
  }

  private void add(Pods pod) {
    events.add(new ClusterEvent.PodUpserted(pod.build()));
  }

  private static Nodes node(String name, String pool) {
    return Nodes.node(name)
        .label("cloud.ctrip.com/pool", pool)
        .milliCpu(4_000)
        .memoryBytes(8L << 30);
  }

  private ObjectNode pool(String name) {
    return pools.objects().stream()
        .filter(pool -> pool.at("/metadata/name").asText().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void pool_hasSumsAndTheLargestShapeThatFits() {
    add(node("n1", "A"));
    add(node("n2", "A"));
    add(node("n3", "B"));
    add(Pods.pod("web").milliCpu(3_000).memoryBytes(1L << 30).on("n1"));
    add(Pods.pod("db").milliCpu(1_000).memoryBytes(6L << 30).on("n2"));
    add(Pods.pod("pending").milliCpu(4_000));
    add(Pods.pod("done").milliCpu(4_000).on("n3").finished(true));

    ObjectNode pool = pool("A");

    assertThat(pools.objects()).hasSize(2);
    assertThat(pool.at("/status/label").asText()).isEqualTo("cloud.ctrip.com/pool");
    assertThat(pool.at("/status/nodes").asInt()).isEqualTo(2);
    ObjectNode cpu = (ObjectNode) pool.at("/status/resources/0");
    assertThat(cpu.path("name").asText()).isEqualTo("cpu");
    assertThat(cpu.path("allocatable").asText()).isEqualTo("8");
    assertThat(cpu.path("requested").asText()).isEqualTo("4");
    assertThat(cpu.path("requestedPercent").asInt()).isEqualTo(50);
    assertThat(cpu.path("largestFree").asText()).isEqualTo("3");
    assertThat(pool.at("/status/largestShape/cpu").asText()).isEqualTo("3");
    assertThat(pool.at("/status/largestShape/memory").asText())
        .as("on the node with the most free CPUs")
        .isEqualTo("2Gi");
    assertThat(pool("B").at("/status/resources/0/requested").asText()).isEqualTo("0");
  }

  @Test
  void whatIsFreeOnACordonedNode_doesNotFit() {
    add(node("n1", "A").unschedulable(true));

    assertThat(pool("A").at("/status/unschedulableNodes").asInt()).isEqualTo(1);
    assertThat(pool("A").at("/status/largestShape")).isEmpty();
    assertThat(pool("A").at("/status/resources/0/largestFree").asText()).isEqualTo("0");
  }

  @Test
  void labelOfAWaterLevel_groupsTheNodes_beforeWellKnownLabels() throws IOException {
    add(node("n1", "A").label("team", "x"));
    add(node("n2", "A"));
    String spec =
        "{\"priorities\": [{\"name\": \"WaterLevel\", \"args\": {\"scope\": {\"nodeLabel\":"
            + " \"team\"}}}]}";
    PolicyCompilation compiled =
        new PolicyCompiler()
            .compile("levels", "1", new ObjectMapper().readValue(spec, SchedulingPolicySpec.class));
    feed.publish(new ClusterEvent.PolicyServed(((PolicyCompilation.Compiled) compiled).policy()));

    assertThat(pool("x").at("/status/label").asText()).isEqualTo("team");
    assertThat(pool("unlabeled").at("/status/nodes").asInt()).isEqualTo(1);
  }

  @Test
  void nodesWithoutAnyKnownLabel_areOnePool() {
    add(Nodes.node("n1").milliCpu(1_000));

    assertThat(pool("cluster").at("/status/label").asText()).isEmpty();
  }

  @Test
  void cards_areCountedByWhetherAPodHoldsThem() {
    add(node("n1", "A").cards(List.of(Card.of("V100"), Card.of("V100"), Card.of("V100"))));
    add(
        Pods.pod("trains")
            .on("n1")
            .givenCards(Optional.of(new CardAssignment(Map.of("main", List.of("0"))))));

    ObjectNode cards = (ObjectNode) pool("A").at("/status/cards");

    assertThat(cards.path("cards").asInt()).isEqualTo(3);
    assertThat(cards.path("used").asInt()).isEqualTo(1);
    assertThat(cards.path("free").asInt()).isEqualTo(2);
    assertThat(cards.path("mostFreeOnANode").asInt()).isEqualTo(2);
    assertThat(cards.path("fragmentationPercent").asInt()).isZero();
  }

  @Test
  void fragmentation_isTheFreePartOfCardsThatPodsHold() {
    Card card = new Card("V100", 16_000, "", -1, true);
    add(node("n1", "A").cards(List.of(card, card, card, Card.of("V100"))));
    holds("whole", CardRequest.whole("main", 1), "0");
    holds("share", CardRequest.share("main", 300, 0), "1");
    holds("other", CardRequest.share("main", 300, 0), "1");
    holds("memory", CardRequest.share("main", 100, 4_000), "2");

    // Free are 0, 400, 750, and 1,000 thousandths; of these, 1,150 on cards that are held.
    assertThat(pool("A").at("/status/cards/fragmentationPercent").asInt()).isEqualTo(53);
  }

  private void holds(String pod, CardRequest request, String card) {
    add(
        Pods.pod(pod)
            .on("n1")
            .cards(PodCards.of(request))
            .givenCards(Optional.of(new CardAssignment(Map.of("main", List.of(card))))));
  }

  @Test
  void pools_areComputedAgain_afterAWhile() {
    add(node("n1", "A"));
    assertThat(pools.objects()).hasSize(1);
    add(node("n2", "B"));
    assertThat(pools.objects()).as("within the time").hasSize(1);

    now.set(now.get().plus(Recent.KEPT).plusMillis(1));

    assertThat(pools.objects()).hasSize(2);
  }
}
