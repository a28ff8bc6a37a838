package io.berth.engine.volume;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PodVolume;
import io.berth.engine.quantity.ExactQuantity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that a pod's claims allow, by the rules of kube-scheduler's VolumeBinding. A bound
 * claim allows the nodes that can reach its volume. A claim that waits for its first consumer takes
 * the smallest free volume that suits it and the node, or else one that can be provisioned for the
 * node.
 *
 * <p>It is based on the pod's claims and their bound volumes at its creation, and must be created
 * again when these change.
 */
public final class ClaimPlanner {
  static final String NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity";
  static final String BIND_CONFLICT = "node(s) didn't find available persistent volumes to bind";
  static final String NO_SPACE = "node(s) did not have enough free storage";
  static final String NO_VOLUME =
      "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
  private static final String UNBOUND = "pod has unbound immediate PersistentVolumeClaims";

  private static final Comparator<VolumeClaim> BY_SIZE =
      Comparator.comparing(claim -> claim.requested().orElse(ExactQuantity.ZERO));

  /**
   * The plan for the pod's claims on one node.
   *
   * @param reasons the user-visible reasons against the node; empty if the node is suitable
   * @param steps the steps before the pod is bound there
   * @param uses the use of storage by which kube-scheduler scores the node, by class: that of the
   *     volumes that were chosen for claims or, if there are none, that of the volumes to provision
   *     of which the free capacity is known
   */
  public record Plan(List<String> reasons, List<VolumeStep> steps, List<StorageUse> uses) {
    public Plan {
      reasons = List.copyOf(reasons);
      steps = List.copyOf(steps);
      uses = List.copyOf(uses);
    }

    private static Plan refused(String... reasons) {
      return new Plan(List.of(reasons), List.of(), List.of());
    }
  }

  private static final Plan NOTHING_TO_DO = new Plan(List.of(), List.of(), List.of());
  private static final Plan NO_VOLUME_SUITS = Plan.refused(BIND_CONFLICT);

  private final StorageTable storage;
  private final List<Optional<Volume>> bound = new ArrayList<>();
  private final List<VolumeClaim> waiting = new ArrayList<>();
  private Optional<String> problem = Optional.empty();
  private long looks;

  /**
   * @param namespace the pod's namespace
   * @param volumes the pod's volumes
   */
  public ClaimPlanner(String namespace, List<PodVolume> volumes, StorageTable storage) {
    this.storage = storage;
    List<VolumeClaim> claims = new ArrayList<>();
    for (PodVolume volume : volumes) {
      if (volume instanceof PodVolume.Claim wanted && problem.isEmpty()) {
        Optional<VolumeClaim> found = storage.claim(namespace, wanted.claimName());
        problem = problemOf(wanted, found);
        found.ifPresent(claims::add);
      } else if (volume instanceof PodVolume.UnboundClaim described) {
        claims.add(UnboundClaims.claimLike(described));
      }
    }
    if (problem.isEmpty()) {
      claims.forEach(this::sort);
    }
    waiting.sort(BY_SIZE);
  }

  /** Returns the user-visible reason why no node is suitable. */
  public Optional<String> problem() {
    return problem;
  }

  static Optional<String> problemOf(PodVolume.Claim wanted, Optional<VolumeClaim> found) {
    String name = wanted.claimName();
    if (found.isEmpty()) {
      return Optional.of(
          wanted.madeFor().isPresent()
              ? "waiting for ephemeral volume controller to create the persistentvolumeclaim \""
                  + name
                  + "\""
              : "persistentvolumeclaim \"" + name + "\" not found");
    }
    VolumeClaim claim = found.get();
    if (claim.lost()) {
      return Optional.of(
          "persistentvolumeclaim \""
              + name
              + "\" bound to non-existent persistentvolume \""
              + claim.volumeName()
              + "\"");
    }
    if (claim.terminating()) {
      return Optional.of("persistentvolumeclaim \"" + name + "\" is being deleted");
    }
    return wanted.madeFor().flatMap(pod -> ownershipProblem(claim, pod));
  }

  /** Returns the reason why an ephemeral volume's claim does not belong to the pod. */
  public static Optional<String> ownershipProblem(VolumeClaim claim, PodRef pod) {
    return claim.ownerUid().equals(pod.uid())
        ? Optional.empty()
        : Optional.of(
            "PVC "
                + claim.namespace()
                + "/"
                + claim.name()
                + " was not created for pod "
                + pod.namespace()
                + "/"
                + pod.name()
                + " (pod is not owner)");
  }

