package io.berth.demo.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.GpuDriver;
import io.berth.demo.cluster.RealApiServer;
import io.berth.demo.ground.OnRealApiServer;
import io.berth.operator.BerthOptions;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Devices by claim on a real API server, with slices of a simulated driver. */
@OnRealApiServer
class RealDevicesTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String API = "resource.k8s.io/v1";

  /** One card of four can be shared; it is the only device of its class on a node. */
  private static final String SHARED = "shared-gpu.example.com";

  private static RealApiServer server;
  private static StoryGround ground;
  private static BerthInstallation berth;
  private static GpuDriver driver;

  @BeforeAll
  static void start() throws Exception {
    server = RealApiServer.open();
    ground = StoryGround.prepare(server.admin(), Checkout.find());
    driver =
        GpuDriver.start(
            server.admin(),
            4,
            node -> "A".equals(node.getMetadata().getLabels().get("cloud.ctrip.com/pool")));
    berth =
        BerthInstallation.start(
            server.admin(), Checkout.find(), BerthOptions.local("devices").withHttp(0, true));
  }

  @AfterAll
  static void stop() throws Exception {
    berth.close();
    driver.close();
    GpuDriver.remove(server.admin());
    ground.close();
    server.close();
  }

  @AfterEach
  void removePods() {
    server.admin().pods().inNamespace(ground.namespace()).withGracePeriod(0).delete();
    for (GenericKubernetesResource claim :
        server
            .admin()
            .genericKubernetesResources(API, "ResourceClaim")
            .inNamespace(ground.namespace())
            .list()
            .getItems()) {
      release(claim.getMetadata().getName());
      claim(claim.getMetadata().getName()).delete();
    }
  }

  private static Resource<GenericKubernetesResource> claim(String name) {
    return server
        .admin()
        .genericKubernetesResources(API, "ResourceClaim")
        .inNamespace(ground.namespace())
        .withName(name);
  }

  /** Takes the devices from a claim, as the controller does when no pod uses it any more. */
  private static void release(String name) {
    claim(name)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"status\":{\"allocation\":null,\"reservedFor\":null}}");
    claim(name)
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":null}}");
  }

  private static void createClaim(String name, String request) {
    server
        .admin()
        .resource(
            """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {namespace: %s, name: %s}
            spec: {devices: {requests: [{name: gpu, exactly: {%s}}]}}
            """
                .formatted(ground.namespace(), name, request))
        .create();
  }

  private static void createPod(String name, String podClaims, String container) {
    server
        .admin()
        .resource(
            """
            apiVersion: v1
            kind: Pod
            metadata: {namespace: %s, name: %s}
            spec:
              schedulerName: berth
              %s
              containers:
              - name: main
                image: busybox:1.37
                resources: {%s}
            """
                .formatted(ground.namespace(), name, podClaims, container))
        .create();
  }

  private static void createPodWith(String name, String claim) {
    createPod(
        name,
        "resourceClaims: [{name: gpu, resourceClaimName: %s}]".formatted(claim),
        "claims: [{name: gpu}]");
  }

  private static Pod pod(String name) {
    return server.admin().pods().inNamespace(ground.namespace()).withName(name).get();
  }

  private static String awaitNode(String name) {
    return await()
        .atMost(SOON)
        .until(() -> pod(name).getSpec().getNodeName(), node -> node != null);
  }

  private static String waitsBecause(String name) {
    return pod(name).getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("PodScheduled"))
        .map(PodCondition::getMessage)
        .findFirst()
        .orElse("");
  }

  @Test
  void claim_isAllocatedReservedAndProtected_beforeItsPodsAreBoundToItsNode() {
    createClaim("pair", "deviceClassName: gpu.nvidia.com, count: 2");
    createPodWith("first", "pair");

    String node = awaitNode("first");

    GenericKubernetesResource claim = claim("pair").get();
    List<Map<String, Object>> results = claim.get("status", "allocation", "devices", "results");
    assertThat(results)
        .hasSize(2)
        .allSatisfy(result -> assertThat(result).containsEntry("pool", node))
        .extracting(result -> result.get("device"))
        .doesNotHaveDuplicates();
    assertThat(claim.getMetadata().getFinalizers())
        .contains("resource.kubernetes.io/delete-protection");
    List<Map<String, Object>> users = claim.get("status", "reservedFor");
    assertThat(users)
        .singleElement()
        .satisfies(user -> assertThat(user).containsEntry("name", "first"));

    createPodWith("second", "pair");

    assertThat(awaitNode("second")).as("the node of the claim").isEqualTo(node);
    List<Map<String, Object>> both = claim("pair").get().get("status", "reservedFor");
    assertThat(both).extracting(user -> user.get("name")).containsExactly("first", "second");
  }

  @Test
  void podWithoutADevice_waits_andIsPlacedWhenAClaimIsReleased() {
    long nodes =
        server.admin().nodes().withLabel("cloud.ctrip.com/pool", "A").list().getItems().size();
    for (int i = 0; i < nodes; i++) {
      createClaim("shared-" + i, "deviceClassName: " + SHARED);
      createPodWith("user-" + i, "shared-" + i);
      awaitNode("user-" + i);
    }
    createClaim("late", "deviceClassName: " + SHARED);
    createPodWith("late", "late");
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(waitsBecause("late")).contains("cannot allocate all claims"));
    String freed = pod("user-0").getSpec().getNodeName();

    server
        .admin()
        .pods()
        .inNamespace(ground.namespace())
        .withName("user-0")
        .withGracePeriod(0)
        .delete();
    release("shared-0");

    assertThat(awaitNode("late")).isEqualTo(freed);
  }

  @Test
  void extendedResource_isServedByAClaimThatBerthCreates() {
    createPod("unchanged", "", "limits: {nvidia.com/gpu: 1}");

    awaitNode("unchanged");

    String claimName =
        pod("unchanged").getStatus().getExtendedResourceClaimStatus().getResourceClaimName();
    List<Map<String, Object>> users = claim(claimName).get().get("status", "reservedFor");
    assertThat(users)
        .singleElement()
        .satisfies(
            user -> assertThat(user).containsEntry("uid", pod("unchanged").getMetadata().getUid()));
  }

  /** Gives a device of a node to a claim, as a scheduler does that does not know of others. */
  private static void giveAway(String claim, String node, String device, String more) {
    claim(claim)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"status": {"allocation": {"devices": {"results": [{"request": "gpu",
              "driver": "gpu.nvidia.com", "pool": "%s", "device": "%s"%s}]}}}}
            """
                .formatted(node, device, more));
  }

  private static String aNode() {
    return server
        .admin()
        .nodes()
        .withLabel("cloud.ctrip.com/pool", "A")
        .list()
        .getItems()
        .getFirst()
        .getMetadata()
        .getName();
  }

  private static Map<String, Object> deviceOf(String claim) {
    List<Map<String, Object>> results =
        claim(claim).get().get("status", "allocation", "devices", "results");
    return results.getFirst();
  }

  @Test
  void claimWithAPartitionThatOverlapsOneOfAnotherClaim_getsAnother() {
    String node = aNode();
    createClaim("rival", "deviceClassName: mig.nvidia.com");
    giveAway("rival", node, "gpu-2-mig-3g-40gb-0", "");
    createClaim("late", "deviceClassName: mig.nvidia.com");
    giveAway("late", node, "gpu-2-mig-1g-10gb-1", "");

    createPodWith("late", "late");

    awaitNode("late");
    assertThat(deviceOf("late"))
        .doesNotContainEntry("device", "gpu-2-mig-1g-10gb-1")
        .satisfies(
            result ->
                assertThat(result.get("pool") + "/" + result.get("device"))
                    .doesNotMatch(node + "/gpu-2-mig-1g-10gb-[0-3]|.*/gpu-2-mig-3g-40gb-0"));
    assertThat(deviceOf("rival")).containsEntry("device", "gpu-2-mig-3g-40gb-0");
  }

  @Test
  void claimWithMoreOfASharedCardThanOthersLeave_getsItElsewhere() {
    String node = aNode();
    String share = ", \"shareID\": \"%s\", \"consumedCapacity\": {\"memory\": \"%s\"}";
    createClaim("rival", "deviceClassName: " + SHARED);
    giveAway("rival", node, "gpu-3", share.formatted(UUID.randomUUID(), "60Gi"));
    createClaim(
        "late", "deviceClassName: %s, capacity: {requests: {memory: 30Gi}}".formatted(SHARED));
    giveAway("late", node, "gpu-3", share.formatted(UUID.randomUUID(), "30Gi"));

    createPodWith("late", "late");

    assertThat(awaitNode("late")).isNotEqualTo(node);
    assertThat(deviceOf("late").get("pool")).isNotEqualTo(node);
  }
}
