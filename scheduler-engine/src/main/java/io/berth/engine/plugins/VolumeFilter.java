package io.berth.engine.plugins;

import io.berth.engine.framework.Change;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.PodVolume;
import io.berth.engine.state.ChangeLog;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.volume.StorageCapacity;
import io.berth.engine.volume.StorageChange;
import io.berth.engine.volume.StorageClass;
import io.berth.engine.volume.StorageTable;
import io.berth.engine.volume.Volume;
import io.berth.engine.volume.VolumeClaim;
import java.util.List;
import java.util.Optional;

/**
 * The common part of the volume filters: they recheck nodes when storage objects change that they
 * read.
 */
abstract class VolumeFilter extends NodeFilter {
  protected final StorageTable storage;
  private final String namespace;
  private final List<PodVolume> volumes;
  private long seenVersion = -1;
  private boolean changed;

  /** The nodes that storage changes concern and that have not been rechecked since. */
  private final NodeSet concerned = new NodeSet();

  private Optional<Verdict> rejection = Optional.empty();

  /**
   * @param namespace the pods' namespace
   * @param volumes the pods' volumes
   */
  VolumeFilter(
      Object question,
      String namespace,
      List<PodVolume> volumes,
      ClusterState state,
      ChangeLog... logs) {
    super(question, state, logs);
    this.namespace = namespace;
    this.volumes = volumes;
    this.storage = state.storage();
  }

  /**
   * Reads the storage objects again.
   *
   * @return the verdict that rejects the pod on every node; empty if {@link #checkNode} decides
   */
  protected abstract Optional<Verdict> read();

  /** Returns the verdict on one node, if the pod is not rejected as a whole. */
  protected abstract int checkNode(int slot);

  @Override
  public void refreshInputs() {
    if (seenVersion == storage.version()) {
      return;
    }
    boolean all =
        seenVersion < 0
            || !storage.knowsSince(seenVersion)
            || storage.anySince(seenVersion, this::concernsAll);
    seenVersion = storage.version();
    if (all) {
      changed = true;
      rejection = read();
    }
  }

  /**
   * Returns whether a change may concern the pod as a whole, or all nodes. If it concerns only some
   * nodes, {@link #concerns mark} these instead.
   */
  protected boolean concernsAll(StorageChange change) {
    return reads(change);
  }

  /** Marks this node as concerned by a storage change. */
  protected final void concerns(int slot) {
    concerned.grow(slot + 1);
    concerned.add(slot);
  }

  /** Returns whether the verdicts may depend on the change. */
  protected final boolean reads(StorageChange change) {
    return switch (change.kind()) {
      case VolumeClaim.KIND -> isOwnClaim(change);
      case Volume.KIND -> isOfOwnClaims(change);
      case StorageClass.KIND, StorageCapacity.KIND -> isOfOwnClass(change);
      default -> false;
    };
  }

  /** Returns whether the change is of one of the pod's claims. */
  protected final boolean isOwnClaim(StorageChange change) {
    if (!change.namespace().equals(namespace)) {
      return false;
    }
    for (PodVolume volume : volumes) {
      if (volume instanceof PodVolume.Claim claim && claim.claimName().equals(change.name())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether this is the volume of a claim, or one that a claim without a volume may get.
   */
  private boolean isOfOwnClaims(StorageChange change) {
    for (PodVolume volume : volumes) {
      if (isDescribedClaimOf(volume, change.storageClass())) {
        return true;
      }
      if (volume instanceof PodVolume.Claim wanted) {
        Optional<VolumeClaim> claim = storage.claim(namespace, wanted.claimName());
        if (claim.isPresent()
            && (claim.get().volumeName().isEmpty()
                ? claim.get().storageClass().equals(change.storageClass())
                : claim.get().volumeName().equals(change.name()))) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isDescribedClaimOf(PodVolume volume, String storageClass) {
    return volume instanceof PodVolume.UnboundClaim described
        && described.storageClass().equals(storageClass);
  }

  private boolean isOfOwnClass(StorageChange change) {
    for (PodVolume volume : volumes) {
      if (isDescribedClaimOf(volume, change.storageClass())) {
        return true;
      }
      if (volume instanceof PodVolume.Claim wanted
          && storage
              .claim(namespace, wanted.claimName())
              .map(claim -> claim.storageClass().equals(change.storageClass()))
              .orElse(false)) {
        return true;
      }
    }
    return false;
  }

  @Override
  protected boolean recheckByInputs() {
    boolean all = changed;
    changed = false;
    if (!all) {
      concerned.forEach(this::recheck);
    }
    concerned.clear();
    return all;
  }

  @Override
  protected final Optional<NodeSet> mayReject() {
    return rejection.isPresent() ? Optional.empty() : mayRejectByNode();
  }

  /** Returns the same as {@link #mayReject}, if the pod is not rejected as a whole. */
  protected abstract Optional<NodeSet> mayRejectByNode();

  @Override
  protected long ownBytes() {
    return 50L * volumes.size() + concerned.bytes();
  }

  @Override
  public long otherInputsVersion() {
    return storage.version();
  }

  @Override
  public Optional<Verdict> rejectsPod() {
    return rejection;
  }

  @Override
  protected final int check(int slot) {
    return rejection.isPresent() ? idOf(rejection.get()) : checkNode(slot);
  }

  /** Returns the namespace of the pod's claims; empty if it has none that are known by name. */
  static String namespaceOfClaims(PodShape shape) {
    return hasNamedClaims(shape) ? shape.namespace() : "";
  }

  /** Returns whether the pod has claims that are known by name, so that other pods may use them. */
  static boolean hasNamedClaims(PodShape shape) {
    for (PodVolume volume : shape.spec().volumes()) {
      if (volume instanceof PodVolume.Claim) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the change is of one of the pod's claims. */
  static boolean isOwnClaim(Change.StorageChanged change, PodShape shape) {
    if (!change.kind().equals(VolumeClaim.KIND) || !change.namespace().equals(shape.namespace())) {
      return false;
    }
    for (PodVolume volume : shape.spec().volumes()) {
      if (volume instanceof PodVolume.Claim claim && claim.claimName().equals(change.name())) {
        return true;
      }
    }
    return false;
  }

  /** Returns the first of the pod's own claims that does not exist. */
  static Optional<String> missingClaim(
      String namespace, List<PodVolume> volumes, StorageTable storage) {
    for (PodVolume volume : volumes) {
      if (volume instanceof PodVolume.Claim claim
          && claim.madeFor().isEmpty()
          && storage.claim(namespace, claim.claimName()).isEmpty()) {
        return Optional.of(claim.claimName());
      }
    }
    return Optional.empty();
  }

  static String notFound(String kind, String name) {
    return kind + " \"" + name + "\" not found";
  }
}