  private void sort(VolumeClaim claim) {
    if (claim.isBound()) {
      bound.add(storage.volume(claim.volumeName()));
      return;
    }
    Optional<StorageClass> storageClass = storage.storageClass(claim.storageClass());
    if (storageClass.isPresent() && storageClass.get().waitsForConsumer().isEmpty()) {
      problem =
          Optional.of(
              "VolumeBindingMode not set for StorageClass \"" + claim.storageClass() + "\"");
    } else if (storageClass.flatMap(StorageClass::waitsForConsumer).orElse(false)
        && claim.volumeName().isEmpty()) {
      waiting.add(claim);
    } else {
      problem = Optional.of(UNBOUND);
    }
  }

  /**
   * Returns whether the claims allow every node for certain: all of them are bound to volumes
   * without node affinity. Call it only if there is no problem.
   */
  public boolean allowsEveryNode() {
    return waiting.isEmpty()
        && bound.stream()
            .allMatch(volume -> volume.isPresent() && volume.get().isReachableFromEverywhere());
  }

  /** Returns the plan for the claims on the node; call it only if there is no problem. */
  public Plan planFor(NodeModel node) {
    if (waiting.isEmpty() && checkBound(node).isEmpty()) {
      return NOTHING_TO_DO;
    }
    List<String> reasons = new ArrayList<>();
    String boundReason = checkBound(node);
    if (boundReason.equals(NODE_CONFLICT)) {
      reasons.add(boundReason);
    }
    Plan forWaiting = planWaiting(node);
    reasons.addAll(forWaiting.reasons());
    if (boundReason.equals(NO_VOLUME)) {
      reasons.add(boundReason);
    }
    return reasons.isEmpty() ? forWaiting : new Plan(reasons, List.of(), List.of());
  }

  /** Returns the reason against the node, if there is one. */
  private String checkBound(NodeModel node) {
    for (Optional<Volume> volume : bound) {
      if (volume.isEmpty()) {
        return NO_VOLUME;
      }
      if (!volume.get().isReachableFrom(node.labels(), storage.csiNode(node.name()))) {
        return NODE_CONFLICT;
      }
    }
    return "";
  }

  private Plan planWaiting(NodeModel node) {
    List<VolumeClaim> toMatch = new ArrayList<>();
    List<VolumeClaim> toProvision = new ArrayList<>();
    for (VolumeClaim claim : waiting) {
      if (claim.selectedNode().isEmpty()) {
        toMatch.add(claim);
      } else if (claim.selectedNode().equals(node.name())) {
        toProvision.add(claim);
      } else {
        return NO_VOLUME_SUITS;
      }
    }
    List<VolumeStep> steps = new ArrayList<>();
    Map<String, StorageUse> uses = new LinkedHashMap<>();
    Set<String> taken = new HashSet<>();
    for (VolumeClaim claim : toMatch) {
      Volume match = smallestMatch(claim, node, taken);
      if (match != null) {
        taken.add(match.name());
        uses.merge(
            match.storageClass(),
            new StorageUse(match.storageClass(), bytes(claim), match.capacity().units()),
            (before, more) ->
                new StorageUse(
                    before.storageClass(),
                    before.requested() + more.requested(),
                    before.capacity() + more.capacity()));
        steps.add(
            new VolumeStep.Bind(
                claim.namespace(),
                claim.name(),
                claim.uid(),
                match.name(),
                storage.versionOf(match)));
      } else {
        toProvision.add(claim);
      }
    }
    boolean findsVolumes = !uses.isEmpty();
    for (VolumeClaim claim : toProvision) {
      String reason = reasonAgainstMaking(claim, node);
      if (!reason.isEmpty()) {
        return reason.equals(BIND_CONFLICT) ? NO_VOLUME_SUITS : Plan.refused(reason);
      }
      if (!findsVolumes && storage.scoresCapacity()) {
        freeFor(claim, node)
            .ifPresent(
                free ->
                    uses.merge(
                        claim.storageClass(),
                        new StorageUse(claim.storageClass(), bytes(claim), free),
                        (before, more) ->
                            new StorageUse(
                                before.storageClass(),
                                before.requested() + more.requested(),
                                more.capacity())));
      }
      steps.add(
          new VolumeStep.Provision(
              claim.namespace(), claim.name(), node.name(), storage.versionOf(claim)));
    }
    return new Plan(List.of(), steps, List.copyOf(uses.values()));
  }

  private static long bytes(VolumeClaim claim) {
    return claim.requested().orElse(ExactQuantity.ZERO).units();
  }

