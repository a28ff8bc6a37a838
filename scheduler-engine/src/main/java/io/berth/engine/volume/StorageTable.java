package io.berth.engine.volume;

import io.berth.engine.model.PodVolume;
import io.berth.engine.model.StorageObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The objects that volume plugins read, with what was decided about them and is not yet to be seen
 * in them: a volume that was chosen for a claim counts as taken from then on.
 */
public final class StorageTable {
  private record Id(String namespace, String name) implements Comparable<Id> {
    @Override
    public int compareTo(Id other) {
      int byNamespace = namespace.compareTo(other.namespace);
      return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
    }
  }

  private final Map<String, TreeMap<Id, StorageObject>> byKind = new HashMap<>();
  private final Map<String, CsiNode> csiNodes = new HashMap<>();
  private final Map<String, Map<String, VolumeAttachment>> attachments = new HashMap<>();
  private final Map<Id, Integer> claimUses = new HashMap<>();
  private final Map<Id, VolumeStep> assumed = new HashMap<>();
  private final Map<String, Volume.ClaimRef> assumedClaims = new HashMap<>();
  private final Map<String, List<Id>> claimsOfPod = new HashMap<>();
  private long version;
  private long attachingVersion;

  // ---------------------------------------------------------------------------------- objects

  /** Changes with every change of an object, and of what is assumed about one. */
  public long version() {
    return version;
  }

  /** Changes when a CSINode or a VolumeAttachment does. */
  public long attachingVersion() {
    return attachingVersion;
  }

  /** Takes in an object; answers whether that changed anything. */
  public boolean put(StorageObject object) {
    StorageObject before =
        byKind
            .computeIfAbsent(object.kind(), kind -> new TreeMap<>())
            .put(new Id(object.namespace(), object.name()), object);
    if (object.equals(before)) {
      return false;
    }
    version++;
    if (before != null) {
      unindex(before);
    }
    switch (object) {
      case CsiNode node -> {
        csiNodes.put(node.name(), node);
        attachingVersion++;
      }
      case VolumeAttachment attachment -> {
        attachments
            .computeIfAbsent(attachment.nodeName(), node -> new TreeMap<>())
            .put(attachment.name(), attachment);
        attachingVersion++;
      }
      case VolumeClaim claim when claim.isBound() -> drop(new Id(claim.namespace(), claim.name()));
      default -> {
        // Found by kind and name.
      }
    }
    return true;
  }

  /** Forgets an object; answers whether that changed anything. */
  public boolean remove(String kind, String namespace, String name) {
    Map<Id, StorageObject> objects = byKind.get(kind);
    StorageObject before = objects == null ? null : objects.remove(new Id(namespace, name));
    if (before == null) {
      return false;
    }
    version++;
    unindex(before);
    if (kind.equals(VolumeClaim.KIND)) {
      drop(new Id(namespace, name));
    }
    return true;
  }

  private void unindex(StorageObject object) {
    if (object instanceof CsiNode node) {
      csiNodes.remove(node.name());
      attachingVersion++;
    } else if (object instanceof VolumeAttachment attachment) {
      attachingVersion++;
      Map<String, VolumeAttachment> onNode = attachments.get(attachment.nodeName());
      if (onNode != null && onNode.remove(attachment.name()) != null && onNode.isEmpty()) {
        attachments.remove(attachment.nodeName());
      }
    }
  }

  private Optional<StorageObject> find(String kind, String namespace, String name) {
    Map<Id, StorageObject> objects = byKind.get(kind);
    return objects == null
        ? Optional.empty()
        : Optional.ofNullable(objects.get(new Id(namespace, name)));
  }

  private Collection<StorageObject> all(String kind) {
    Map<Id, StorageObject> objects = byKind.get(kind);
    return objects == null ? List.of() : objects.values();
  }

  /** The claim, with the node that was chosen for it. */
  public Optional<VolumeClaim> claim(String namespace, String name) {
    return find(VolumeClaim.KIND, namespace, name)
        .map(VolumeClaim.class::cast)
        .map(
            claim -> {
              VolumeStep step = assumed.get(new Id(namespace, name));
              return step instanceof VolumeStep.Provision provision
                  ? claim.withSelectedNode(provision.nodeName())
                  : claim;
            });
  }

