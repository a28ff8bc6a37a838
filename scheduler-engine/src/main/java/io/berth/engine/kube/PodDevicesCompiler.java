package io.berth.engine.kube;

import io.berth.engine.devices.DeviceClass;
import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.PodRef;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodResourceClaim;
import io.fabric8.kubernetes.api.model.PodResourceClaimStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Compiles what a pod needs of dynamic resource allocation. */
final class PodDevicesCompiler {
  private final Pod pod;
  private final PodRef ref;
  private final PodReading reading;
  private final CardReading cards;

  PodDevicesCompiler(Pod pod, PodRef ref, PodReading reading, CardReading cards) {
    this.pod = pod;
    this.ref = ref;
    this.reading = reading;
    this.cards = cards;
  }

  PodDevices compile() {
    List<PodClaim> claims =
        reading
            .each(
                pod.getSpec().getResourceClaims(),
                PodLimit.RESOURCE_CLAIMS,
                "spec.resourceClaims",
                this::claim)
            .stream()
            .flatMap(Optional::stream)
            .toList();
    List<PodDevices.ContainerResources> containers =
        reading.part(this::containers, List.<PodDevices.ContainerResources>of());
    return claims.isEmpty() && containers.isEmpty()
        ? PodDevices.none()
        : new PodDevices(claims, containers);
  }

  /** Returns the claim; empty if none is made for the reference, on purpose. */
  private Optional<PodClaim> claim(PodResourceClaim claim) {
    if (claim.getResourceClaimName() != null) {
      return Optional.of(new PodClaim.Named(claim.getResourceClaimName()));
    }
    if (claim.getResourceClaimTemplateName() == null) {
      return Optional.of(new PodClaim.Unknown(PodCompiler.orEmpty(claim.getName()), ref));
    }
    List<PodResourceClaimStatus> statuses =
        pod.getStatus() == null ? List.of() : pod.getStatus().getResourceClaimStatuses();
    for (PodResourceClaimStatus status : statuses) {
      if (PodCompiler.orEmpty(claim.getName()).equals(status.getName())) {
        return Optional.ofNullable(status.getResourceClaimName())
            .map(name -> new PodClaim.FromTemplate(name, ref));
      }
    }
    return Optional.of(new PodClaim.Awaited(ref));
  }

  private List<PodDevices.ContainerResources> containers() {
    List<PodDevices.ContainerResources> containers = new ArrayList<>();
    for (Container container : pod.getSpec().getInitContainers()) {
      containers.add(resources(container, !EffectiveRequests.restartsAlways(container)));
    }
    for (Container container : pod.getSpec().getContainers()) {
      containers.add(resources(container, false));
    }
    return containers.stream().allMatch(of -> of.amounts().isEmpty()) ? List.of() : containers;
  }

  private PodDevices.ContainerResources resources(Container container, boolean endsEarly) {
    SortedMap<String, Long> amounts = new TreeMap<>();
    SortedMap<String, Integer> positions = new TreeMap<>();
    Map<String, Quantity> requests =
        container.getResources() == null ? null : container.getResources().getRequests();
    if (requests != null) {
      int position = 0;
      for (String name : new TreeSet<>(requests.keySet())) {
        if (mayBeServedByDevices(name)) {
          long amount = Quantities.read(requests.get(name), "requests." + name).units();
          if (amount > 0) {
            amounts.put(name, amount);
            positions.put(name, position);
          }
        }
        position++;
      }
    }
    return new PodDevices.ContainerResources(endsEarly, amounts, positions);
  }

  private boolean mayBeServedByDevices(String resource) {
    return isExtended(resource) && !cards.measuresCards(resource);
  }

  /** Returns whether devices may serve the resource, by its name. */
  static boolean isExtended(String resource) {
    if (resource.startsWith(DeviceClass.RESOURCE_PREFIX)) {
      return true;
    }
    return resource.contains("/")
        && !resource.contains("kubernetes.io/")
        && !resource.startsWith("requests.");
  }
}
