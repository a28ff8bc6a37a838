package io.berth.sandbox.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.sandbox.kubelet.PodAdmission.Rejection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class PodAdmissionTest {
  private final ObjectNode node =
      yaml(
          """
          metadata: {name: n1, labels: {pool: A, kubernetes.io/os: linux, size: '8'}}
          status: {allocatable: {cpu: '2', memory: 4Gi, pods: '3', example.com/card: '1'}}
          """);

  @Test
  void pod_thatFits_isTaken() {
    assertThat(PodAdmission.check(pod("1500m", "4Gi"), use("1500m", "4Gi"), node, List.of()))
        .isEmpty();
  }

  @Test
  void resources_areCheckedFirst_andNamed() {
    PodUse other = use("1", "1Gi");

    assertThat(PodAdmission.check(pod("1500m", "8Gi"), use("1500m", "8Gi"), node, List.of(other)))
        .contains(
            new Rejection(
                "OutOfcpu",
                "Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity:"
                    + " 2000"));
    assertThat(PodAdmission.check(pod("1", "4Gi"), use("1", "4Gi"), node, List.of(other)))
        .contains(
            new Rejection(
                "OutOfmemory",
                "Node didn't have enough resource: memory, requested: 4294967296, used:"
                    + " 1073741824, capacity: 4294967296"));
    PodUse none = use("0", "0");
    assertThat(PodAdmission.check(pod("0", "0"), none, node, List.of(none, none, none)))
        .contains(
            new Rejection(
                "OutOfpods",
                "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3"));
  }

  @Test
  void extendedResources_countWhereTheNodeHasThem() {
    ObjectNode card = withRequest("example.com/card", "2");
    ObjectNode unknown = withRequest("example.com/other", "2");

    assertThat(PodAdmission.check(card, PodUse.of(card), node, List.of()))
        .map(Rejection::reason)
        .contains("OutOfexample.com/card");
    assertThat(PodAdmission.check(unknown, PodUse.of(unknown), node, List.of())).isEmpty();
  }

  @Test
  void affinity_ports_andTaints_areCheckedInThisOrder() {
    ObjectNode elsewhere = yaml("spec: {nodeSelector: {pool: B}, containers: []}");
    ObjectNode port = yaml("spec: {containers: [{ports: [{hostPort: 80, containerPort: 80}]}]}");
    ObjectNode bigger =
        yaml(
            """
            spec:
              containers: []
              affinity:
                nodeAffinity:
                  requiredDuringSchedulingIgnoredDuringExecution:
                    nodeSelectorTerms:
                    - matchExpressions: [{key: size, operator: Gt, values: ['4']}]
            """);
    ObjectNode tainted = node.deepCopy();
    tainted
        .withObject("spec")
        .withArray("taints")
        .addObject()
        .put("key", "k")
        .put("effect", "NoExecute");

    assertThat(check(elsewhere, node))
        .isEqualTo(
            "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node"
                + " affinity/selector");
    assertThat(PodAdmission.check(port, PodUse.of(port), node, List.of(PodUse.of(port))))
        .map(Rejection::message)
        .contains(
            "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod"
                + " ports");
    assertThat(check(bigger, node)).isEmpty();
    assertThat(check(bigger, tainted))
        .isEqualTo(
            "TaintToleration: Predicate TaintToleration failed: node(s) had taints that the pod"
                + " didn't tolerate");
  }

  @Test
  void use_countsInitContainersSidecarsOverheadAndPodLevelResources() {
    ObjectNode pod =
        yaml(
            """
            spec:
              overhead: {cpu: 10m}
              initContainers:
              - {name: side, restartPolicy: Always, resources: {requests: {cpu: 100m}}}
              - {name: init, resources: {requests: {cpu: '1'}}}
              containers:
              - {name: main, resources: {requests: {cpu: 500m, memory: 1Gi}}}
            """);

    assertThat(PodUse.of(pod).requests()).containsEntry("cpu", 1110L);
    pod.withObject("/spec/resources/requests").put("cpu", "3");
    assertThat(PodUse.of(pod).requests()).containsEntry("cpu", 3010L);
  }

  private static String check(ObjectNode pod, ObjectNode node) {
    return PodAdmission.check(pod, PodUse.of(pod), node, List.of())
        .map(rejection -> rejection.reason() + ": " + rejection.message())
        .orElse("");
  }

  private static ObjectNode pod(String cpu, String memory) {
    return yaml(
        "spec: {containers: [{name: c, resources: {requests: {cpu: %s, memory: %s}}}]}"
            .formatted("'" + cpu + "'", "'" + memory + "'"));
  }

  private static PodUse use(String cpu, String memory) {
    return PodUse.of(pod(cpu, memory));
  }

  private static ObjectNode withRequest(String resource, String quantity) {
    ObjectNode pod = pod("0", "0");
    ((ObjectNode) pod.at("/spec/containers/0/resources/requests")).put(resource, quantity);
    return pod;
  }

  private static ObjectNode yaml(String yaml) {
    try {
      return (ObjectNode) new YAMLMapper().readTree(yaml);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
