package io.berth.engine.devices;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.ResourceAmounts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The requests for devices that serve the extended resources of a pod on one node. */
final class ExtendedRequests {
  private final PodDevices pod;
  private final ResourceAmounts asked;
  private final DeviceClasses classes;

  ExtendedRequests(PodDevices pod, ResourceAmounts asked, DeviceClasses classes) {
    this.pod = pod;
    this.asked = asked;
    this.classes = classes;
  }

  /** Returns whether a class serves any of the pod's extended resources. */
  boolean areServed() {
    for (int i = 0; i < asked.size(); i++) {
      if (isExtended(i) && classes.servingResource(asked.name(i)).isPresent()) {
        return true;
      }
    }
    return false;
  }

  private boolean isExtended(int number) {
    String name = asked.name(number);
    return asked.amount(number) > 0
        && (name.startsWith(DeviceClass.RESOURCE_PREFIX)
            || (name.contains("/")
                && !name.contains("kubernetes.io/")
                && !name.startsWith("requests.")));
  }

  /** Returns whether neither the node nor a class offers one of the resources. */
  boolean lackAny(NodeModel node) {
    for (int i = 0; i < asked.size(); i++) {
      if (isExtended(i)
          && classes.servingResource(asked.name(i)).isEmpty()
          && !offers(node, asked.name(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean offers(NodeModel node, String resource) {
    for (int i = 0; i < node.allocatable().size(); i++) {
      if (node.allocatable().name(i).equals(resource)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the resources that the node does not offer, but devices do, with their classes. */
  Map<String, String> servedOn(NodeModel node) {
    Map<String, String> served = new TreeMap<>();
    for (int i = 0; i < asked.size(); i++) {
      String name = asked.name(i);
      if (isExtended(i) && node.allocatable().amountOf(name) == 0) {
        classes.servingResource(name).ifPresent(of -> served.put(name, of.name()));
      }
    }
    return served;
  }

  /** Returns the requests for these resources, and the containers that they serve. */
  ClaimAllocation.ExtendedClaim of(Map<String, String> served) {
    List<DeviceRequest> requests = new ArrayList<>();
    List<ClaimAllocation.Mapping> mappings = new ArrayList<>();
    served.forEach((resource, className) -> add(resource, className, requests, mappings));
    requests.sort((a, b) -> a.name().compareTo(b.name()));
    return new ClaimAllocation.ExtendedClaim(requests, mappings);
  }

  private record Wanted(String name, long count) {}

  private void add(
      String resource,
      String className,
      List<DeviceRequest> requests,
      List<ClaimAllocation.Mapping> mappings) {
    int containers = pod.containers().size();
    Map<Integer, Wanted> lasting = new HashMap<>();
    for (int i = 0; i < containers; i++) {
      PodDevices.ContainerResources container = pod.containers().get(i);
      if (!container.endsEarly() && container.amounts().containsKey(resource)) {
        Wanted wanted = new Wanted(requestName(i, resource), container.amounts().get(resource));
        lasting.put(i, wanted);
        mappings.add(new ClaimAllocation.Mapping(i, resource, wanted.name()));
      }
    }
    addEarly(resource, className, lasting, requests, mappings);
    for (int i = 0; i < containers; i++) {
      if (lasting.containsKey(i)) {
        requests.add(request(lasting.get(i), className));
      }
    }
  }

  /**
   * Adds the request of the containers that end early: those of later containers serve them, and
   * what is missing is requested once.
   */
  private void addEarly(
      String resource,
      String className,
      Map<Integer, Wanted> lasting,
      List<DeviceRequest> requests,
      List<ClaimAllocation.Mapping> mappings) {
    int containers = pod.containers().size();
    List<ClaimAllocation.Mapping> early = new ArrayList<>();
    List<String> own = new ArrayList<>();
    Wanted most = null;
    for (int i = 0; i < containers; i++) {
      PodDevices.ContainerResources container = pod.containers().get(i);
      if (!container.endsEarly() || !container.amounts().containsKey(resource)) {
        continue;
      }
      long missing = container.amounts().get(resource);
      for (int later = i; later < containers && missing > 0; later++) {
        Wanted reusable = lasting.get(later);
        if (reusable != null) {
          missing -= reusable.count();
          early.add(new ClaimAllocation.Mapping(i, resource, reusable.name()));
        }
      }
      if (missing > 0) {
        Wanted wanted = new Wanted(requestName(i, resource), missing);
        own.add(wanted.name());
        early.add(new ClaimAllocation.Mapping(i, resource, wanted.name()));
        most = most == null || most.count() < missing ? wanted : most;
      }
    }
    if (most != null) {
      requests.add(request(most, className));
    }
    for (ClaimAllocation.Mapping mapping : early) {
      mappings.add(
          most != null && own.contains(mapping.request())
              ? new ClaimAllocation.Mapping(mapping.container(), resource, most.name())
              : mapping);
    }
  }

  private String requestName(int container, String resource) {
    return "container-%d-request-%d"
        .formatted(container, pod.containers().get(container).positions().get(resource));
  }

  private static DeviceRequest request(Wanted wanted, String className) {
    DeviceAsk ask =
        new DeviceAsk(
            wanted.name(),
            className,
            DeviceAsk.EXACT_COUNT,
            wanted.count(),
            false,
            List.of(),
            List.of(),
            Map.of());
    return new DeviceRequest(wanted.name(), false, List.of(ask));
  }
}
