package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.devices.ClaimAllocation;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Pods with resource claims in the engine: devices in flight, events that help, and groups. */
class DynamicResourcesTest {
  private final TestCluster cluster = new TestCluster();

  private void deviceClass() {
    cluster.put(
        DeviceClass.class,
        "{'metadata':{'name':'gpu'},'spec':{'extendedResourceName':'example.com/gpu'}}");
  }

  private void node(String name, int devices) {
    cluster.upsert(TestCluster.node(name, "16"));
    cluster.slice(name, devices);
  }

  private ResourceClaim claim(String name, int count, String status) {
    return cluster.put(
        ResourceClaim.class,
        ("{'metadata':{'name':'%s','namespace':'team','uid':'uid-%s'},'spec':{'devices':{'requests':"
             + "[{'name':'g','exactly':{'deviceClassName':'gpu','count':%d}}]}}%s}")
            .formatted(name, name, count, status));
  }

  private static Pod pod(String name, String claim) {
    return TestCluster.withClaim(TestCluster.pod(name, "1", 0), claim);
  }

  private static List<String> devices(Decision.Placed placed) {
    List<String> devices = new ArrayList<>();
    for (var step : placed.preBind()) {
      ((ClaimAllocation) step)
          .allocation()
          .orElseThrow()
          .results()
          .forEach(result -> devices.add(result.device().device()));
    }
    return devices;
  }

  @Test
  void devicesInFlight_areGivenToNoOtherPod_andAreFreeAgainAfterAFailedBinding() {
    deviceClass();
    node("n1", 1);
    claim("a", 1, "");
    claim("b", 1, "");
    cluster.upsert(pod("first", "a"));
    Decision.Placed first = cluster.placed();
    assertThat(devices(first)).containsExactly("gpu-0");

    cluster.upsert(pod("second", "b"));
    assertThat(cluster.unschedulable().message()).contains("cannot allocate all claims");

    cluster.apply(new ClusterEvent.BindingFailed(first.pod(), "conflict", false));
    cluster.remove(pod("first", "a"));
    cluster.later(Duration.ofSeconds(10));
    assertThat(devices(cluster.placed())).containsExactly("gpu-0");
  }

  @Test
  void aClaimThatAPodNamesTwice_getsItsDevicesOnce() {
    deviceClass();
    node("n1", 2);
    claim("a", 1, "");
    cluster.upsert(
        new PodBuilder(pod("first", "a"))
            .editSpec()
            .addNewResourceClaim()
            .withName("again")
            .withResourceClaimName("a")
            .endResourceClaim()
            .endSpec()
            .build());

    assertThat(devices(cluster.placed())).containsExactly("gpu-0");
  }

  @Test
  void aClaimThatAnotherPodIsGettingDevicesFor_isAwaited() {
    deviceClass();
    node("n1", 2);
    claim("shared", 1, "");
    cluster.upsert(pod("first", "shared"));
    cluster.placed();

    cluster.upsert(pod("second", "shared"));
    assertThat(cluster.unschedulable().message())
        .contains("resource claim team/shared is in the process of being allocated");

    claim(
        "shared",
        1,
        ",'status':{'allocation':{'devices':{'results':[{'request':'g','driver':'gpu.example.com',"
            + "'pool':'n1','device':'gpu-0'}]}},'reservedFor':[{'resource':'pods','name':'first','uid':'uid-first'}]}");
    cluster.later(Duration.ofSeconds(10));
    Decision.Placed second = cluster.placed();
    assertThat(second.preBind())
        .singleElement()
        .satisfies(step -> assertThat(((ClaimAllocation) step).allocation()).isEmpty());
  }

