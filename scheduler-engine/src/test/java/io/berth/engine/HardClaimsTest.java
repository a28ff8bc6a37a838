package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.Decision;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Claims whose devices are hard to find: they cost their own pod an attempt, and others nothing.
 */
class HardClaimsTest {
  private static final int DEVICES = 60;

  private final TestCluster cluster = new TestCluster();

  /** Adds a node whose devices are in groups of this size. */
  private void node(String name, int groupSize) {
    cluster.upsert(TestCluster.node(name, "16"));
    cluster.put(
        ResourceSlice.class,
        ("{'metadata':{'name':'%1$s'},'spec':{'driver':'gpu.example.com','nodeName':'%1$s',"
                + "'pool':{'name':'%1$s','generation':1,'resourceSliceCount':1},'devices':[%2$s]}}")
            .formatted(
                name,
                IntStream.range(0, DEVICES)
                    .mapToObj(
                        i ->
                            "{'name':'d%02d','attributes':{'group':{'int':%d},'serial':{'string':'%s'}}}"
                                .formatted(i, i / groupSize, name + "-" + i))
                    .collect(Collectors.joining(","))));
  }

  private void claim(String name, String devices) {
    cluster.put(
        ResourceClaim.class,
        "{'metadata':{'name':'%1$s','namespace':'team','uid':'uid-%1$s'},'spec':{'devices':{%2$s}}}"
            .formatted(name, devices));
    cluster.upsert(TestCluster.withClaim(TestCluster.pod(name, "1", 0), name));
  }

  private static String request(String name, int count, String more) {
    return "{'name':'%s','exactly':{'deviceClassName':'gpu','allocationMode':'ExactCount','count':%d%s}}"
        .formatted(name, count, more);
  }

  /** Without a smaller bound in larger clusters, the attempt exceeds its steps, and has no end. */
  @Test
  void aNodeIsFound_amongManyOnWhichTheSearchHasNoEnd() {
    cluster.put(DeviceClass.class, "{'metadata':{'name':'gpu'},'spec':{}}");
    IntStream.range(0, 250).forEach(i -> node("n%03d".formatted(i), 5));
    node("room", 60);

    claim(
        "hard",
        "'requests':[%s,%s],'constraints':[{'requests':['b'],'matchAttribute':'gpu.example.com/group'}]"
            .formatted(request("a", 8, ""), request("b", 8, "")));

    assertThat(cluster.placed().nodeName()).isEqualTo("room");
  }

  /**
   * The cost of a selector counts toward the steps of its pod's attempt. The results are
   * remembered, so that the pod is placed after some attempts.
   */
  @Test
  void aCostlySelector_endsTheAttempt_andThePodIsPlacedLater() {
    cluster.put(DeviceClass.class, "{'metadata':{'name':'gpu'},'spec':{}}");
    node("n1", 60);
    String numbers =
        IntStream.range(0, 12)
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(",", "[", "]"));
    String costly =
        "%1$s.all(a, %1$s.all(b, %1$s.all(c, %1$s.all(d, a + b + c + d >= 0)))) && device.attributes['gpu.example.com'].serial != ''"
            .formatted(numbers)
            .replace("'", "\\\"");

    claim(
        "costly",
        "'requests':[%s]"
            .formatted(request("g", 30, ",'selectors':[{'cel':{'expression':'" + costly + "'}}]")));
    assertThat(cluster.decision())
        .isInstanceOfSatisfying(
            Decision.Quarantined.class,
            decision -> assertThat(decision.message()).contains("exceeded 20,020,000 steps"));
    claim("plain", "'requests':[" + request("g", 1, "") + "]");
    assertThat(cluster.placed().pod().name()).isEqualTo("plain");

    cluster.later(Duration.ofMinutes(10));
    assertThat(cluster.placed().pod().name()).isEqualTo("costly");
  }
}
