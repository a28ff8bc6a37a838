package io.berth.engine.devices;

import io.berth.engine.journal.Journal;
import io.berth.engine.model.DeviceObject;
import io.berth.engine.model.NodeModel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The objects of dynamic resource allocation, combined with decisions that they do not reflect yet:
 * a device that was chosen for a claim counts as in use from then on.
 */
public final class DeviceTable {
  /** The time for preparing devices before a pod is bound, as in kube-scheduler. */
  public static final Duration PREPARATION = Duration.ofMinutes(10);

  /** The identity of a claim; the one for a pod's extended resources has the pod's UID. */
  record ClaimKey(String namespace, String name) {
    private static final String EXTENDED = "<extended-resources> of ";

    static ClaimKey extended(String namespace, String podUid) {
      return new ClaimKey(namespace, EXTENDED + podUid);
    }

    boolean isExtended() {
      return name.startsWith(EXTENDED);
    }
  }

  /**
   * Devices that were chosen for a claim.
   *
   * @param podUids the UIDs of the pods that they were chosen for
   * @param attempt the outermost savepoint in which that happened; 0 outside of savepoints
   */
  private record Assumed(Set<String> podUids, DeviceAllocation allocation, long attempt) {
    Assumed with(String podUid) {
      Set<String> all = new LinkedHashSet<>(podUids);
      all.add(podUid);
      return new Assumed(all, allocation, attempt);
    }

    /** Returns the same for the other pods; null if there are none. */
    @Nullable Assumed without(String podUid) {
      Set<String> others = new LinkedHashSet<>(podUids);
      others.remove(podUid);
      return others.isEmpty() ? null : new Assumed(others, allocation, attempt);
    }
  }

  private final Journal journal;
  private final LongSupplier mostSearchSteps;
  private final DevicePools pools;
  private final PublishedSlices slices;
  private final DeviceClasses classes = new DeviceClasses();
  private final Map<ClaimKey, DeviceClaim> claims = new HashMap<>();

  /** The claims that were made for a pod, by the UID of the pod. */
  private final Map<String, Set<ClaimKey>> madeFor = new HashMap<>();

  /** The UIDs of pods that a dry run has removed from their node. */
  private final Set<String> absent = new HashSet<>();

  private final Map<ClaimKey, Assumed> assumed = new HashMap<>();
  private final Map<String, List<ClaimKey>> claimsOfPod = new HashMap<>();
  private final Deadlines<ClaimKey> deadlines = new Deadlines<>();
  private final DeviceSelectors selectors = new DeviceSelectors();
  private boolean served;
  private long version;
  private long expirations;

  /** Creates a table without objects, whose assumptions can be undone through the journal. */
  public DeviceTable(Journal journal, DeviceChanges changes, LongSupplier mostSearchSteps) {
    this.journal = journal;
    this.mostSearchSteps = mostSearchSteps;
    this.pools = new DevicePools(changes);
    this.slices = new PublishedSlices(pools);
  }

  /** Returns a version that changes with every change of a claim or class, and of assumptions. */
  public long version() {
    return version;
  }

  /** Records that the API server serves these objects; returns whether that is new. */
  public boolean served() {
    boolean before = served;
    served = true;
    version++;
    return !before;
  }

  /** Returns whether the API server is known to serve these objects. */
  boolean isServed() {
    return served || !isEmpty();
  }

  /** Returns whether there are neither slices, taint rules, classes, nor claims. */
  public boolean isEmpty() {
    return slices.isEmpty()
        && !slices.hasRules()
        && classes.isEmpty()
        && claims.isEmpty()
        && assumed.isEmpty();
  }

  /** Returns the device classes. */
  public DeviceClasses classes() {
    return classes;
  }

  /** Returns the number of devices that a search may look at on one node. */
  long mostSearchSteps() {
    return mostSearchSteps.getAsLong();
  }

  /** Returns the compiled selectors of classes and claims. */
  DeviceSelectors selectors() {
    return selectors;
  }