  @Test
  void aPodIsWoken_byItsClaim_aClass_andASlice() {
    cluster.upsert(TestCluster.node("n1", "16"));
    cluster.apply(new ClusterEvent.DevicesServed());
    cluster.upsert(pod("p", "late"));
    assertThat(cluster.unschedulable().message())
        .contains("could not find ResourceClaim \"team/late\"");

    claim("late", 1, "");
    cluster.later(Duration.ofSeconds(10));
    assertThat(cluster.unschedulable().message())
        .contains("request g: device class gpu does not exist");

    deviceClass();
    cluster.later(Duration.ofSeconds(20));
    assertThat(cluster.unschedulable().message()).contains("cannot allocate all claims");

    cluster.slice("n1", 1);
    cluster.later(Duration.ofSeconds(40));
    assertThat(devices(cluster.placed())).containsExactly("gpu-0");
  }

  @Test
  void withoutTheKinds_aPodSaysWhatTheClusterLacks() {
    cluster.upsert(TestCluster.node("n1", "16"));
    cluster.upsert(pod("p", "any"));

    assertThat(cluster.unschedulable().message())
        .contains("the API server does not serve resource claims (resource.k8s.io/v1)");
  }

  private static final String PREPARING =
      ",'status':{'allocation':{'allocationTimestamp':'2026-01-01T00:00:00Z','devices':{'results':"
          + "[{'request':'g','driver':'gpu.example.com','pool':'n1','device':'gpu-0',"
          + "'bindingConditions':['Attached'],'bindingFailureConditions':['Broken']}]}}%s}";

  @Test
  void devicesThatAreNotPreparedInTime_orCannotBe_areNotAvailable() {
    deviceClass();
    node("n1", 1);
    claim("slow", 1, PREPARING.formatted(""));
    cluster.later(Duration.ofMinutes(9));
    cluster.upsert(pod("early", "slow"));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");

    cluster.later(Duration.ofMinutes(2));
    cluster.upsert(pod("late", "slow"));
    assertThat(cluster.unschedulable().message())
        .contains("resourceclaim not available on the node");

    claim(
        "broken",
        1,
        PREPARING.formatted(
            ",'devices':[{'driver':'gpu.example.com','pool':'n1','device':'gpu-0',"
                + "'conditions':[{'type':'Broken','status':'True'}]}]"));
    cluster.upsert(pod("other", "broken"));
    assertThat(cluster.unschedulable().message())
        .contains("resourceclaim not available on the node");
  }

  @Test
  void anExtendedResource_isServedByDevices_whereTheNodeDoesNotOfferIt() {
    deviceClass();
    node("n1", 1);
    cluster.upsert(podWithExtendedResource("p"));

    Decision.Placed placed = cluster.placed();
    assertThat(placed.preBind())
        .singleElement()
        .satisfies(
            step ->
                assertThat(((ClaimAllocation) step).extended().orElseThrow().mappings())
                    .containsExactly(
                        new ClaimAllocation.Mapping(
                            0, "example.com/gpu", "container-0-request-1")));
  }

  @Test
  void podsWithEqualClaimsOfTheirOwn_haveOneShape() {
    deviceClass();
    for (int i = 0; i < 5; i++) {
      node("n" + i, 8);
    }
    for (int i = 0; i < 40; i++) {
      claim("c" + i, 1, "");
      cluster.upsert(pod("p" + i, "c" + i));
    }

    assertThat(decided()).hasSize(40);
    assertThat(cluster.engine.plans().made()).isOne();
  }

  @Test
  void secondPodOfAClaim_waitsUntilTheClaimHasItsDevices() {
    deviceClass();
    node("n1", 8);
    claim("shared", 1, "");
    cluster.upsert(pod("first", "shared"));
    cluster.placed();
    cluster.upsert(pod("second", "shared"));

    assertThat(cluster.unschedulable().message())
        .contains("resource claim team/shared is in the process of being allocated");
  }