  private @Nullable Volume smallestMatch(VolumeClaim claim, NodeModel node, Set<String> taken) {
    ClassVolumes volumes = storage.ofClass(claim.storageClass());
    for (Volume volume : volumes.keptFor(claim)) {
      looks++;
      if (volume.isFor(claim) && !taken.contains(volume.name()) && suits(volume, claim)) {
        // It was created or reserved for this claim, so no other volume is suitable.
        return volume.isReachableFrom(node.labels()) ? volume : null;
      }
    }
    Smallest smallest = new Smallest();
    volumes.freeNear(
        node.labels(),
        volume -> {
          looks++;
          if (volume.available()
              && smallest.isBetter(volume)
              && !taken.contains(volume.name())
              && suits(volume, claim)
              && claim.selector().map(selector -> selector.matches(volume.labels())).orElse(true)
              && volume.accessModes().containsAll(claim.accessModes())
              && volume.isReachableFrom(node.labels())) {
            smallest.volume = volume;
          }
        });
    return smallest.volume;
  }

  /** The smallest volume so far; among equally large ones, the first by name. */
  private static final class Smallest {
    @Nullable Volume volume;

    boolean isBetter(Volume other) {
      if (volume == null) {
        return true;
      }
      int bySize = other.capacity().compareTo(volume.capacity());
      return bySize < 0 || (bySize == 0 && other.name().compareTo(volume.name()) < 0);
    }
  }

  /** Returns the number of examined volumes and capacities, for tests. */
  public long looks() {
    return looks;
  }

  private static boolean suits(Volume volume, VolumeClaim claim) {
    return !volume.terminating()
        && volume.capacity().compareTo(claim.requested().orElse(ExactQuantity.ZERO)) >= 0
        && volume.volumeMode().equals(claim.volumeMode())
        && volume.attributesClass().equals(claim.attributesClass());
  }

  /**
   * Returns the reason why no volume can be provisioned for the claim on the node; empty if one
   * can.
   */
  private String reasonAgainstMaking(VolumeClaim claim, NodeModel node) {
    Optional<StorageClass> found = storage.storageClass(claim.storageClass());
    if (found.isEmpty()) {
      return "failed to find storage class \"" + claim.storageClass() + "\"";
    }
    StorageClass storageClass = found.get();
    if (storageClass.provisioner().isEmpty()
        || storageClass.provisioner().equals(StorageClass.NO_PROVISIONER)
        || !storageClass.allows(node.labels())) {
      return BIND_CONFLICT;
    }
    return hasRoom(claim, storageClass, node) ? "" : NO_SPACE;
  }

  private boolean hasRoom(VolumeClaim claim, StorageClass storageClass, NodeModel node) {
    return !isLimited(claim, storageClass) || capacityFor(claim, node).isPresent();
  }

  /** Returns whether a volume can be provisioned for the claim only where a capacity has room. */
  private boolean isLimited(VolumeClaim claim, StorageClass storageClass) {
    return claim.requested().isPresent()
        && storage
            .csiDriver(storageClass.provisioner())
            .map(CsiDriver::publishesCapacity)
            .orElse(false);
  }

  /**
   * Returns the capacity of which the claim's volume would be provisioned on the node; the first by
   * namespace and name if several have room. kube-scheduler takes any of them.
   */
  private Optional<StorageCapacity> capacityFor(VolumeClaim claim, NodeModel node) {
    long bytes = bytes(claim);
    FirstCapacity first = new FirstCapacity();
    storage
        .ofClass(claim.storageClass())
        .capacitiesNear(
            node.labels(),
            capacity -> {
              looks++;
              if (first.isBetter(capacity)
                  && capacity.largestVolume().map(size -> size.units() >= bytes).orElse(false)
                  && capacity.nodes().matches(node.labels())) {
                first.capacity = capacity;
              }
            });
    return Optional.ofNullable(first.capacity);
  }

  /** Returns the free capacity for the claim on a node where it can be provisioned, in bytes. */
  private Optional<Long> freeFor(VolumeClaim claim, NodeModel node) {
    return storage
        .storageClass(claim.storageClass())
        .filter(storageClass -> isLimited(claim, storageClass))
        .flatMap(storageClass -> capacityFor(claim, node))
        .flatMap(StorageCapacity::free)
        .map(ExactQuantity::units);
  }

  /** The first capacity so far, by namespace and name. */
  private static final class FirstCapacity {
    private static final Comparator<StorageCapacity> ORDER =
        Comparator.comparing(StorageCapacity::namespace).thenComparing(StorageCapacity::name);

    @Nullable StorageCapacity capacity;

    boolean isBetter(StorageCapacity other) {
      return capacity == null || ORDER.compare(other, capacity) < 0;
    }
  }
}
