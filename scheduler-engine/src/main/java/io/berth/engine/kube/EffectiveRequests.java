package io.berth.engine.kube;

import io.berth.engine.quantity.ExactQuantity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a pending or placed pod, computed as in Kubernetes 1.36.
 *
 * <p>Containers run at the same time, so their requests are summed. Init containers run in sequence
 * before them, so only the largest request counts, except for those that always restart (sidecars):
 * their requests are added to those of later init containers and to those of the containers.
 * Pod-level requests replace the sums for CPU, memory and huge pages. Finally, the overhead of the
 * runtime class is added.
 *
 * <p>While a pod is resized in place, it holds the largest of the requested, the allocated, and the
 * actual resources; if the node has marked the resize as infeasible, only of the latter two.
 */
final class EffectiveRequests {

  /** The CPU of a container without a CPU request in scores. */
  static final ExactQuantity DEFAULT_CPU = ExactQuantity.ofMillis(100);

  /** The memory of a container without a memory request in scores. */
  static final ExactQuantity DEFAULT_MEMORY = ExactQuantity.ofUnits(200L * 1024 * 1024);

  private static final Map<String, ExactQuantity> DEFAULTS =
      Map.of("cpu", DEFAULT_CPU, "memory", DEFAULT_MEMORY);

  private final PodSpec spec;
  private final PodStatus status;
  private final boolean resizeInfeasible;
  private final Map<String, ContainerStatus> containerStatuses;

  EffectiveRequests(Pod pod) {
    this.spec = pod.getSpec();
    this.status = pod.getStatus() == null ? new PodStatus() : pod.getStatus();
    this.resizeInfeasible = isResizeInfeasible(status);
    this.containerStatuses = statusesByName(status);
  }

  /** Returns the amounts that must be free on a node for the pod, according to its spec alone. */
  Map<String, ExactQuantity> asked() {
    return total(false, Map.of());
  }

  /** Returns the amounts that the pod holds on its node. */
  Map<String, ExactQuantity> held() {
    return total(true, Map.of());
  }

  /**
   * Returns the amounts that the pod holds on its node for scores, with defaults for containers
   * without requests. With pod-level requests, only resources that are not requested anywhere in
   * the pod get defaults.
   */
  Map<String, ExactQuantity> heldWithDefaults(Map<String, ExactQuantity> held) {
    Map<String, ExactQuantity> missing = DEFAULTS;
    if (hasPodLevelRequests()) {
      missing = new HashMap<>(DEFAULTS);
      missing.keySet().removeAll(held.keySet());
    }
    return missing.isEmpty() ? held : total(true, missing);
  }

  /**
   * Returns the amounts of the incoming pod for the scores of NodeResourcesFit: the requests of its
   * containers, each with defaults, and the overhead. kube-scheduler ignores pod-level requests
   * here, although it uses them for filtering and counts them once the pod is placed.
   */
  Map<String, ExactQuantity> scoredWithDefaults() {
    return scored(DEFAULTS);
  }

  /** Returns the same amounts without defaults. */
  Map<String, ExactQuantity> scored() {
    return scored(Map.of());
  }

  private Map<String, ExactQuantity> scored(Map<String, ExactQuantity> missing) {
    Map<String, ExactQuantity> total = ofContainers(false, missing);
    addTo(total, Quantities.read(spec.getOverhead(), "spec.overhead"));
    return total;
  }

  private Map<String, ExactQuantity> total(boolean useStatus, Map<String, ExactQuantity> missing) {
    Map<String, ExactQuantity> total = ofContainers(useStatus, missing);
    Map<String, ExactQuantity> podLevel = podLevelRequests();
    if (!podLevel.isEmpty()) {
      Map<String, ExactQuantity> effective = useStatus ? resizedPodLevel(podLevel) : podLevel;
      podLevel.forEach(
          (name, amount) -> {
            if (isPodLevelResource(name)) {
              total.put(name, effective.getOrDefault(name, ExactQuantity.ZERO));
            }
          });
    }
    addTo(total, Quantities.read(spec.getOverhead(), "spec.overhead"));
    return total;
  }

  private Map<String, ExactQuantity> ofContainers(
      boolean useStatus, Map<String, ExactQuantity> missing) {
    Map<String, ExactQuantity> total = new HashMap<>();
    for (Container container : spec.getContainers()) {
      addTo(total, requestsOf(container, "spec.containers", useStatus, missing));
    }
    Map<String, ExactQuantity> sidecars = new HashMap<>();
    Map<String, ExactQuantity> peak = new HashMap<>();
    for (Container container : spec.getInitContainers()) {
      boolean sidecar = restartsAlways(container);
      Map<String, ExactQuantity> requests =
          requestsOf(container, "spec.initContainers", useStatus && sidecar, missing);
      if (sidecar) {
        addTo(total, requests);
        addTo(sidecars, requests);
        maxInto(peak, sidecars);
      } else {
        Map<String, ExactQuantity> during = new HashMap<>(sidecars);
        addTo(during, requests);
        maxInto(peak, during);
      }
    }
    maxInto(total, peak);
    return total;
  }

