package io.berth.engine.volume;

import io.berth.engine.journal.Journal;
import io.berth.engine.model.PodVolume;
import io.berth.engine.model.StorageObject;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The objects that volume plugins read, combined with decisions that the objects do not reflect
 * yet: a volume that was chosen for a claim counts as in use from then on.
 */
public final class StorageTable {
  private static final int KNOWN_CHANGES = 1_024;
  private final ClassVolumes none = new ClassVolumes();

  private record Id(String namespace, String name) implements Comparable<Id> {
    @Override
    public int compareTo(Id other) {
      int byNamespace = namespace.compareTo(other.namespace);
      return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
    }
  }

  private final Journal journal;
  private final Map<String, TreeMap<Id, StorageObject>> byKind = new HashMap<>();

  /** The resourceVersions of claims and volumes, which decisions are based on. */
  private final Map<String, Map<Id, String>> versions = new HashMap<>();

  private final Map<String, CsiNode> csiNodes = new HashMap<>();
  private final Map<String, Map<String, VolumeAttachment>> attachments = new HashMap<>();
  private final Map<Id, Integer> claimUses = new HashMap<>();
  private final Map<Id, VolumeStep> assumed = new HashMap<>();
  private final Map<String, Volume.ClaimRef> assumedClaims = new HashMap<>();
  private final Map<String, List<Id>> claimsOfPod = new HashMap<>();
  private final Map<String, ClassVolumes> byClass = new HashMap<>();

  /** The last changes; the latest has the number {@link #version}. */
  private final ArrayDeque<StorageChange> changes = new ArrayDeque<>();

  private long version;
  private boolean scoresCapacity;

  /** Creates a table without objects, whose assumptions can be undone through the journal. */
  public StorageTable(Journal journal) {
    this.journal = journal;
  }

  // ---------------------------------------------------------------------------------- objects

  /**
   * Returns a version that changes with every change of an object, and of the assumptions about
   * one.
   */
  public long version() {
    return version;
  }

  /** Returns whether all changes after this version are kept. */
  public boolean knowsSince(long since) {
    return version - since <= changes.size();
  }

