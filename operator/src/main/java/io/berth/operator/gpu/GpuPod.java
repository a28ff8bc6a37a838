package io.berth.operator.gpu;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The part of a pod with GPU requests that protocols read.
 *
 * @param containers all containers, including those without a request, init containers first
 * @param earlier the keys of annotations that stem from an earlier assignment, if the pod is not
 *     bound yet
 */
public record GpuPod(List<GpuContainer> containers, Set<String> earlier) {
  /**
   * A container.
   *
   * @param runs the part of the pod's lifetime in which it runs
   * @param amounts its requests for the resources of all protocols
   */
  public record GpuContainer(String name, Runs runs, Map<String, Long> amounts) {
    public GpuContainer {
      amounts = Map.copyOf(amounts);
    }

    /** Returns the requested amount of a resource; 0 if none. */
    long amount(String resource) {
      return amounts.getOrDefault(resource, 0L);
    }
  }

  /** The part of a pod's lifetime in which a container runs. */
  public enum Runs {
    /** An init container, which ends before the regular containers start. */
    FIRST,
    /** A sidecar, which starts before the regular containers and runs until the end. */
    ASIDE,
    /** A regular container. */
    TOGETHER
  }

  public GpuPod {
    containers = List.copyOf(containers);
    earlier = Set.copyOf(earlier);
  }

  /**
   * Reads a pod.
   *
   * @param resources the names of all resources that protocols read
   * @return empty for a pod that requests none of them
   */
  static Optional<GpuPod> of(Pod pod, Set<String> resources) {
    PodSpec spec = pod.getSpec();
    if (spec == null
        || !(anyNames(spec.getContainers(), resources)
            || anyNames(spec.getInitContainers(), resources))) {
      return Optional.empty(); // most pods, on every change
    }
    List<GpuContainer> containers = new ArrayList<>();
    for (Container container : spec.getInitContainers()) {
      boolean stays = "Always".equals(container.getRestartPolicy());
      containers.add(read(container, stays ? Runs.ASIDE : Runs.FIRST, resources));
    }
    for (Container container : spec.getContainers()) {
      containers.add(read(container, Runs.TOGETHER, resources));
    }
    boolean asks = containers.stream().anyMatch(container -> !container.amounts().isEmpty());
    return asks ? Optional.of(new GpuPod(containers, earlier(pod))) : Optional.empty();
  }

  private static boolean anyNames(List<Container> containers, Set<String> resources) {
    for (Container container : containers) {
      ResourceRequirements own = container.getResources();
      if (own != null
          && (anyNames(own.getRequests(), resources) || anyNames(own.getLimits(), resources))) {
        return true;
      }
    }
    return false;
  }

  private static boolean anyNames(@Nullable Map<String, Quantity> list, Set<String> resources) {
    return list != null && !Collections.disjoint(list.keySet(), resources);
  }

  private static GpuContainer read(Container container, Runs runs, Set<String> resources) {
    Map<String, Long> amounts = new HashMap<>();
    if (container.getResources() != null) {
      add(container.getResources().getRequests(), resources, amounts);
      add(container.getResources().getLimits(), resources, amounts);
    }
    String name = container.getName() == null ? "" : container.getName();
    return new GpuContainer(name, runs, amounts);
  }

  private static void add(
      @Nullable Map<String, Quantity> list, Set<String> resources, Map<String, Long> amounts) {
    if (list != null) {
      list.forEach(
          (name, quantity) -> {
            if (resources.contains(name) && quantity != null) {
              amounts.put(name, Amount.of(quantity));
            }
          });
      amounts.values().removeIf(amount -> amount == 0);
    }
  }

  private static Set<String> earlier(Pod pod) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    boolean placed = pod.getSpec().getNodeName() != null && !pod.getSpec().getNodeName().isEmpty();
    Set<String> keys = new TreeSet<>();
    if (annotations != null && !placed) {
      annotations.keySet().stream().filter(CardProtocols::isOfAnAssignment).forEach(keys::add);
    }
    return keys;
  }

  /** Returns whether a container requests a resource. */
  boolean asksFor(String resource) {
    return containers.stream().anyMatch(container -> container.amount(resource) > 0);
  }
}
