package io.berth.operator.gpu;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;

/**
 * A simulation of HAMi's device plugin: it takes the pod for which the node is locked to be the one
 * that the kubelet asks for, assigns the devices in the annotation to its containers one by one,
 * removes them from the annotation, and after the last one writes success and releases the lock.
 */
final class HamiAgent implements Agent {
  @Override
  public void admit(Pod pod, Cluster cluster) {
    for (Container container : pod.getSpec().getContainers()) {
      if (container.getResources().getLimits().containsKey(Hami.COUNT)) {
        allocate(pod, container, cluster);
      }
    }
  }

  private static void allocate(Pod asked, Container container, Cluster cluster) {
    String found = cluster.lockedFor();
    if (!found.equals(asked.getMetadata().getName())) {
      throw new AssertionError(
          "the kubelet asks for pod %s, and the node is locked for '%s'"
              .formatted(asked.getMetadata().getName(), found));
    }
    Pod pod = cluster.pods().get(found);
    String devices = pod.getMetadata().getAnnotations().get(Hami.TO_ALLOCATE);
    String[] parts = devices.split(";", -1);
    int next = 0;
    while (next < parts.length && parts[next].isEmpty()) {
      next++;
    }
    if (next == parts.length) {
      throw new AssertionError("no pending device allocation found");
    }
    int count =
        container.getResources().getLimits().get(Hami.COUNT).getNumericalAmount().intValue();
    if (List.of(parts[next].split(":")).size() != count) {
      throw new AssertionError("device number not matched");
    }
    parts[next] = "";
    String left = String.join(";", parts);
    cluster.annotate(found, Map.of(Hami.TO_ALLOCATE, left));
    if (!left.contains("NVIDIA")) {
      cluster.annotate(found, Map.of(Hami.BIND_PHASE, "success"));
      cluster.unlock(found);
    }
  }

  @Override
  public void start(Pod pod, Cluster cluster) {
    // The cards were assigned when the pod was admitted.
  }

  @Override
  public String memory() {
    return "";
  }
}
