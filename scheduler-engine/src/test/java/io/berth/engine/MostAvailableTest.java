package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.Idle;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.decision.PluginScore;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.NodeUsage;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.time.Due;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Preference for nodes with low actual usage: the measured usage, and the expected usage that is
 * not measured yet.
 */
class MostAvailableTest {
  private static final String CPU_ONLY = "{\"resources\": [{\"name\": \"cpu\"}]}";
  private static final Duration WINDOW = Duration.ofSeconds(20);

  private final TestCluster cluster = new TestCluster();

  private void serve(String args) throws IOException {
    Map<String, JsonNode> fields = new HashMap<>();
    new ObjectMapper()
        .readTree(args)
        .properties()
        .forEach(field -> fields.put(field.getKey(), field.getValue()));
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(
                TestCluster.POLICY,
                SchedulingPolicySpec.of(
                    List.of(), List.of(new PriorityPolicy("MostAvailable", 100, true, fields))))));
  }

  private void node(String name, int cpus) {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node(name)
                .milliCpu(cpus * 1000L)
                .memoryBytes(1L << 40)
                .allocatable("pods", 2000)
                .build()));
  }

  private void report(Instant at, Map<String, Long> milliCpuByNode) {
    List<NodeUsage> usages = new ArrayList<>();
    milliCpuByNode.forEach(
        (node, milliCpu) ->
            usages.add(
                new NodeUsage(node, at, WINDOW, ResourceAmounts.of(Map.of("cpu", milliCpu)))));
    cluster.apply(new ClusterEvent.UsageReported(usages));
  }

  private static Pods asking(String name, long milliCpu) {
    return Pods.pod(name).milliCpu(milliCpu);
  }

  private Decision.Placed place(Pods pod) {
    PodModel built = pod.build();
    cluster.apply(new ClusterEvent.PodUpserted(built));
    Decision.Placed placed = cluster.placed();
    cluster.apply(new ClusterEvent.BindingConfirmed(built.ref()));
    return placed;
  }

  private static Map<String, Long> scores(Decision.Placed placed) {
    return placed.record().bestNodes().stream()
        .collect(Collectors.toMap(NodeScore::node, MostAvailableTest::score));
  }

  private static long score(NodeScore node) {
    return node.plugins().stream()
        .filter(score -> score.plugin().equals("MostAvailable"))
        .mapToLong(PluginScore::raw)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void measuredUsageDecides_whateverIsRequested() throws IOException {
    serve(CPU_ONLY);
    node("idle", 10);
    node("busy", 10);
    cluster.apply(
        new ClusterEvent.PodUpserted(
            asking("lazy", 8000)
                .on("idle")
                .startedAt(Optional.of(cluster.now().minusSeconds(3600)))
                .build()));
    report(cluster.now(), Map.of("idle", 500L, "busy", 9000L));

    Decision.Placed placed = place(asking("pod", 1000));

    assertThat(placed.nodeName()).isEqualTo("idle");
    assertThat(scores(placed)).isEqualTo(Map.of("idle", 85L, "busy", 0L));
  }

  @Test
  void podsBetweenTwoReports_countByTheirVirtualRequest() throws IOException {
    serve(CPU_ONLY);
    node("a", 10);
    report(cluster.now(), Map.of("a", 1000L));

    place(asking("declared", 100).virtuallyAsks("cpu", 2000));
    place(asking("requesting", 1000));
    place(Pods.pod("neither"));
    Decision.Placed last = place(asking("last", 1000));

    assertThat(scores(last)).as("100 (10 - 1 - 2 - 1 - 0.1 - 1) / 10").isEqualTo(Map.of("a", 49L));
  }

  @Test
  void aFloorIsForPodsThatRequestNothing() throws IOException {
    serve("{\"resources\": [{\"name\": \"cpu\"}], \"floor\": {\"cpu\": \"1500m\"}}");
    node("a", 10);
    report(cluster.now(), Map.of("a", 0L));

    assertThat(scores(place(Pods.pod("pod")))).isEqualTo(Map.of("a", 85L));
  }

  @Test
  void aReportContainsThePodsThatRanThroughItsWindow() throws IOException {
    serve(CPU_ONLY);
    node("a", 10);
    report(cluster.now(), Map.of("a", 0L));
    Instant started = cluster.now();
    Decision.Placed first = place(asking("first", 2000));
    cluster.apply(
        new ClusterEvent.PodUpserted(
            asking("first", 2000).on(first.nodeName()).startedAt(Optional.of(started)).build()));

    report(started.plus(WINDOW).minusMillis(1), Map.of("a", 1000L));
    assertThat(scores(place(asking("early", 0).virtuallyAsks("cpu", 0))))
        .as("the pod may be missing in a part of the window: 10 - 1 - 2")
        .isEqualTo(Map.of("a", 70L));

    report(started.plus(WINDOW), Map.of("a", 1000L));
    assertThat(scores(place(asking("late", 0).virtuallyAsks("cpu", 0))))
        .as("it is measured: 10 - 1")
        .isEqualTo(Map.of("a", 90L));
  }

  @Test
  void aReportThatIsTooOld_isIgnored_thoughNothingHappens() throws IOException {
    serve("{\"maxAge\": \"1m\", \"resources\": [{\"name\": \"cpu\"}]}");
    node("a", 10);
    node("b", 10);
    cluster.apply(
        new ClusterEvent.PodUpserted(
            asking("pod-b", 3000)
                .on("b")
                .startedAt(Optional.of(cluster.now().minusSeconds(3600)))
                .build()));
    report(cluster.now(), Map.of("a", 9000L, "b", 1000L));
    assertThat(place(asking("measured", 0).virtuallyAsks("cpu", 0)).nodeName()).isEqualTo("b");
    assertThat(cluster.next()).isEqualTo(new Idle(Due.at(cluster.now().plusSeconds(60))));
    assertThat(reading()).isEqualTo("Measured 1.0");

    cluster.later(Duration.ofSeconds(60));

    assertThat(scores(place(asking("guessed", 0).virtuallyAsks("cpu", 0))))
        .as("by what the pods will probably use")
        .isEqualTo(Map.of("a", 100L, "b", 70L));
    cluster.next();
    assertThat(reading()).isEqualTo("Unmeasured 0.0");
  }

  private String reading() {
    GaugeReading reading = cluster.engine.gauges().getFirst();
    return reading.reading().mode() + " " + reading.reading().level();
  }

  @Test
  void aNodeWithoutReport_isScoredByVirtualRequests_besideMeasuredOnes() throws IOException {
    serve(CPU_ONLY);
    node("measured", 10);
    node("silent", 10);
    report(cluster.now(), Map.of("measured", 4000L, "unknown", 0L));

    assertThat(scores(place(asking("pod", 1000))))
        .isEqualTo(Map.of("silent", 90L, "measured", 50L));
    cluster.next();
    assertThat(reading()).isEqualTo("PartlyMeasured 0.5");
  }

  @Test
  void reportsThatComeOutOfOrder_doNotReplaceNewerOnes() throws IOException {
    serve(CPU_ONLY);
    node("a", 10);
    report(cluster.now(), Map.of("a", 1000L));
    report(cluster.now().minusSeconds(15), Map.of("a", 8000L));

    assertThat(scores(place(asking("pod", 1000)))).isEqualTo(Map.of("a", 80L));
  }

  @Test
  void aNodeThatComesBack_hasNoReport() throws IOException {
    serve(CPU_ONLY);
    node("a", 10);
    report(cluster.now(), Map.of("a", 9000L));
    cluster.apply(new ClusterEvent.NodeRemoved("a"));
    node("a", 10);

    assertThat(scores(place(asking("pod", 1000)))).isEqualTo(Map.of("a", 90L));
  }

  @Test
  void aBurstBetweenTwoReports_isSpreadOverOvercommittedNodes() throws IOException {
    serve(CPU_ONLY);
    Map<String, Long> measured = new HashMap<>();
    Map<String, Long> load = new HashMap<>();
    for (int i = 0; i < 50; i++) {
      node("node-" + i, 64);
      measured.put("node-" + i, 6400L + 200L * (i % 10));
    }
    load.putAll(measured);
    report(cluster.now(), measured);

    for (int i = 0; i < 1000; i++) {
      String node = place(asking("pod-" + i, 100).virtuallyAsks("cpu", 1600)).nodeName();
      load.merge(node, 1600L, Long::sum);
    }

    double mean = load.values().stream().mapToLong(Long::longValue).average().orElseThrow();
    assertThat(load.values()).allSatisfy(each -> assertThat((double) each).isLessThan(1.1 * mean));
  }

  @Test
  void timersOfPoliciesThatAreGone_doNotWakeTheEngine() throws IOException {
    serve(CPU_ONLY);
    node("a", 10);
    report(cluster.now(), Map.of("a", 1000L));
    cluster.next();
    cluster.apply(new ClusterEvent.PolicyRemoved(TestCluster.POLICY));

    assertThat(cluster.next()).isEqualTo(new Idle(Due.NEVER));
  }
}
