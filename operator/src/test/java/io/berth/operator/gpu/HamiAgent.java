package io.berth.operator.gpu;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;

/**
 * HAMi's device plugin as it acts: it takes the pod that the node is locked for as the one that the
 * kubelet asks for, gives its containers the devices of the annotation one by one, strikes them out
 * there, and after the last writes success and gives the lock back.
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
    // The cards were handed out when the pod was admitted.
  }

  @Override
  public String memory() {
    return "";
  }
}
