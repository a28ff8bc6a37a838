package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import io.berth.sandbox.kubelet.KubeletOptions;
import io.berth.sandbox.kubelet.Kubelets;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Clock;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Node health based on kubelet heartbeats, and its effect on pods. */
class NodeLifeTest {
  private static final String NODE = "node-a-0";
  private static final Map<String, String> SMALL =
      Map.of("cpu", "4", "memory", "8Gi", "pods", "10");
  private static final KubeletOptions QUICK =
      KubeletOptions.immediate().withHeartbeat(Duration.ofMillis(400));

  private final Sandbox sandbox = Sandbox.start(SandboxOptions.defaults());
  private final SimulatedCluster cluster =
      SimulatedCluster.start(sandbox.api(), QUICK, Clock.systemUTC());
  private final KubernetesClient client =
      new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(sandbox.kubeconfig())).build();

  @BeforeEach
  void addNode() {
    cluster.addPool("A", 1, SMALL);
  }

  @AfterEach
  void stop() {
    client.close();
    cluster.close();
    sandbox.close();
  }

  @Test
  void kubelet_renewsItsNodesLease_untilTheNodeIsDeleted() {
    eventually().until(() -> lease() != null);
    ZonedDateTime first = lease().getSpec().getRenewTime();
    assertThat(lease().getSpec().getHolderIdentity()).isEqualTo(NODE);
    assertThat(lease().getMetadata().getOwnerReferences())
        .extracting(owner -> owner.getUid())
        .containsExactly(node().getMetadata().getUid());
    eventually().until(() -> lease().getSpec().getRenewTime().isAfter(first));

    client.nodes().withName(NODE).delete();

    eventually().until(() -> lease() == null);
  }

  @Test
  void extendedResource_isAllocatableWhileItIsInTheCapacity() {
    eventually().until(() -> node().getStatus().getAllocatable() != null);

    client
        .nodes()
        .withName(NODE)
        .editStatus(
            node ->
                new NodeBuilder(node)
                    .editStatus()
                    .addToCapacity("example.com/disk", new Quantity("3"))
                    .endStatus()
                    .build());
    eventually()
        .until(
            () ->
                new Quantity("3")
                    .equals(node().getStatus().getAllocatable().get("example.com/disk")));
    client
        .nodes()
        .withName(NODE)
        .editStatus(
            node ->
                new NodeBuilder(node)
                    .editStatus()
                    .removeFromCapacity("example.com/disk")
                    .endStatus()
                    .build());

    eventually().until(() -> !node().getStatus().getAllocatable().containsKey("example.com/disk"));
  }

  @Test
  void leaseThatSomebodyDeleted_isMadeAgain() {
    eventually().until(() -> lease() != null);
    String uid = lease().getMetadata().getUid();

    client.leases().inNamespace("kube-node-lease").withName(NODE).delete();

    eventually().until(() -> lease() != null && !lease().getMetadata().getUid().equals(uid));
  }

  @Test
  void silentKubelet_leavesItsNodeUnreachable_untilItSpeaksAgain() {
    createPod("web", "1", NODE);
    eventually().until(() -> ready(pod("web")).equals("True"));

    silence("true");

    eventually()
        .untilAsserted(
            () ->
                assertThat(node().getSpec().getTaints())
                    .extracting(Taint::getKey, Taint::getEffect)
                    .containsExactlyInAnyOrder(
                        tuple("node.kubernetes.io/unreachable", "NoSchedule"),
                        tuple("node.kubernetes.io/unreachable", "NoExecute")));
    assertThat(condition("Ready"))
        .extracting(NodeCondition::getStatus, NodeCondition::getReason, NodeCondition::getMessage)
        .containsExactly("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.");
    eventually().until(() -> ready(pod("web")).equals("False"));

    createPod("late", "1", NODE);
    client.pods().inNamespace("default").withName("web").delete();
    silence("false");

    eventually().until(() -> condition("Ready").getStatus().equals("True"));
    eventually().until(() -> node().getSpec().getTaints().isEmpty());
    eventually().until(() -> ready(pod("late")).equals("True"));
    eventually().until(() -> pod("web") == null);
  }

  @Test
  void resizeWithoutRoom_isMade_whenAnotherPodGoes() {
    createPod("grows", "1", NODE);
    createPod("goes", "3", NODE);
    eventually().until(() -> ready(pod("goes")).equals("True"));

    client
        .pods()
        .inNamespace("default")
        .withName("grows")
        .subresource("resize")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            """
            {"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]}}
            """);
    eventually()
        .untilAsserted(
            () ->
                assertThat(pod("grows").getStatus().getConditions())
                    .filteredOn(condition -> condition.getType().equals("PodResizePending"))
                    .extracting(PodCondition::getReason)
                    .containsExactly("Deferred"));

    client.pods().inNamespace("default").withName("goes").delete();

    eventually()
        .untilAsserted(
            () ->
                assertThat(
                        pod("grows")
                            .getStatus()
                            .getContainerStatuses()
                            .getFirst()
                            .getAllocatedResources())
                    .containsEntry("cpu", new Quantity("2")));
    assertThat(pod("grows").getStatus().getConditions())
        .extracting(PodCondition::getType)
        .doesNotContain("PodResizePending");
  }

  @Test
  void podOnANodeThatIsNotThere_isCollected() {
    createPod("lost", "1", "nowhere");

    eventually().until(() -> pod("lost") == null);
  }

  private void silence(String value) {
    client
        .nodes()
        .withName(NODE)
        .edit(
            node -> {
              node.getMetadata().getAnnotations().put(Kubelets.SILENT, value);
              return node;
            });
  }

  private void createPod(String name, String cpu, String node) {
    client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withNodeName(node)
                .withTerminationGracePeriodSeconds(1L)
                .addNewContainer()
                .withName("c")
                .withImage("c:1")
                .withNewResources()
                .addToRequests("cpu", new Quantity(cpu))
                .endResources()
                .endContainer()
                .endSpec()
                .build())
        .create();
  }

  private Node node() {
    return client.nodes().withName(NODE).get();
  }

  private @Nullable Pod pod(String name) {
    return client.pods().inNamespace("default").withName(name).get();
  }

  private @Nullable Lease lease() {
    return client.leases().inNamespace("kube-node-lease").withName(NODE).get();
  }

  private NodeCondition condition(String type) {
    return only(node().getStatus().getConditions(), condition -> condition.getType().equals(type));
  }

  private static String ready(@Nullable Pod pod) {
    if (pod == null) {
      return "";
    }
    return pod.getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("Ready"))
        .map(PodCondition::getStatus)
        .findFirst()
        .orElse("");
  }

  private static <T> T only(List<T> list, Predicate<T> which) {
    return list.stream().filter(which).findFirst().orElseThrow();
  }

  private static ConditionFactory eventually() {
    return await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(50));
  }
}
