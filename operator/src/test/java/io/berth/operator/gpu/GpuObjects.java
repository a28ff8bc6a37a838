package io.berth.operator.gpu;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Nodes and pods as on the API server. */
final class GpuObjects {
  private GpuObjects() {}

  static Node node(String name, Map<String, String> annotations, Map<String, String> resources) {
    Map<String, Quantity> capacity = new HashMap<>();
    Map.of("cpu", "64", "memory", "256Gi", "pods", "110")
        .forEach((resource, amount) -> capacity.put(resource, new Quantity(amount)));
    resources.forEach((resource, amount) -> capacity.put(resource, new Quantity(amount)));
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .withUid("uid-" + name)
        .addToLabels("kubernetes.io/hostname", name)
        .withAnnotations(annotations)
        .endMetadata()
        .withNewStatus()
        .withCapacity(capacity)
        .withAllocatable(capacity)
        .endStatus()
        .build();
  }

  /** Returns a node of gpu-manager, with cards of 64 blocks of memory. */
  static Node gpuManagerNode(String name, int cards) {
    return node(
        name,
        Map.of(),
        Map.of(Vcuda.CORES, String.valueOf(100 * cards), Vcuda.MEMORY, String.valueOf(64 * cards)));
  }

  /** Returns a node of HAMi, with cards of 32,768 MiB that ten containers may share. */
  static Node hamiNode(String name, int cards) {
    StringBuilder register = new StringBuilder();
    for (int i = 0; i < cards; i++) {
      register
          .append(i == 0 ? "[" : ",")
          .append(
              "{\"id\":\"GPU-%s-%d\",\"index\":%d,\"count\":10,\"devmem\":32768,\"devcore\":100,\"type\":\"NVIDIA-V100\",\"mode\":\"hami-core\",\"health\":true}"
                  .formatted(name, i, i));
    }
    return node(
        name,
        Map.of(HamiRegister.ANNOTATION, register.append(']').toString()),
        Map.of(Hami.COUNT, String.valueOf(10 * cards)));
  }

  static Node plainNode(String name, String inventory) {
    return node(name, Map.of(PlainCards.INVENTORY, inventory), Map.of(Hami.COUNT, "8"));
  }

  static Container container(String name, Map<String, String> resources) {
    Map<String, Quantity> amounts = new HashMap<>();
    resources.forEach((resource, amount) -> amounts.put(resource, new Quantity(amount)));
    return new ContainerBuilder()
        .withName(name)
        .withImage("busybox")
        .withNewResources()
        .withRequests(amounts)
        .withLimits(amounts)
        .endResources()
        .build();
  }

  static Pod pod(String name, Container... containers) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("default")
        .withName(name)
        .withUid("uid-" + name)
        .withCreationTimestamp("2026-01-01T00:00:00Z")
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .withContainers(List.of(containers))
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  static Pod annotated(Pod pod, Map<String, String> annotations) {
    return new PodBuilder(pod).editMetadata().addToAnnotations(annotations).endMetadata().build();
  }

  /** Returns the pod after a Binding to a node with these annotations. */
  static Pod bound(Pod pod, String nodeName, Map<String, String> annotations) {
    return new PodBuilder(annotated(pod, annotations))
        .editSpec()
        .withNodeName(nodeName)
        .endSpec()
        .build();
  }

  /** Returns the pod after the kubelet has reported that it admitted it. */
  static Pod acknowledged(Pod pod) {
    return new PodBuilder(pod)
        .editStatus()
        .withStartTime("2026-01-01T00:00:01Z")
        .endStatus()
        .build();
  }

  static Pod running(Pod pod) {
    return new PodBuilder(acknowledged(pod)).editStatus().withPhase("Running").endStatus().build();
  }
}