  /**
   * Adds or updates an object.
   *
   * @return whether that changed anything
   */
  public boolean put(DeviceObject object) {
    journal.requireClosed("a device object's update");
    boolean changed =
        switch (object) {
          case DeviceSlice slice -> slices.put(slice);
          case TaintRule rule -> slices.put(rule);
          case DeviceClass deviceClass -> classes.put(deviceClass);
          case DeviceClaim claim -> putClaim(claim);
          default -> throw new IllegalArgumentException("not a device object: " + object.kind());
        };
    if (changed) {
      version++;
    }
    return changed;
  }

  private boolean putClaim(DeviceClaim claim) {
    ClaimKey key = new ClaimKey(claim.namespace(), claim.name());
    DeviceClaim before = claims.get(key);
    if (claim.equals(before)) {
      return false;
    }
    claims.put(key, claim);
    deadlines.remove(key);
    if (claim.readiness() == DeviceClaim.Readiness.WAITING) {
      claim.allocatedAt().ifPresent(at -> deadlines.set(key, at.plus(PREPARATION)));
    }
    claim.allocation().ifPresent(allocation -> pools.count(allocation, 1));
    if (before != null) {
      before.allocation().ifPresent(allocation -> pools.count(allocation, -1));
      forgetOwner(before);
    }
    if (!claim.controllerUid().isEmpty()) {
      madeFor.computeIfAbsent(claim.controllerUid(), uid -> new LinkedHashSet<>()).add(key);
    }
    if (claim.extended() && claim.allocation().isPresent()) {
      drop(ClaimKey.extended(claim.namespace(), claim.controllerUid()));
    }
    if (claim.allocation().isPresent() || (before != null && !before.uid().equals(claim.uid()))) {
      drop(key);
    }
    return true;
  }

  private void forgetOwner(DeviceClaim claim) {
    ClaimKey key = new ClaimKey(claim.namespace(), claim.name());
    madeFor.computeIfPresent(
        claim.controllerUid(), (uid, keys) -> keys.remove(key) && keys.isEmpty() ? null : keys);
  }

  /** Removes an object; returns it as last seen, or empty if it was not known. */
  public Optional<DeviceObject> remove(String kind, String namespace, String name) {
    journal.requireClosed("a device object's removal");
    DeviceObject before =
        switch (kind) {
          case DeviceSlice.KIND -> slices.removeSlice(name).orElse(null);
          case TaintRule.KIND -> slices.removeRule(name).orElse(null);
          case DeviceClass.KIND -> classes.remove(name);
          default -> claims.remove(new ClaimKey(namespace, name));
        };
    switch (before) {
      case null -> {
        return Optional.empty();
      }
      case DeviceClaim claim -> {
        claim.allocation().ifPresent(allocation -> pools.count(allocation, -1));
        forgetOwner(claim);
        deadlines.remove(new ClaimKey(namespace, name));
        drop(new ClaimKey(namespace, name));
        if (claim.extended()) {
          drop(ClaimKey.extended(namespace, claim.controllerUid()));
        }
      }
      default -> {
        // A class holds no devices, and those of slices and rules are removed already.
      }
    }
    version++;
    return Optional.of(before);
  }

  /** Returns the object as last seen. */
  public Optional<DeviceObject> find(String kind, String namespace, String name) {
    return Optional.ofNullable(
        switch (kind) {
          case DeviceSlice.KIND -> slices.slice(name).orElse(null);
          case TaintRule.KIND -> slices.rule(name).orElse(null);
          case DeviceClass.KIND -> classes.named(name).orElse(null);
          default -> claims.get(new ClaimKey(namespace, name));
        });
  }

  /** Returns the claim as last seen. */
  public Optional<DeviceClaim> claim(String namespace, String name) {
    return Optional.ofNullable(claims.get(new ClaimKey(namespace, name)));
  }

  /** Returns a claim if it is free to get devices. */
  public Optional<DeviceClaim> unallocatedClaim(String namespace, String name) {
    ClaimKey key = new ClaimKey(namespace, name);
    return Optional.ofNullable(claims.get(key))
        .filter(claim -> claim.allocation().isEmpty() && !claim.deleting())
        .filter(claim -> !assumed.containsKey(key));
  }

  /** Returns the next time at which devices have been prepared for too long. */
  public Optional<Instant> nextDeadline() {
    return deadlines.next();
  }

