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
 * The requests of a pod, pending and placed, as Kubernetes 1.36 counts them.
 *
 * <p>Containers run together and add up. Init containers run one after the other before them, so
 * their largest demand counts, unless they restart always (sidecars): those stay, are added to what
 * runs after them, and to the containers. Requests at pod level replace the sums for cpu, memory
 * and huge pages. The overhead of the runtime is added last.
 *
 * <p>While a pod is resized in place, it holds the largest of what it asks for, what the node has
 * allocated and what runs; of the last two alone where the node has called the resize infeasible.
 */
final class EffectiveRequests {

  /** The CPU that a container without a CPU request counts for in scores. */
  static final ExactQuantity DEFAULT_CPU = ExactQuantity.ofMillis(100);

  /** The memory that a container without a memory request counts for in scores. */
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

  /** Returns the amounts that must be free on a node for the pod, by its spec alone. */
  Map<String, ExactQuantity> asked() {
    return total(false, Map.of());
  }

  /** Returns the amounts that the pod uses on its node. */
  Map<String, ExactQuantity> held() {
    return total(true, Map.of());
  }

  /**
   * Returns the amounts that the pod uses on its node for scores, which count containers without
   * requests by the defaults. With requests at pod level, only resources that nothing in the pod
   * names are defaulted.
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
   * Returns the amounts of the incoming pod for the scores of NodeResourcesFit: its containers by
   * their spec, each defaulted, and the overhead. kube-scheduler leaves requests at pod level out
   * here, though it filters by them and counts them once the pod is placed.
   */
  Map<String, ExactQuantity> scoredWithDefaults() {
    return scored(DEFAULTS);
  }

  /** The same without defaults. */
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

  /** Returns whether the pod itself asks for something, beside what its containers ask for. */
  boolean hasPodLevelRequests() {
    return !podLevelRequests().isEmpty();
  }

  /** All requests at pod level; empty where none of them is of a resource that counts there. */
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

  /** The client's model does not have these two fields of the status yet. */
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
