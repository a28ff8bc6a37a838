package io.berth.demo.history;

import io.berth.crds.Annotations;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimConsumerReference;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Conversion of API objects to the states that a history contains. */
public final class ObservedStates {
  /**
   * The annotation with the number of devices that the claims of a pod ask for. Nodes offer as many
   * as a resource of this name, which only the rules read.
   */
  public static final String DEVICES = "berth.io/history-devices";

  private static final Amounts ONE_POD = Amounts.of(Map.of("pods", new Quantity("1")));

  private final String toleratedTaint;
  private final Set<String> servedByClaims;

  /**
   * @param toleratedTaint key of the taint that the pods of the run tolerate
   * @param servedByClaims the resources that pods get by claims alone, because no node counts them
   */
  public ObservedStates(String toleratedTaint, Set<String> servedByClaims) {
    this.toleratedTaint = toleratedTaint;
    this.servedByClaims = servedByClaims;
  }

  /** Returns the state of a pod. */
  public PodState of(Pod pod) {
    String phase =
        pod.getStatus() == null ? "" : Objects.requireNonNullElse(pod.getStatus().getPhase(), "");
    return new PodState(
        pod.getMetadata().getUid(),
        pod.getMetadata().getNamespace(),
        pod.getMetadata().getName(),
        Objects.requireNonNullElse(pod.getSpec().getSchedulerName(), ""),
        Objects.requireNonNullElse(pod.getSpec().getPriority(), 0),
        requests(pod).without(servedByClaims),
        Objects.requireNonNullElse(pod.getSpec().getNodeSelector(), Map.of()),
        Optional.ofNullable(pod.getSpec().getNodeName()).filter(name -> !name.isEmpty()),
        !orEmpty(pod.getSpec().getSchedulingGates()).isEmpty(),
        pod.getMetadata().getDeletionTimestamp() != null,
        phase.equals("Succeeded") || phase.equals("Failed"),
        evictedBy(pod),
        Optional.ofNullable(pod.getMetadata().getLabels())
            .map(labels -> labels.get(Annotations.QUEUE_LABEL)));
  }

  /** Returns the state of a node. */
  public NodeState of(Node node) {
    boolean cordoned = Boolean.TRUE.equals(node.getSpec().getUnschedulable());
    return new NodeState(
        node.getMetadata().getName(),
        Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.of()),
        Amounts.of(node.getStatus().getAllocatable()),
        !cordoned && orEmpty(node.getSpec().getTaints()).stream().noneMatch(this::repels));
  }

  /** Returns the state of a resource claim. */
  public static ClaimState of(ResourceClaim claim) {
    return new ClaimState(
        claim.getMetadata().getNamespace(),
        claim.getMetadata().getName(),
        results(claim).stream()
            .filter(result -> !Boolean.TRUE.equals(result.getAdminAccess()))
            .filter(result -> result.getShareID() == null)
            .map(
                result ->
                    String.join("/", result.getDriver(), result.getPool(), result.getDevice()))
            .collect(Collectors.toSet()),
        claim.getStatus() == null
            ? Set.of()
            : orEmpty(claim.getStatus().getReservedFor()).stream()
                .map(ResourceClaimConsumerReference::getUid)
                .collect(Collectors.toSet()));
  }

  private static List<DeviceRequestAllocationResult> results(ResourceClaim claim) {
    if (claim.getStatus() == null
        || claim.getStatus().getAllocation() == null
        || claim.getStatus().getAllocation().getDevices() == null) {
      return List.of();
    }
    return orEmpty(claim.getStatus().getAllocation().getDevices().getResults());
  }

  private boolean repels(Taint taint) {
    return !taint.getKey().equals(toleratedTaint) && !"PreferNoSchedule".equals(taint.getEffect());
  }

  /**
   * Returns the requests as counted by kube-scheduler, per resource: the sum of the containers or
   * the largest init container, whichever is larger, plus the overhead.
   */
  private static Amounts requests(Pod pod) {
    Amounts sum = Amounts.NONE;
    for (Container container : pod.getSpec().getContainers()) {
      sum = sum.plus(requests(container));
    }
    for (Container container : orEmpty(pod.getSpec().getInitContainers())) {
      sum = sum.max(requests(container));
    }
    return sum.plus(Amounts.of(Objects.requireNonNullElse(pod.getSpec().getOverhead(), Map.of())))
        .plus(devices(pod))
        .plus(ONE_POD);
  }

  private static Amounts devices(Pod pod) {
    String devices =
        Objects.requireNonNullElse(pod.getMetadata().getAnnotations(), Map.<String, String>of())
            .get(DEVICES);
    return devices == null ? Amounts.NONE : Amounts.of(Map.of(DEVICES, new Quantity(devices)));
  }

  private static Amounts requests(Container container) {
    return container.getResources() == null || container.getResources().getRequests() == null
        ? Amounts.NONE
        : Amounts.of(container.getResources().getRequests());
  }

  /**
   * Returns the scheduler that preempted a pod, from the DisruptionTarget condition, whose message
   * starts with the name of the scheduler.
   */
  private static Optional<String> evictedBy(Pod pod) {
    if (pod.getStatus() == null) {
      return Optional.empty();
    }
    return orEmpty(pod.getStatus().getConditions()).stream()
        .filter(condition -> "DisruptionTarget".equals(condition.getType()))
        .filter(condition -> "PreemptionByScheduler".equals(condition.getReason()))
        .map(PodCondition::getMessage)
        .filter(Objects::nonNull)
        .map(message -> message.split(":", 2)[0])
        .findFirst();
  }

  private static <T> List<T> orEmpty(List<T> list) {
    return list == null ? List.of() : list;
  }
}