  private Map<String, ExactQuantity> requestsOf(
      Container container, String where, boolean useStatus, Map<String, ExactQuantity> missing) {
    ResourceRequirements resources = container.getResources();
    String place = where + "[" + container.getName() + "].resources.requests";
    Map<String, ExactQuantity> requests =
        resources == null ? Map.of() : Quantities.read(resources.getRequests(), place);
    ContainerStatus reported = useStatus ? containerStatuses.get(container.getName()) : null;
    if (reported != null && reported.getResources() != null) {
      String at = "status of container " + container.getName();
      requests =
          duringResize(
              requests,
              Quantities.read(reported.getResources().getRequests(), at + ": resources"),
              Quantities.read(reported.getAllocatedResources(), at + ": allocatedResources"));
    }
    if (missing.isEmpty()) {
      return requests;
    }
    Map<String, ExactQuantity> completed = new HashMap<>(missing);
    completed.putAll(requests);
    return completed;
  }

  private Map<String, ExactQuantity> duringResize(
      Map<String, ExactQuantity> wanted,
      Map<String, ExactQuantity> running,
      Map<String, ExactQuantity> allocated) {
    Map<String, ExactQuantity> result = new HashMap<>(running);
    maxInto(result, allocated);
    if (!resizeInfeasible) {
      maxInto(result, wanted);
    }
    return result;
  }

  /**
   * Returns whether the pod holds what its spec asks for, and scores count that too: it has no
   * requests at pod level, and the status reports no resources of its containers.
   */
  boolean isAsInSpec() {
    for (ContainerStatus reported : containerStatuses.values()) {
      if (reported.getResources() != null) {
        return false;
      }
    }
    return !hasPodLevelRequests();
  }

  /** Returns whether the pod has requests at pod level. */
  boolean hasPodLevelRequests() {
    return !podLevelRequests().isEmpty();
  }

  /**
   * Returns all pod-level requests; empty if none of them is of a resource that is supported at pod
   * level.
   */
  private Map<String, ExactQuantity> podLevelRequests() {
    ResourceRequirements resources = spec.getResources();
    if (resources == null || resources.getRequests() == null) {
      return Map.of();
    }
    boolean any = resources.getRequests().keySet().stream().anyMatch(this::isPodLevelResource);
    return any ? Quantities.read(resources.getRequests(), "spec.resources.requests") : Map.of();
  }

  private boolean isPodLevelResource(String name) {
    return name.equals("cpu") || name.equals("memory") || name.startsWith("hugepages-");
  }

  /**
   * Returns the pod-level amounts of a resize, from two status fields that the client's model does
   * not have yet.
   */
  private Map<String, ExactQuantity> resizedPodLevel(Map<String, ExactQuantity> wanted) {
    Object resources = status.getAdditionalProperties().get("resources");
    if (!(resources instanceof Map<?, ?> running)) {
      return wanted;
    }
    return duringResize(
        wanted,
        untyped(running.get("requests"), "status.resources.requests"),
        untyped(
            status.getAdditionalProperties().get("allocatedResources"),
            "status.allocatedResources"));
  }

  private static Map<String, ExactQuantity> untyped(@Nullable Object list, String where) {
    Map<String, ExactQuantity> result = new HashMap<>();
    if (list instanceof Map<?, ?> entries) {
      entries.forEach(
          (name, amount) ->
              result.put(
                  String.valueOf(name),
                  Quantities.read(String.valueOf(amount), where + "." + name)));
    }
    return result;
  }

  static boolean restartsAlways(Container container) {
    return "Always".equals(container.getRestartPolicy());
  }

  private static boolean isResizeInfeasible(PodStatus status) {
    for (PodCondition condition : status.getConditions()) {
      if ("PodResizePending".equals(condition.getType())) {
        return "Infeasible".equals(condition.getReason());
      }
    }
    return false;
  }

  private static Map<String, ContainerStatus> statusesByName(PodStatus status) {
    List<ContainerStatus> containers = status.getContainerStatuses();
    List<ContainerStatus> initContainers = status.getInitContainerStatuses();
    if (containers.isEmpty() && initContainers.isEmpty()) {
      return Map.of();
    }
    Map<String, ContainerStatus> byName = new HashMap<>();
    containers.forEach(container -> byName.put(container.getName(), container));
    initContainers.forEach(container -> byName.put(container.getName(), container));
    return byName;
  }

  private static void addTo(Map<String, ExactQuantity> sum, Map<String, ExactQuantity> added) {
    added.forEach((name, amount) -> sum.merge(name, amount, ExactQuantity::plus));
  }

  private static void maxInto(
      Map<String, ExactQuantity> largest, Map<String, ExactQuantity> other) {
    other.forEach((name, amount) -> largest.merge(name, amount, ExactQuantity::max));
  }
}