  private static Pod podWithExtendedResource(String name) {
    return new PodBuilder(TestCluster.pod(name, "1", 0))
        .editSpec()
        .editFirstContainer()
        .editResources()
        .addToRequests("example.com/gpu", new io.fabric8.kubernetes.api.model.Quantity("1"))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  @Test
  void devicesOfAnExtendedResource_areFree_whenTheBoundPodIsGone_andItsClaimWasNeverSeen() {
    deviceClass();
    node("n1", 1);
    Pod pod = podWithExtendedResource("p");
    cluster.upsert(pod);
    Decision.Placed placed = cluster.placed();
    cluster.apply(new ClusterEvent.BindingConfirmed(placed.pod()));
    cluster.upsert(TestCluster.bound(pod, "n1"));
    assertThat(cluster.engine.state().devices().assumptions()).isOne();

    cluster.remove(pod);
    assertThat(cluster.engine.state().devices().assumptions()).isZero();
    cluster.upsert(podWithExtendedResource("q"));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void devicesOfAnExtendedResource_areFree_whenThePodIsGoneBeforeItsBindingIsConfirmed() {
    deviceClass();
    node("n1", 1);
    Pod pod = podWithExtendedResource("p");
    cluster.upsert(pod);
    Decision.Placed placed = cluster.placed();

    cluster.remove(pod);
    assertThat(cluster.engine.state().devices().assumptions()).isOne();
    cluster.apply(new ClusterEvent.BindingConfirmed(placed.pod()));
    assertThat(cluster.engine.state().devices().assumptions()).isZero();
  }

  @Test
  void aGroupWithClaims_getsAllItsDevices_orNone() {
    deviceClass();
    for (int i = 0; i < 15; i++) {
      node("n" + i, 8);
    }
    for (int i = 0; i < 16; i++) {
      claim("c" + i, 8, "");
      cluster.upsert(
          new PodBuilder(pod("p" + i, "c" + i))
              .editMetadata()
              .addToAnnotations("sched.cloud.ctrip.com/group", "train")
              .addToAnnotations("sched.cloud.ctrip.com/group-min", "16")
              .endMetadata()
              .build());
    }
    Map<String, String> nodeOf = decided();
    assertThat(nodeOf).as("fifteen nodes are one too few").isEmpty();
    assertThat(cluster.engine.state().devices().assumptions()).isZero();

    node("n15", 8);
    cluster.later(Duration.ofMinutes(1));
    nodeOf = decided();
    assertThat(nodeOf).hasSize(16);
    assertThat(nodeOf.values()).doesNotHaveDuplicates();
  }

  private Map<String, String> decided() {
    Map<String, String> nodeOf = new TreeMap<>();
    cluster.decideAll(
        1_000,
        decision -> {
          if (decision instanceof Decision.Placed placed) {
            nodeOf.put(placed.pod().name(), placed.nodeName());
          }
        });
    return nodeOf;
  }

  @Test
  void podsOfOneTemplate_areOneShape_andMessagesNameTheClaimOfEach() {
    deviceClass();
    node("n1", 1);
    for (String name : List.of("p1", "p2")) {
      cluster.put(
          ResourceClaim.class,
          ("{'metadata':{'name':'%s-g','namespace':'team','uid':'uid-%s-g','ownerReferences':"
               + "[{'apiVersion':'v1','kind':'Pod','name':'%s','uid':'uid-%s','controller':true}]},"
               + "'spec':{'devices':{'requests':[{'name':'g','exactly':{'deviceClassName':'gpu',"
               + "'count':33}}]}}}")
              .formatted(name, name, name, name));
      cluster.upsert(
          new PodBuilder(TestCluster.pod(name, "1", 0))
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
              .endStatus()
              .build());
    }
    long before = cluster.engine.state().answers().size();
    assertThat(cluster.unschedulable().message()).contains("claim team/p1-g: number of requested");
    long after = cluster.engine.state().answers().size();
    assertThat(cluster.unschedulable().message()).contains("claim team/p2-g: number of requested");
    assertThat((long) cluster.engine.state().answers().size()).isEqualTo(after);
    assertThat(after).isGreaterThan(before);
  }
}
