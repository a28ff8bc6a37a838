package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Evictions of pods whose devices others need: the fewest on one node, and none in vain. */
class DevicePreemptionTest {
  private static final int LOW = 0;
  private static final int HIGH = 100;

  private final TestCluster cluster =
      new TestCluster(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));
  private final Map<String, String> placed = new TreeMap<>();
  private final Map<String, String> nominated = new TreeMap<>();
  private final Map<String, String> messages = new TreeMap<>();
  private final List<String> victims = new ArrayList<>();

  @BeforeEach
  void hasAClass() {
    cluster.put(DeviceClass.class, "{'metadata':{'name':'gpu'},'spec':{}}");
  }

  private void node(String name, int devices) {
    cluster.upsert(TestCluster.node(name, "64"));
    cluster.slice(name, devices);
  }

  /** Puts the claim that was made for a pod. */
  private void claim(String pod, int count, String status) {
    cluster.put(ResourceClaim.class, claimJson(pod, count, "uid-" + pod, status));
  }

  private static String claimJson(String pod, int count, String owner, String status) {
    return ("{'metadata':{'name':'%s-g','namespace':'team','uid':'uid-%s-g','ownerReferences':"
                + "[{'apiVersion':'v1','kind':'Pod','name':'%s','uid':'%s','controller':true}]},'spec':"
                + "{'devices':{'requests':[{'name':'g','exactly':{'deviceClassName':'gpu','count':%d}}]}}%s}")
        .formatted(pod, pod, pod, owner, count, status);
  }

  /** Returns the status of a claim that has the devices from a number on. */
  private static String devices(String node, int from, int count, String reservedFor) {
    String results =
        IntStream.range(from, from + count)
            .mapToObj(
                i ->
                    "{'request':'g','driver':'gpu.example.com','pool':'%s','device':'gpu-%d'}"
                        .formatted(node, i))
            .collect(Collectors.joining(","));
    return (",'status':{'allocation':{'devices':{'results':[%s]},'nodeSelector':{'nodeSelectorTerms':"
                + "[{'matchFields':[{'key':'metadata.name','operator':'In','values':['%s']}]}]}},"
                + "'reservedFor':[%s]}")
        .formatted(results, node, reservedFor);
  }

  private static String reserved(String pod) {
    return "{'resource':'pods','name':'%s','uid':'uid-%s'}".formatted(pod, pod);
  }

  private static PodBuilder pod(String name, int priority) {
    return new PodBuilder(TestCluster.pod(name, "1", priority))
        .editSpec()
        .addNewResourceClaim()
        .withName("g")
        .withResourceClaimTemplateName("t")
        .endResourceClaim()
        .endSpec()
        .editStatus()
        .addNewResourceClaimStatus()
        .withName("g")
        .withResourceClaimName(name + "-g")
        .endResourceClaimStatus()
        .endStatus();
  }

  private static Pod runningPod(String name, String node) {
    return pod(name, LOW).editSpec().withNodeName(node).endSpec().build();
  }

  /** A pod that runs with devices of its node. */
  private void running(String name, String node, int from, int count) {
    claim(name, count, devices(node, from, count, reserved(name)));
    cluster.upsert(runningPod(name, node));
  }

  private void comes(String name, int count) {
    claim(name, count, "");
    cluster.upsert(pod(name, HIGH).build());
  }

  private void decide() {
    cluster.decideAll(
        1_000,
        decided -> {
          switch (decided) {
            case Decision.Placed decision -> placed.put(decision.pod().name(), decision.nodeName());
            case Decision.Nominated decision -> {
              nominated.put(decision.pod().name(), decision.nodeName());
              decision.victims().forEach(victim -> victims.add(victim.name()));
            }
            case Decision.Unschedulable waits -> messages.put(waits.pod().name(), waits.message());
            case Decision other -> throw new AssertionError("unexpected: " + other);
          }
        });
  }

  @Test
  void aPodWithoutDevices_evictsTheFewestPodsWhoseDevicesMakeRoom() {
    node("n1", 4);
    node("n2", 4);
    for (int i = 0; i < 4; i++) {
      running("single-" + i, "n1", i, 1);
    }
    running("pair-a", "n2", 0, 2);
    running("pair-b", "n2", 2, 2);
    comes("wants-two", 2);

    decide();

    assertThat(nominated).containsEntry("wants-two", "n2");
    assertThat(victims).hasSize(1).first().asString().startsWith("pair-");
  }

  @Test
  void afterTheEviction_thePodWaitsForTheDevices_andEvictsNoMore() {
    node("n1", 2);
    running("old-a", "n1", 0, 1);
    running("old-b", "n1", 1, 1);
    comes("new", 1);
    decide();
    assertThat(victims).hasSize(1);
    String victim = victims.getFirst();

    cluster.remove(runningPod(victim, "n1"));
    cluster.later(Duration.ofMinutes(10));
    decide();
    assertThat(victims).as("the devices of %s are not released yet", victim).hasSize(1);
    assertThat(messages.get("new"))
        .contains("not eligible due to devices of deleted pods on the nominated node");

    cluster.apply(new ClusterEvent.DevicesRemoved("ResourceClaim", "team", victim + "-g"));
    cluster.later(Duration.ofMinutes(1));
    decide();
    assertThat(placed).containsEntry("new", "n1");
    assertThat(victims).hasSize(1);
  }

  @Test
  void podsThatHoldNoDevices_areNotEvictedForDevices() {
    node("n1", 1);
    claim("other", 1, devices("n1", 0, 1, ""));
    cluster.upsert(TestCluster.pod("plain", "1", LOW));
    decide();
    assertThat(placed).containsKey("plain");
    comes("new", 1);

    decide();

    assertThat(victims).isEmpty();
    assertThat(messages.get("new"))
        .isEqualTo(
            "0/1 nodes are available: 1 cannot allocate all claims. preemption: 0/1 nodes are"
                + " available: 1 Preemption is not helpful for scheduling.");
  }

  @Test
  void devicesOfAClaimThatOthersShare_areNotReleased() {
    node("n1", 1);
    claim("sharing", 1, devices("n1", 0, 1, reserved("sharing") + "," + reserved("somebody")));
    cluster.upsert(runningPod("sharing", "n1"));
    comes("new", 1);

    decide();

    assertThat(victims).isEmpty();
  }

  @Test
  void aDryRun_leavesTheUseOfDevicesAsItWas() {
    node("n1", 2);
    running("old", "n1", 0, 1);
    comes("too-many", 3);
    decide();
    assertThat(victims).isEmpty();
    comes("one", 1);
    comes("two", 1);

    decide();

    assertThat(placed).hasSize(1).containsValue("n1");
    assertThat(victims).containsExactly("old");
  }

  @Test
  void aGroup_evictsOnlyPodsWhoseDevicesItNeeds() {
    for (int i = 0; i < 3; i++) {
      node("n" + i, 4);
      running("pair-" + i, "n" + i, 0, 2);
      running("one-" + i, "n" + i, 2, 1);
      running("last-" + i, "n" + i, 3, 1);
    }
    for (int i = 0; i < 3; i++) {
      claim("member-" + i, 2, "");
      cluster.upsert(
          new PodBuilder(pod("member-" + i, HIGH).build())
              .editMetadata()
              .addToAnnotations("sched.cloud.ctrip.com/group", "train")
              .addToAnnotations("sched.cloud.ctrip.com/group-min", "3")
              .endMetadata()
              .build());
    }

    decide();

    assertThat(nominated).hasSize(3);
    // Each node could take two members, so two nodes are enough: 6 devices of 8.
    int freed = victims.stream().mapToInt(victim -> victim.startsWith("pair") ? 2 : 1).sum();
    assertThat(freed).as("devices of %s", victims).isEqualTo(6);
  }
}