  /** The volume, with the claim that was chosen for it. */
  public Optional<Volume> volume(String name) {
    return find(Volume.KIND, "", name).map(Volume.class::cast).map(this::asAssumed);
  }

  private Volume asAssumed(Volume volume) {
    Volume.ClaimRef claim = assumedClaims.get(volume.name());
    return claim == null ? volume : volume.withClaim(claim);
  }

  /** The volumes of a class, by name. */
  public List<Volume> volumesOf(String storageClass) {
    List<Volume> volumes = new ArrayList<>();
    for (StorageObject object : all(Volume.KIND)) {
      if (object instanceof Volume volume && volume.storageClass().equals(storageClass)) {
        volumes.add(asAssumed(volume));
      }
    }
    return volumes;
  }

  public Optional<StorageClass> storageClass(String name) {
    return find(StorageClass.KIND, "", name).map(StorageClass.class::cast);
  }

  public Optional<CsiNode> csiNode(String nodeName) {
    return Optional.ofNullable(csiNodes.get(nodeName));
  }

  public Optional<CsiDriver> csiDriver(String name) {
    return find(CsiDriver.KIND, "", name).map(CsiDriver.class::cast);
  }

  /** Every CSIStorageCapacity. */
  public List<StorageCapacity> capacities() {
    return all(StorageCapacity.KIND).stream().map(StorageCapacity.class::cast).toList();
  }

  /** The volumes that are attached to a node. */
  public Collection<VolumeAttachment> attachmentsTo(String nodeName) {
    Map<String, VolumeAttachment> onNode = attachments.get(nodeName);
    return onNode == null ? List.of() : onNode.values();
  }

  // ---------------------------------------------------------------------------------- uses

  /** A pod with these volumes was placed ({@code delta} 1), or is placed no more (-1). */
  public void countClaims(String namespace, List<PodVolume> volumes, int delta) {
    for (PodVolume volume : volumes) {
      if (volume instanceof PodVolume.Claim claim && claim.madeFor().isEmpty()) {
        claimUses.merge(
            new Id(namespace, claim.claimName()),
            delta,
            (uses, change) -> uses + change == 0 ? null : uses + change);
      }
    }
  }

  /** How many placed pods use the claim. */
  public int usesOf(String namespace, String claimName) {
    return claimUses.getOrDefault(new Id(namespace, claimName), 0);
  }

  // ---------------------------------------------------------------------------------- assuming

  /**
   * From now on the steps count as taken: until their claims are seen bound or gone, or until
   * {@link #forget}.
   */
  public void assume(String podUid, List<VolumeStep> steps) {
    if (steps.isEmpty()) {
      return;
    }
    List<Id> claims = new ArrayList<>();
    for (VolumeStep step : steps) {
      Id claim = new Id(step.namespace(), step.claimName());
      claims.add(claim);
      assumed.put(claim, step);
      if (step instanceof VolumeStep.Bind bind) {
        assumedClaims.put(
            bind.volumeName(),
            new Volume.ClaimRef(bind.namespace(), bind.claimName(), bind.claimUid()));
      }
    }
    claimsOfPod.put(podUid, claims);
    version++;
  }

  /**
   * The pod was not bound: nothing is assumed for it any more.
   *
   * @return whether that gave a volume, or the choice of a node, back
   */
  public boolean forget(String podUid) {
    List<Id> claims = claimsOfPod.remove(podUid);
    long before = version;
    if (claims != null) {
      claims.forEach(this::drop);
    }
    return version != before;
  }

  /** The pod is bound: what is still assumed for it is what its claims will soon show. */
  public void confirm(String podUid) {
    claimsOfPod.remove(podUid);
  }

  private void drop(Id claim) {
    VolumeStep step = assumed.remove(claim);
    if (step == null) {
      return;
    }
    if (step instanceof VolumeStep.Bind bind) {
      assumedClaims.remove(bind.volumeName());
    }
    version++;
  }

  /** For how many claims something is assumed. */
  public int assumptions() {
    return assumed.size();
  }
}