  /** Marks the claims whose devices have been prepared for too long. */
  public void expire(Instant now) {
    if (deadlines.expire(now)) {
      version++;
      expirations++;
    }
  }

  /** Returns a version that changes when claims become overdue. */
  long expirations() {
    return expirations;
  }

  /** Returns whether the devices of a claim can be used, or may still become usable. */
  boolean isUsable(DeviceClaim claim) {
    return claim.readiness() != DeviceClaim.Readiness.FAILED
        && !deadlines.isOverdue(new ClaimKey(claim.namespace(), claim.name()));
  }

  /**
   * Returns whether devices were chosen for the claim in another attempt that it does not show yet.
   */
  public boolean isBeingAllocated(String namespace, String name) {
    return assumed.containsKey(new ClaimKey(namespace, name))
        && chosenInAttempt(namespace, name).isEmpty();
  }

  /**
   * Returns the devices that were chosen for the claim in the attempt that is under way, for
   * another member of the same group.
   */
  Optional<DeviceAllocation> chosenInAttempt(String namespace, String name) {
    return Optional.ofNullable(assumed.get(new ClaimKey(namespace, name)))
        .filter(of -> of.attempt() != 0 && of.attempt() == journal.outermost())
        .map(Assumed::allocation);
  }

  /** Returns the devices that a node sees. */
  NodeDevices on(NodeModel node) {
    return pools.on(node);
  }

  /**
   * The number of devices that a node reaches.
   *
   * @param allocated those that claims have, as a whole or in part
   */
  public record OnNode(int devices, int allocated) {}

  /** Counts the devices that a node reaches. */
  public OnNode countOn(NodeModel node) {
    NodeDevices found = on(node);
    int devices = 0;
    int allocated = 0;
    for (int i = 0; i < found.size(); i++) {
      if (found.reaches(i)) {
        devices++;
        allocated += found.device(i).use().isAllocated() ? 1 : 0;
      }
    }
    return new OnNode(devices, allocated);
  }

  /** Returns whether a driver has published any slice. */
  public boolean hasSlices() {
    return !slices.isEmpty();
  }

  /** Drops what is remembered of a node. */
  public void forgetNode(String name) {
    pools.forgetNode(name);
  }

  // ---------------------------------------------------------------------------------- releasing

  /** Returns whether the pod holds devices that are released when it is deleted. */
  public boolean holdsReleasable(String podUid) {
    return !releasable(podUid).isEmpty();
  }

  /** Returns the devices of the claims that are deleted with the pod that they were made for. */
  private List<DeviceAllocation> releasable(String podUid) {
    return madeFor.getOrDefault(podUid, Set.of()).stream()
        .map(claims::get)
        .filter(claim -> claim.reservedFor().stream().allMatch(podUid::equals))
        .flatMap(claim -> claim.allocation().stream())
        .toList();
  }

  /**
   * Returns whether a pod that does not exist any more still has devices that a node reaches: they
   * are about to be released.
   *
   * @param exists whether there is a pod with this UID
   */
  public boolean areAwaitedOn(NodeModel node, Predicate<String> exists) {
    return madeFor.keySet().stream()
        .filter(podUid -> !exists.test(podUid))
        .flatMap(podUid -> releasable(podUid).stream())
        .anyMatch(allocation -> allocation.reaches(node));
  }

  /**
   * In a dry run, counts the devices of a pod as free that are released when it is deleted. Does
   * nothing outside of dry runs: then the claims say when their devices are free.
   */
  public void release(String podUid) {
    if (journal.isOpen() && absent.add(podUid)) {
      countReleasable(podUid, -1);
      journal.record(
          () -> {
            absent.remove(podUid);
            countReleasable(podUid, 1);
          });
    }
  }

  /** Undoes {@link #release} in the same dry run. */
  public void holdAgain(String podUid) {
    if (absent.remove(podUid)) {
      countReleasable(podUid, 1);
      journal.record(
          () -> {
            absent.add(podUid);
            countReleasable(podUid, -1);
          });
    }
  }

