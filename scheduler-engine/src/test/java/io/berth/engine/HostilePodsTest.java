package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.Idle;
import io.berth.engine.api.Refusal;
import io.berth.engine.decision.BoundedText;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodAffinityTerm;
import io.fabric8.kubernetes.api.model.PodAffinityTermBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Unusual pods of one tenant, whose cost must affect only that tenant, not the cluster. */
class HostilePodsTest {
  private static final String GPU = "example.com/gpu";

  private final TestCluster cluster = new TestCluster();

  private static Pod asking(Pod pod, Map<String, Quantity> requests) {
    return new PodBuilder(pod)
        .editSpec()
        .editFirstContainer()
        .editResources()
        .addToRequests(requests)
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  private static Map<String, Quantity> invented(int names, String prefix) {
    Map<String, Quantity> requests = new HashMap<>();
    for (int i = 0; i < names; i++) {
      requests.put("example.com/" + prefix + i, new Quantity("1"));
    }
    return requests;
  }

  private static Node offering(Node node, String resource, String amount) {
    return new NodeBuilder(node)
        .editStatus()
        .addToAllocatable(resource, new Quantity(amount))
        .endStatus()
        .build();
  }

  private static Pod bound(String name) {
    return TestCluster.bound(TestCluster.pod(name, "1", 0), "n1");
  }

  private static Pod withAntiAffinity(Pod pod, int terms, String prefix) {
    List<PodAffinityTerm> list = new ArrayList<>();
    for (int i = 0; i < terms; i++) {
      list.add(
          new PodAffinityTermBuilder()
              .withTopologyKey(prefix + i)
              .withNewLabelSelector()
              .endLabelSelector()
              .build());
    }
    return new PodBuilder(pod)
        .editSpec()
        .withNewAffinity()
        .withNewPodAntiAffinity()
        .withRequiredDuringSchedulingIgnoredDuringExecution(list)
        .endPodAntiAffinity()
        .endAffinity()
        .endSpec()
        .build();
  }

  private int columns() {
    return cluster.engine.state().resources().size();
  }

  @Test
  void resourcesThatNoNodeOffers_getNoColumn_whicheverPodNamesThem() {
    cluster.upsert(offering(TestCluster.node("n1", "8"), GPU, "4"));
    int before = columns();

    for (int i = 0; i < 3; i++) {
      cluster.upsert(asking(bound("invents-" + i), invented(8_000, "p" + i + "-")));
    }

    assertThat(columns()).isEqualTo(before);
    cluster.upsert(TestCluster.pod("p", "1", 0));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void aPodThatAsksForWhatNoNodeOffers_isInsufficientEverywhere_inTheUsualWords() {
    cluster.upsert(TestCluster.node("n1", "8"));
    cluster.upsert(TestCluster.node("n2", "8"));
    cluster.upsert(
        asking(TestCluster.pod("p", "1", 0), Map.of("example.com/dream", new Quantity("1"))));

    assertThat(cluster.unschedulable().message())
        .startsWith("0/2 nodes are available: 2 Insufficient example.com/dream.");
  }

  @Test
  void whatPodsHold_isCharged_onceANodeOffersIt() {
    Node node = TestCluster.node("n1", "8");
    cluster.upsert(node);
    cluster.upsert(asking(bound("early"), Map.of(GPU, new Quantity("3"))));
    cluster.upsert(offering(node, GPU, "4"));
    cluster.upsert(asking(TestCluster.pod("two", "1", 0), Map.of(GPU, new Quantity("2"))));

    assertThat(cluster.unschedulable().message()).contains("1 Insufficient " + GPU);

    cluster.upsert(asking(TestCluster.pod("one", "1", 0), Map.of(GPU, new Quantity("1"))));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void aColumn_isReleased_whenTheLastNodeStopsOfferingTheResource_andComesBackCharged() {
    Node node = TestCluster.node("n1", "8");
    Node withGpu = offering(node, GPU, "4");
    cluster.upsert(TestCluster.node("n2", "8"));
    int before = columns();
    cluster.upsert(withGpu);
    cluster.upsert(asking(bound("holds"), Map.of(GPU, new Quantity("3"))));
    assertThat(columns()).isEqualTo(before + 1);

    cluster.upsert(node);
    assertThat(columns()).isEqualTo(before);
    cluster.upsert(offering(TestCluster.node("n2", "8"), "example.com/other", "4"));
    cluster.remove(asking(bound("holds"), Map.of(GPU, new Quantity("3"))));
    cluster.upsert(asking(bound("holds-2"), Map.of(GPU, new Quantity("2"))));
    cluster.upsert(withGpu);

    int gpu = cluster.engine.state().resources().idOf(GPU);
    int slot = cluster.engine.state().nodes().slotOf("n1");
    assertThat(cluster.engine.state().nodes().requested(gpu, slot)).isEqualTo(2);
    cluster.remove(withGpu);
    assertThat(columns()).isEqualTo(before + 1);
  }

  @Test
  void aPendingPodWithTooManyResources_isRefused_andSaysSoInFewWords() {
    cluster.upsert(TestCluster.node("n1", "8"));

    Refusal refusal =
        cluster
            .upsert(asking(TestCluster.pod("greedy", "1", 0), invented(8_000, "x")))
            .orElseThrow();

    assertThat(refusal.pending())
        .hasValueSatisfying(pod -> assertThat(pod.name()).isEqualTo("greedy"));
    assertThat(refusal.reason())
        .isEqualTo(
            "what the pod's containers request has 8001 entries; the limit is 60: shorten"
                + " the list");
    assertThat(cluster.next()).isInstanceOf(Idle.class);
  }

  @Test
  void aRefusedPodOfAnotherScheduler_isNotOurs() {
    Pod foreign =
        new PodBuilder(asking(TestCluster.pod("greedy", "1", 0), invented(8_000, "x")))
            .editSpec()
            .withSchedulerName("default-scheduler")
            .endSpec()
            .build();

    assertThat(cluster.upsert(foreign).orElseThrow().pending()).isEmpty();
  }

  @Test
  void termsOverKeysThatNoNodeHas_costTheOthersNothing() {
    cluster.upsert(TestCluster.node("n1", "8"));
    cluster.upsert(TestCluster.node("n2", "8"));
    cluster.upsert(TestCluster.pod("before", "1", 0));
    cluster.placed();
    int answers = cluster.engine.state().answers().size();

    for (int i = 0; i < 100; i++) {
      cluster.upsert(withAntiAffinity(bound("hostile-" + i), 100, "key-" + i + "-"));
    }
    cluster.upsert(TestCluster.pod("after", "1", 0));
    cluster.decision();

    assertThat(cluster.engine.state().answers().size()).isLessThan(answers + 20);
  }

  @Test
  void aTermOfAPlacedPod_countsFromWhenANodeGetsItsKey() {
    cluster.upsert(TestCluster.node("n1", "8"));
    cluster.upsert(withAntiAffinity(bound("lonely"), 1, "rack-"));
    cluster.upsert(TestCluster.pod("first", "1", 0));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");

    cluster.upsert(
        new NodeBuilder(TestCluster.node("n1", "8"))
            .editMetadata()
            .addToLabels("rack-0", "r")
            .endMetadata()
            .build());
    cluster.upsert(TestCluster.pod("second", "1", 0));

    assertThat(cluster.unschedulable().message())
        .contains("1 node(s) didn't satisfy existing pods anti-affinity rules");
  }

  @Test
  void aPlacedPodWithTenThousandTerms_countsWithTheFirstHundred_andIsReported() {
    cluster.upsert(TestCluster.node("n1", "8"));

    Refusal refusal =
        cluster.upsert(withAntiAffinity(bound("hostile"), 10_000, "key-")).orElseThrow();

    assertThat(refusal.reason()).contains("has 10000 entries; the limit is 100");
    assertThat(cluster.engine.state().matchers().size()).isLessThan(10);
    assertThat(usedMilliCpu()).isEqualTo(1000);
  }

  @Test
  void aPlacedPodWithTooManyLabels_orAnOperatorOfANewerKubernetes_leavesItsNodeOpen() {
    cluster.upsert(TestCluster.node("n1", "8"));
    Map<String, String> labels = new HashMap<>();
    for (int i = 0; i < 1_001; i++) {
      labels.put("label-" + i, "x");
    }
    Pod labelled = bound("labelled");
    labelled.getMetadata().setLabels(labels);
    Toleration newer = new TolerationBuilder().withKey("k").withOperator("Matches").build();
    Pod tolerating =
        new PodBuilder(bound("tolerating")).editSpec().withTolerations(newer).endSpec().build();

    assertThat(cluster.upsert(labelled)).isEmpty();
    assertThat(cluster.upsert(tolerating).orElseThrow().reason())
        .contains("unknown operator 'Matches'");

    assertThat(usedMilliCpu()).isEqualTo(2000);
    cluster.upsert(TestCluster.pod("p", "1", 0));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void everyFieldOfAPlacedPodThatDoesNotSayWhatItHolds_mayBeUnreadable() {
    cluster.upsert(TestCluster.node("n1", "8"));
    Pod odd =
        new PodBuilder(withAntiAffinity(bound("odd"), 1, ""))
            .editMetadata()
            .withCreationTimestamp("yesterday")
            .addToLabels("app", "not valid!")
            .endMetadata()
            .editSpec()
            .addNewTopologySpreadConstraint()
            .withMaxSkew(0)
            .withTopologyKey("zone")
            .withWhenUnsatisfiable("Perhaps")
            .endTopologySpreadConstraint()
            .editAffinity()
            .withNewNodeAffinity()
            .withNewRequiredDuringSchedulingIgnoredDuringExecution()
            .addNewNodeSelectorTerm()
            .addToMatchExpressions(new NodeSelectorRequirement("cpu", "Near", List.of("1")))
            .endNodeSelectorTerm()
            .endRequiredDuringSchedulingIgnoredDuringExecution()
            .endNodeAffinity()
            .endAffinity()
            .endSpec()
            .withStatus(null)
            .build();

    assertThat(cluster.upsert(odd)).isPresent();

    assertThat(usedMilliCpu()).isEqualTo(1000);
    cluster.upsert(TestCluster.pod("p", "1", 0));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void messagesAreCut_howeverLongTheNamesAreThatTheyList() {
    cluster.upsert(TestCluster.node("n1", "8"));
    Map<String, Quantity> requests = new HashMap<>();
    for (int i = 0; i < 59; i++) {
      requests.put("a".repeat(200) + ".example.com/resource-" + i, new Quantity("1"));
    }
    cluster.upsert(asking(TestCluster.pod("p", "1", 0), requests));

    assertThat(cluster.unschedulable().message())
        .hasSizeLessThan(BoundedText.LONGEST)
        .startsWith("0/1 nodes are available: 1 Insufficient aaa")
        .containsPattern(" and \\d+ more\\.")
        .endsWith("Preemption is not helpful for scheduling.");
  }

  @Test
  void aPodThatBecomesReadable_isPlaced() {
    cluster.upsert(TestCluster.node("n1", "8"));
    Pod pod = TestCluster.pod("p", "1", 0);
    Toleration newer = new TolerationBuilder().withKey("k").withOperator("Matches").build();
    assertThat(
            cluster
                .upsert(new PodBuilder(pod).editSpec().withTolerations(newer).endSpec().build())
                .orElseThrow()
                .pending())
        .isPresent();
    cluster.later(Duration.ofSeconds(1));
    cluster.upsert(pod);

    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  private long usedMilliCpu() {
    int slot = cluster.engine.state().nodes().slotOf("n1");
    return cluster
        .engine
        .state()
        .nodes()
        .requested(cluster.engine.state().resources().idOf("cpu"), slot);
  }
}
