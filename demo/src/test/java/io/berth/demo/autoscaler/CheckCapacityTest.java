package io.berth.demo.autoscaler;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** ProvisioningRequests that a simulated Cluster Autoscaler answers, and the pods that use them. */
class CheckCapacityTest {
  private static final String DEFINITION =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata:
        name: provisioningrequests.autoscaling.x-k8s.io
        annotations: {api-approved.kubernetes.io: "unapproved, for tests"}
      spec:
        group: autoscaling.x-k8s.io
        scope: Namespaced
        names:
          kind: ProvisioningRequest
          listKind: ProvisioningRequestList
          plural: provisioningrequests
          singular: provisioningrequest
        versions:
        - name: v1
          served: true
          storage: true
          subresources: {status: {}}
          schema:
            openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
      ---
      apiVersion: v1
      kind: PodTemplate
      metadata: {namespace: default, name: worker}
      template:
        spec:
          containers: [{name: main, image: main, resources: {requests: {cpu: "4"}}}]
      """;

  private AutoscaledGround cluster;

  @BeforeEach
  void start() throws IOException, InterruptedException {
    cluster = AutoscaledGround.start();
    cluster.apply(DEFINITION);
    cluster.fill(8, "", ""); // room for one more pod of the template
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private void request(String name, int count, String more) {
    cluster.apply(
        """
        apiVersion: autoscaling.x-k8s.io/v1
        kind: ProvisioningRequest
        metadata: {namespace: default, name: %s}
        spec:
          provisioningClassName: check-capacity.autoscaling.x-k8s.io
          podSets: [{count: %d, podTemplateRef: {name: worker}}]
        %s
        """
            .formatted(name, count, more));
  }

  private List<String> conditionsOf(String name) {
    GenericKubernetesResource request =
        cluster
            .admin()
            .genericKubernetesResources("autoscaling.x-k8s.io/v1", "ProvisioningRequest")
            .inNamespace("default")
            .withName(name)
            .require();
    List<Map<String, Object>> conditions = request.get("status", "conditions");
    return conditions.stream()
        .map(condition -> condition.get("type") + "=" + condition.get("status"))
        .toList();
  }

  private List<Pod> booked(CheckCapacity requests, Instant now) {
    ClientCluster reader = new ClientCluster(cluster.admin());
    List<Pod> placed =
        reader.pods().stream().filter(pod -> pod.getSpec().getNodeName() != null).toList();
    return requests.booked(reader.nodes(), placed, now);
  }

  @Test
  void requestIsAnswered_andItsCapacityIsBookedForAWhile() {
    request("fits", 1, "");
    CheckCapacity requests = new CheckCapacity(cluster.admin());
    Instant now = Instant.now();

    assertThat(booked(requests, now)).hasSize(1);
    assertThat(conditionsOf("fits")).containsExactlyInAnyOrder("Accepted=True", "Provisioned=True");

    request("too-many", 1, ""); // as the capacity is booked already
    request("once", 1, "  parameters: {noRetry: \"true\"}");
    assertThat(booked(requests, now.plusSeconds(1))).hasSize(1);
    assertThat(conditionsOf("too-many")).contains("Provisioned=False");
    assertThat(conditionsOf("once")).contains("Failed=True");

    List<Pod> later = booked(requests, now.plus(Duration.ofMinutes(10)));
    assertThat(later)
        .extracting(pod -> pod.getMetadata().getName())
        .containsExactly("too-many-0-0");
    assertThat(conditionsOf("fits")).contains("BookingExpired=True");
    assertThat(conditionsOf("too-many")).contains("Provisioned=True");
  }

  @Test
  void requestWithoutItsPodTemplate_waits_andOthersAreAnswered() {
    cluster.apply(
        """
        apiVersion: autoscaling.x-k8s.io/v1
        kind: ProvisioningRequest
        metadata: {namespace: default, name: absent}
        spec:
          provisioningClassName: check-capacity.autoscaling.x-k8s.io
          podSets: [{count: 1, podTemplateRef: {name: absent}}]
        """);
    request("fits", 1, "");

    assertThat(booked(new CheckCapacity(cluster.admin()), Instant.now())).hasSize(1);
    assertThat(conditionsOf("fits")).contains("Provisioned=True");
  }

  @Test
  void podsThatUseBookedCapacity_arePlaced_andBringNoNodes() {
    request("fits", 1, "");
    Autoscaler autoscaler =
        cluster.autoscaler(
            Rules.CLUSTER,
            Duration.ofHours(1),
            new CheckCapacity(cluster.admin()),
            AutoscaledGround.group("large", "8"));
    AutoscaledGround.step(autoscaler);
    String uses = ", annotations: {%s: fits}".formatted(CapacityRequests.CONSUMES);
    cluster.create("user-0", "4", uses, "");
    cluster.awaitBound("user-0");
    cluster.create("user-1", "4", uses, "");
    cluster.awaitReason("user-1", "Unschedulable");
    AutoscaledGround.stepForAWhile(autoscaler);

    assertThat(autoscaler.bought()).isZero();
    assertThat(Stream.of("user-0", "user-1").filter(cluster::isBound)).containsExactly("user-0");
  }
}
