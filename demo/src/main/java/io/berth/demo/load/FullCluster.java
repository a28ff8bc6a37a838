package io.berth.demo.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.cluster.ReadyNodes;
import io.berth.sandbox.loop.ObjectWriter;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.ClusterApi;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * A full cluster, created directly in an embedded API server: nodes in zones and racks, and bound
 * pods of many workloads, with typical labels, owner references, environment variables, and
 * volumes.
 */
public final class FullCluster {
  /** The namespace of the pods. */
  public static final String NAMESPACE = "production";

  private static final int PODS_A_WORKLOAD = 30;
  private static final int VARIABLES = 12;
  private static final int IMAGES_A_NODE = 20;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ObjectWriter writer;

  public FullCluster(ClusterApi api) {
    this.writer = new ObjectWriter(api, "kube-controller-manager");
  }

  /** Creates nodes and pods, which are bound to the nodes round-robin. */
  public void create(int nodes, int pods) {
    put("", new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build());
    IntStream.range(0, nodes).parallel().forEach(i -> put("", node(i)));
    IntStream.range(0, pods).parallel().forEach(i -> put(NAMESPACE, pod(i, nodes)));
  }

  private void put(String namespace, HasMetadata object) {
    ResourceType type =
        writer.api().registry().ofKind(object.getApiVersion(), object.getKind()).orElseThrow();
    writer.create(type, namespace, JSON.<ObjectNode>valueToTree(object));
  }

  private static String id(String of) {
    return UUID.nameUUIDFromBytes(of.getBytes(StandardCharsets.UTF_8)).toString();
  }

  private static String nodeName(int i) {
    return "node-%05d".formatted(i);
  }

  private static Node node(int i) {
    Map<String, Quantity> capacity =
        Map.of(
            "cpu", new Quantity("32"),
            "memory", new Quantity("128Gi"),
            "pods", new Quantity("110"),
            "ephemeral-storage", new Quantity("200Gi"));
    NodeBuilder node =
        new NodeBuilder()
            .withNewMetadata()
            .withName(nodeName(i))
            .addToLabels("kubernetes.io/hostname", nodeName(i))
            .addToLabels("kubernetes.io/os", "linux")
            .addToLabels("kubernetes.io/arch", "amd64")
            .addToLabels("node.kubernetes.io/instance-type", "large-" + i % 4)
            .addToLabels("topology.kubernetes.io/region", "region")
            .addToLabels("topology.kubernetes.io/zone", "zone-" + i % 3)
            .addToLabels("topology.kubernetes.io/rack", "rack-" + i / 40)
            .endMetadata()
            .withNewSpec()
            .withProviderID("provider:///" + nodeName(i))
            .endSpec()
            .withStatus(ReadyNodes.status(capacity));
    for (int image = 0; image < IMAGES_A_NODE; image++) {
      node.editStatus()
          .addNewImage()
          .withNames("registry.example/image-%d:v%d".formatted((i + image) % 400, image % 3))
          .withSizeBytes(200_000_000L + image)
          .endImage()
          .endStatus();
    }
    return node.build();
  }

  private static Pod pod(int i, int nodes) {
    int workload = i / PODS_A_WORKLOAD;
    String app = "app-%04d".formatted(workload);
    PodBuilder pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace(NAMESPACE)
            .withName("%s-%06d".formatted(app, i))
            .addToLabels("app.kubernetes.io/name", app)
            .addToLabels("app.kubernetes.io/component", "server")
            .addToLabels("pod-template-hash", Integer.toHexString(app.hashCode()))
            .addToAnnotations("prometheus.io/scrape", "true")
            .addToAnnotations("checksum/config", id(app))
            .addNewOwnerReference()
            .withApiVersion("apps/v1")
            .withKind("ReplicaSet")
            .withName(app)
            .withUid(id(app))
            .withController(true)
            .endOwnerReference()
            .endMetadata()
            .withNewSpec()
            .withNodeName(nodeName(i % nodes))
            .addNewContainer()
            .withName("server")
            .withImage("registry.example/image-%d:v1".formatted(workload % 400))
            .withNewResources()
            .addToRequests("cpu", new Quantity(100 + 100 * (workload % 8) + "m"))
            .addToRequests("memory", new Quantity(256 + 128 * (workload % 6) + "Mi"))
            .endResources()
            .addNewPort()
            .withContainerPort(8080)
            .endPort()
            .addNewVolumeMount()
            .withName("config")
            .withMountPath("/etc/app")
            .endVolumeMount()
            .endContainer()
            .addNewVolume()
            .withName("config")
            .withNewConfigMap()
            .withName(app)
            .endConfigMap()
            .endVolume()
            .endSpec();
    if (workload % 4 == 0) {
      pod.editSpec()
          .addNewTopologySpreadConstraint()
          .withMaxSkew(1)
          .withTopologyKey("topology.kubernetes.io/zone")
          .withWhenUnsatisfiable("ScheduleAnyway")
          .withNewLabelSelector()
          .addToMatchLabels("app.kubernetes.io/name", app)
          .endLabelSelector()
          .endTopologySpreadConstraint()
          .endSpec();
    }
    for (int variable = 0; variable < VARIABLES; variable++) {
      pod.editSpec()
          .editContainer(0)
          .addNewEnv()
          .withName("SETTING_" + variable)
          .withValue("value-%d-of-%s".formatted(variable, app))
          .endEnv()
          .endContainer()
          .endSpec();
    }
    return pod.build();
  }
}
