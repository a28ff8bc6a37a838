package io.berth.demo.autoscaler;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Nodes that simulated autoscalers buy and remove, on a virtual clock: they fail to come, come
 * late, differ from the promise, and go.
 */
class NodesOfAutoscalersTest {
  private static final String POOL = "cloud.ctrip.com/pool";
  private static final String SHARE = "gpu.sched.cloud.ctrip.com/milli-gpu";
  private static final Duration HOUR = Duration.ofHours(1);

  private KubernetesClient client;
  private ModelCluster cluster;
  private Instant now = Instant.EPOCH.plus(Duration.ofDays(1));

  @BeforeEach
  void start() {
    client = new KubernetesClientBuilder().build();
    cluster = new ModelCluster(client, true);
  }

  @AfterEach
  void stop() {
    client.close();
  }

  private static NodeGroup group(String name, String cpu, int maximum, Delivery... first) {
    return new NodeGroup(
        name, size(cpu), Map.of(POOL, "bought"), maximum, Duration.ofSeconds(2), List.of(first));
  }

  private static Map<String, Quantity> size(String cpu) {
    return Map.of(
        "cpu", new Quantity(cpu), "memory", new Quantity("64Gi"), "pods", new Quantity("110"));
  }

  private Autoscaler autoscaler(Rules rules, Duration unneeded, NodeGroup... groups) {
    return new Autoscaler(
        client,
        cluster,
        CapacityRequests.NONE,
        rules,
        List.of(groups),
        new Autoscaler.Times(unneeded, Duration.ofMinutes(2)),
        line -> {});
  }

  private void create(String name, String cpu) {
    cluster.create(name, cpu, Map.of(), 0);
  }

  /** Lets scheduler and autoscaler work, in turn. */
  private void work(Autoscaler autoscaler, Duration time) {
    for (Instant end = now.plus(time); now.isBefore(end); now = now.plusSeconds(2)) {
      cluster.schedule(now);
      autoscaler.step(now);
    }
    cluster.schedule(now);
  }

  private boolean hasTaint(String nodeName, String key) {
    return cluster.nodes().stream()
        .anyMatch(
            node ->
                node.getMetadata().getName().equals(nodeName)
                    && AutoscalerNodes.hasTaint(node, key));
  }

  private static Stream<Arguments> withEachRules(Delivery... deliveries) {
    return Arrays.stream(Rules.values())
        .flatMap(rules -> Arrays.stream(deliveries).map(delivery -> Arguments.of(rules, delivery)));
  }

  private static Stream<Arguments> neverReady() {
    return withEachRules(new Delivery.Failed(), new Delivery.Ghost());
  }