  /**
   * Returns whether a change after this version satisfies the test, which is applied to the latest
   * first; all of them must be {@linkplain #knowsSince kept}.
   */
  public boolean anySince(long since, Predicate<StorageChange> test) {
    long missed = version - since;
    Iterator<StorageChange> newest = changes.descendingIterator();
    for (long i = 0; i < missed; i++) {
      if (test.test(newest.next())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Visits all changes after this version, the latest first; all of them must be {@linkplain
   * #knowsSince kept}.
   */
  public void forEachSince(long since, Consumer<StorageChange> visitor) {
    Iterator<StorageChange> newest = changes.descendingIterator();
    for (long i = since; i < version; i++) {
      visitor.accept(newest.next());
    }
  }

  private void changed(StorageObject object) {
    changed(
        new StorageChange(
            object.kind(),
            object.namespace(),
            object.name(),
            classOf(object),
            Optional.of(object)));
  }

  private void changed(StorageChange change) {
    version++;
    changes.addLast(change);
    if (changes.size() > KNOWN_CHANGES) {
      changes.removeFirst();
    }
  }

  private static String classOf(StorageObject object) {
    return switch (object) {
      case VolumeClaim claim -> claim.storageClass();
      case Volume volume -> volume.storageClass();
      case StorageCapacity capacity -> capacity.storageClass();
      case StorageClass storageClass -> storageClass.name();
      default -> "";
    };
  }

  /**
   * Adds or updates an object.
   *
   * @param seenVersion its resourceVersion
   * @return whether that changed anything but the version
   */
  public boolean put(StorageObject object, String seenVersion) {
    journal.requireClosed("a storage object's update");
    if (object instanceof Volume || object instanceof VolumeClaim) {
      versions
          .computeIfAbsent(object.kind(), kind -> new HashMap<>())
          .put(new Id(object.namespace(), object.name()), seenVersion);
    }
    StorageObject before =
        byKind
            .computeIfAbsent(object.kind(), kind -> new TreeMap<>())
            .put(new Id(object.namespace(), object.name()), object);
    if (object.equals(before)) {
      return false;
    }
    if (before != null) {
      changed(before);
      unindex(before);
    }
    changed(object);
    switch (object) {
      case CsiNode node -> csiNodes.put(node.name(), node);
      case VolumeAttachment attachment ->
          attachments
              .computeIfAbsent(attachment.nodeName(), node -> new TreeMap<>())
              .put(attachment.name(), attachment);
      case Volume volume -> classNamed(volume.storageClass()).add(asAssumed(volume));
      case StorageCapacity capacity -> classNamed(capacity.storageClass()).add(capacity);
      case VolumeClaim claim when claim.isBound() -> drop(new Id(claim.namespace(), claim.name()));
      default -> {
        // Looked up by kind and name.
      }
    }
    return true;
  }

  /** Removes an object; returns whether this changed anything. */
  public boolean remove(String kind, String namespace, String name) {
    Map<Id, StorageObject> objects = byKind.get(kind);
    StorageObject before = objects == null ? null : objects.remove(new Id(namespace, name));
    if (before == null) {
      return false;
    }
    changed(before);
    Map<Id, String> ofKind = versions.get(kind);
    if (ofKind != null) {
      ofKind.remove(new Id(namespace, name));
    }
    unindex(before);
    if (kind.equals(VolumeClaim.KIND)) {
      drop(new Id(namespace, name));
    }
    return true;
  }

  private void unindex(StorageObject object) {
    if (object instanceof CsiNode node) {
      csiNodes.remove(node.name());
    } else if (object instanceof VolumeAttachment attachment) {
      Map<String, VolumeAttachment> onNode = attachments.get(attachment.nodeName());
      if (onNode != null && onNode.remove(attachment.name()) != null && onNode.isEmpty()) {
        attachments.remove(attachment.nodeName());
      }
    } else if (object instanceof Volume volume) {
      inClass(volume.storageClass(), known -> known.remove(asAssumed(volume)));
    } else if (object instanceof StorageCapacity capacity) {
      inClass(capacity.storageClass(), known -> known.remove(capacity));
    }
  }

  private ClassVolumes classNamed(String name) {
    return byClass.computeIfAbsent(name, absent -> new ClassVolumes());
  }

  private void inClass(String name, Consumer<ClassVolumes> removal) {
    ClassVolumes known = byClass.get(name);
    if (known != null) {
      removal.accept(known);
      if (known.isEmpty()) {
        byClass.remove(name);
      }
    }
  }

  /** Changes the assumptions about a volume. */
  private void reassume(String volumeName, Runnable change) {
    Optional<Volume> object = find(Volume.KIND, "", volumeName).map(Volume.class::cast);
    object.ifPresent(
        volume -> inClass(volume.storageClass(), known -> known.remove(asAssumed(volume))));
    change.run();
    object.ifPresent(
        volume -> {
          classNamed(volume.storageClass()).add(asAssumed(volume));
          changed(volume);
        });
  }

  /** Returns the object as last seen. */
  public Optional<StorageObject> find(String kind, String namespace, String name) {
    Map<Id, StorageObject> objects = byKind.get(kind);
    return objects == null
        ? Optional.empty()
        : Optional.ofNullable(objects.get(new Id(namespace, name)));
  }

  /** Returns the resourceVersion of a claim or volume as last seen; empty if it is not known. */
  public String versionOf(StorageObject object) {
    return versions
        .getOrDefault(object.kind(), Map.of())
        .getOrDefault(new Id(object.namespace(), object.name()), "");
  }

  /** Returns the claim, with the node that was chosen for it. */
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

  /** Returns the volume, with the claim that was chosen for it. */
  public Optional<Volume> volume(String name) {
    return find(Volume.KIND, "", name).map(Volume.class::cast).map(this::asAssumed);
  }

  private Volume asAssumed(Volume volume) {
    Volume.ClaimRef claim = assumedClaims.get(volume.name());
    return claim == null ? volume : volume.withClaim(claim);
  }

  /** Returns the volumes and capacities of a class. */
  ClassVolumes ofClass(String name) {
    return byClass.getOrDefault(name, none);
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

  /** Returns the attachments of volumes to a node. */
  public Collection<VolumeAttachment> attachmentsTo(String nodeName) {
    Map<String, VolumeAttachment> onNode = attachments.get(nodeName);
    return onNode == null ? List.of() : onNode.values();
  }

  /**
   * Sets whether nodes are scored by their free storage, which kube-scheduler does from 1.37 on.
   *
   * @return whether this has changed
   */
  public boolean scoreCapacity(boolean scores) {
    boolean before = scoresCapacity;
    scoresCapacity = scores;
    return before != scores;
  }

  /** Returns whether nodes are scored by their free storage. */
  public boolean scoresCapacity() {
    return scoresCapacity;
  }

  // ---------------------------------------------------------------------------------- uses

  /**
   * Counts the claims of a pod that was placed ({@code delta} 1), or is not placed any more (-1).
   */
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

  /** Returns the number of placed pods that use the claim. */
  public int usesOf(String namespace, String claimName) {
    return claimUses.getOrDefault(new Id(namespace, claimName), 0);
  }

  // ---------------------------------------------------------------------------------- assuming

  /**
   * Counts the steps as completed until their claims are seen bound or deleted, or until {@link
   * #forget}. The assumptions of another pod that shares a claim are kept.
   */
  public void assume(String podUid, List<VolumeStep> steps) {
    forget(podUid);
    List<Id> claims = new ArrayList<>();
    for (VolumeStep step : steps) {
      Id claim = new Id(step.namespace(), step.claimName());
      if (!step.equals(assumed.get(claim))) {
        claims.add(claim);
        setStep(claim, step);
      }
    }
    if (!claims.isEmpty()) {
      setClaims(podUid, claims);
    }
  }

  /**
   * Drops the assumptions for a pod that was not bound.
   *
   * @return whether this released a volume, or the choice of a node
   */
  public boolean forget(String podUid) {
    List<Id> claims = claimsOfPod.get(podUid);
    if (claims == null) {
      return false;
    }
    long before = version;
    setClaims(podUid, null);
    claims.forEach(this::drop);
    return version != before;
  }

  /** Handles a bound pod: its claims will soon reflect the remaining assumptions. */
  public void confirm(String podUid) {
    setClaims(podUid, null);
  }

  private void drop(Id claim) {
    if (assumed.containsKey(claim)) {
      setStep(claim, null);
    }
  }

  private void setClaims(String podUid, @Nullable List<Id> claims) {
    List<Id> before = put(claimsOfPod, podUid, claims);
    if (before != null || claims != null) {
      journal.record(() -> put(claimsOfPod, podUid, before));
    }
  }

  private void setStep(Id claim, @Nullable VolumeStep step) {
    VolumeStep before = put(assumed, claim, step);
    if (before instanceof VolumeStep.Bind bind) {
      setClaimOf(bind.volumeName(), null);
    }
    assumedOtherwise(claim);
    if (step instanceof VolumeStep.Bind bind) {
      setClaimOf(
          bind.volumeName(),
          new Volume.ClaimRef(bind.namespace(), bind.claimName(), bind.claimUid()));
    }
    journal.record(
        () -> {
          put(assumed, claim, before);
          assumedOtherwise(claim);
        });
  }

  private void assumedOtherwise(Id claim) {
    changed(
        new StorageChange(VolumeClaim.KIND, claim.namespace(), claim.name(), "", Optional.empty()));
  }

  private void setClaimOf(String volumeName, Volume.@Nullable ClaimRef claim) {
    Volume.ClaimRef before = assumedClaims.get(volumeName);
    reassume(volumeName, () -> put(assumedClaims, volumeName, claim));
    journal.record(() -> reassume(volumeName, () -> put(assumedClaims, volumeName, before)));
  }

  private static <K, V> @Nullable V put(Map<K, V> map, K key, @Nullable V value) {
    return value == null ? map.remove(key) : map.put(key, value);
  }

  /** Returns the number of claims with assumptions. */
  public int assumptions() {
    return assumed.size();
  }
}