  private void countReleasable(String podUid, int sign) {
    releasable(podUid).forEach(allocation -> pools.count(allocation, sign));
  }

  // ---------------------------------------------------------------------------------- assuming

  /**
   * Counts the devices as in use until their claims show them or are deleted, or until {@link
   * #forget}.
   */
  public void assume(String podUid, List<ClaimAllocation> steps) {
    List<ClaimKey> keys = new ArrayList<>(steps.size());
    for (ClaimAllocation step : steps) {
      ClaimKey key =
          step.extended().isPresent()
              ? ClaimKey.extended(step.namespace(), podUid)
              : new ClaimKey(step.namespace(), step.claimName());
      if (step.allocation().isPresent() && mayShowDevicesLater(step)) {
        Assumed known = assumed.get(key);
        if (known == null) {
          setAssumed(
              key, new Assumed(Set.of(podUid), step.allocation().get(), journal.outermost()));
          keys.add(key);
        } else if (known.allocation().equals(step.allocation().get())) {
          setAssumed(key, known.with(podUid));
          keys.add(key);
        }
      }
    }
    if (!keys.isEmpty()) {
      setClaims(podUid, List.copyOf(keys));
    }
  }

  /** Returns whether there is no claim yet, or one that has no devices; deleted ones get none. */
  private boolean mayShowDevicesLater(ClaimAllocation step) {
    if (step.extended().isPresent()) {
      return true;
    }
    DeviceClaim claim = claims.get(new ClaimKey(step.namespace(), step.claimName()));
    return claim != null && claim.uid().equals(step.claimUid()) && claim.allocation().isEmpty();
  }

  /** Counts the devices that were chosen for a pod no more, unless their claims show them. */
  public void forget(String podUid) {
    List<ClaimKey> keys = claimsOfPod.get(podUid);
    if (keys == null) {
      return;
    }
    setClaims(podUid, null);
    for (ClaimKey key : keys) {
      Assumed of = assumed.get(key);
      if (of != null && of.podUids().contains(podUid)) {
        setAssumed(key, of.without(podUid));
      }
    }
  }

  /**
   * Handles a bound pod: its claims will soon show the devices. A claim for extended resources is
   * not known before it is created. If it was created and deleted while the watch was interrupted,
   * it never shows them, so {@link #forget} still ends what is assumed for it.
   */
  public void confirm(String podUid) {
    List<ClaimKey> unseen =
        claimsOfPod.getOrDefault(podUid, List.of()).stream()
            .filter(key -> key.isExtended() && assumed.containsKey(key))
            .toList();
    setClaims(podUid, unseen.isEmpty() ? null : unseen);
  }

  /** Counts the devices no more that were chosen for a claim. */
  private void drop(ClaimKey key) {
    Assumed of = assumed.get(key);
    if (of != null) {
      setAssumed(key, null);
      for (String podUid : of.podUids()) {
        if (claimsOfPod.getOrDefault(podUid, List.of()).stream().noneMatch(assumed::containsKey)) {
          setClaims(podUid, null);
        }
      }
    }
  }

  private void setClaims(String podUid, @Nullable List<ClaimKey> keys) {
    List<ClaimKey> before = put(claimsOfPod, podUid, keys);
    if (before != null || keys != null) {
      journal.record(() -> put(claimsOfPod, podUid, before));
    }
  }

  private void setAssumed(ClaimKey key, @Nullable Assumed now) {
    Assumed before = put(assumed, key, now);
    recount(before, now);
    journal.record(
        () -> {
          put(assumed, key, before);
          recount(now, before);
        });
  }

  private void recount(@Nullable Assumed before, @Nullable Assumed now) {
    version++;
    if (now != null) {
      pools.count(now.allocation(), 1);
    }
    if (before != null) {
      pools.count(before.allocation(), -1);
    }
  }

  private static <K, V> @Nullable V put(Map<K, V> map, K key, @Nullable V value) {
    return value == null ? map.remove(key) : map.put(key, value);
  }

  /** Returns the number of claims whose devices are assumed. */
  public int assumptions() {
    return assumed.size();
  }

  /** Returns the number of devices that are published or in use. */
  public int devices() {
    return pools.size();
  }
}