  @ParameterizedTest
  @MethodSource("neverReady")
  void nodeThatNeverBecomesReady_isBoughtAgain(Rules rules, Delivery first) {
    Autoscaler autoscaler = autoscaler(rules, HOUR, group("large", "8", 10, first));
    create("waiting", "4");
    work(autoscaler, Duration.ofMinutes(3));

    assertThat(cluster.nodeOf("waiting")).isEqualTo("large-1");
    assertThat(autoscaler.bought()).isEqualTo(2);
    assertThat(autoscaler.lost()).isEqualTo(1);
    assertThat(cluster.nodes()).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void nodeThatBecomesReadyLate_isAwaited(Rules rules) {
    Delivery slow = new Delivery.Slow(Duration.ofSeconds(60));
    Autoscaler autoscaler = autoscaler(rules, HOUR, group("large", "8", 10, slow));
    create("waiting", "4");
    work(autoscaler, Duration.ofSeconds(50));
    assertThat(cluster.nodes()).hasSize(1);
    assertThat(cluster.nodeOf("waiting")).isNull();

    work(autoscaler, Duration.ofSeconds(20));

    assertThat(cluster.nodeOf("waiting")).isEqualTo("large-0");
    assertThat(autoscaler.bought()).isEqualTo(1);
  }

  private static Stream<Arguments> different() {
    return withEachRules(
        new Delivery.Different(size("2"), Map.of(POOL, "bought")),
        new Delivery.Different(size("8"), Map.of(POOL, "other")));
  }

  @ParameterizedTest
  @MethodSource("different")
  void podsWhoseNodeDiffersFromTheOffer_moveOn(Rules rules, Delivery first) {
    Autoscaler autoscaler =
        autoscaler(rules, HOUR, group("large", "8", 10, first), group("other", "8", 10));
    cluster.create("waiting", "4", Map.of(), 0, Map.of(POOL, "bought"));
    work(autoscaler, Duration.ofSeconds(30));

    // The Cluster Autoscaler has learned what the group offers; Karpenter tries it again.
    assertThat(cluster.nodeOf("waiting")).isEqualTo(rules == Rules.CLUSTER ? "other-1" : "large-1");
    assertThat(autoscaler.bought()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void maximumOfAGroup_isNotExceeded(Rules rules) {
    Autoscaler autoscaler = autoscaler(rules, HOUR, group("single", "4", 1));
    create("first", "4");
    create("second", "4");
    work(autoscaler, Duration.ofSeconds(30));

    assertThat(autoscaler.bought()).isEqualTo(1);
    assertThat(cluster.waiting()).hasSize(1);
  }

  @Test
  void nodeThatWillBeRemoved_countsForTheMaximumOfItsGroup() {
    NodeGroup single = group("single", "4", 1);
    cluster.join(single.offered("old"), true);
    cluster.taint(
        "old", new TaintBuilder().withKey(Rules.CLUSTER.taint()).withEffect("NoSchedule").build());
    Autoscaler autoscaler = autoscaler(Rules.CLUSTER, HOUR, single);
    create("waiting", "4");
    cluster.schedule(now);
    autoscaler.step(now); // which also removes the old node
    assertThat(autoscaler.bought()).isZero();

    work(autoscaler, Duration.ofSeconds(10));
    assertThat(cluster.nodeOf("waiting")).isEqualTo("single-0");
  }

  @Test
  void karpenter_awaitsFurtherPodsForTenSecondsAtMost() {
    Autoscaler autoscaler = autoscaler(Rules.KARPENTER, HOUR, group("large", "8", 10));
    for (int i = 0; i < 5; i++) {
      create("early-" + i, "1");
      work(autoscaler, Duration.ofSeconds(2));
    }
    assertThat(autoscaler.bought()).isZero();

    create("late", "1");
    work(autoscaler, Duration.ofSeconds(2));
    assertThat(autoscaler.bought()).isEqualTo(1);
  }

  @Test
  void nodeThatMayBeRemoved_stillTakesPods_andIsKeptThen() {
    String candidate = Rules.CLUSTER.softTaint().orElseThrow();
    Autoscaler autoscaler =
        autoscaler(Rules.CLUSTER, Duration.ofMinutes(1), group("large", "8", 10));
    create("early", "4");
    work(autoscaler, Duration.ofSeconds(20));
    cluster.delete("early");
    work(autoscaler, Duration.ofSeconds(20));
    assertThat(hasTaint("large-0", candidate)).isTrue();

    create("late", "4");
    work(autoscaler, Duration.ofMinutes(2));

    assertThat(cluster.nodeOf("late")).isEqualTo("large-0");
    assertThat(autoscaler.bought()).isEqualTo(1);
    assertThat(hasTaint("large-0", candidate)).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void nodeThatNothingNeeds_isRemoved(Rules rules) {
    Autoscaler autoscaler = autoscaler(rules, Duration.ofMinutes(1), group("large", "8", 10));
    create("early", "4");
    work(autoscaler, Duration.ofSeconds(20));
    cluster.delete("early");
    work(autoscaler, Duration.ofMinutes(2));

    assertThat(cluster.nodes()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void nodeThatPodsCannotLeave_isKept(Rules rules) {
    cluster.join(group("first", "4", 1).offered("plain"), true);
    Autoscaler autoscaler = autoscaler(rules, Duration.ofMinutes(1), group("large", "8", 10));
    create("filler", "3");
    work(autoscaler, Duration.ofSeconds(10));
    create("moving", "2"); // has no controller, and no room elsewhere
    work(autoscaler, Duration.ofMinutes(5));

    assertThat(cluster.nodeOf("moving")).isEqualTo("large-0");
  }

  private static NodeGroup withCards(Map<String, Quantity> reported) {
    Map<String, Quantity> size = new HashMap<>(size("16"));
    size.putAll(reported);
    return new NodeGroup("cards", size, Map.of(), 10, Duration.ofSeconds(2), List.of());
  }

  private Autoscaler withFourPodsThatShareCards(Rules rules, NodeGroup nodes) {
    cluster.annotateNodes(
        Map.of("gpu.sched.cloud.ctrip.com/inventory", "[{\"index\": 0}, {\"index\": 1}]"));
    cluster.join(nodes.offered("first"), true);
    Autoscaler autoscaler = autoscaler(rules, HOUR, nodes);
    for (int i = 0; i < 4; i++) {
      cluster.create("share-" + i, "1", SHARE, "800"); // one on each card
    }
    work(autoscaler, Duration.ofSeconds(30));
    return autoscaler;
  }

  @ParameterizedTest
  @EnumSource
  void sharesOfCards_bringNodes_ifNodesReportTheirSumAsAResource(Rules rules) {
    Autoscaler autoscaler =
        withFourPodsThatShareCards(rules, withCards(Map.of(SHARE, new Quantity("2000"))));

    assertThat(cluster.waiting()).isEmpty();
    assertThat(autoscaler.bought()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void sharesOfCards_bringNoNodes_ifNodesReportNothing(Rules rules) {
    Autoscaler autoscaler = withFourPodsThatShareCards(rules, withCards(Map.of()));

    assertThat(cluster.waiting()).hasSize(2);
    assertThat(autoscaler.bought()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void shareThatFitsTheSumOfANodeButNoCard_bringsNoNode(Rules rules) {
    cluster.annotateNodes(
        Map.of("gpu.sched.cloud.ctrip.com/inventory", "[{\"index\": 0}, {\"index\": 1}]"));
    NodeGroup nodes = withCards(Map.of(SHARE, new Quantity("2000")));
    cluster.join(nodes.offered("first"), true);
    Autoscaler autoscaler = autoscaler(rules, HOUR, nodes);
    for (int i = 0; i < 3; i++) {
      cluster.create("share-" + i, "1", SHARE, "600"); // 1800 of 2000, on two cards
    }
    work(autoscaler, Duration.ofSeconds(30));

    assertThat(cluster.waiting()).hasSize(1);
    assertThat(autoscaler.bought()).isZero();
  }
}
