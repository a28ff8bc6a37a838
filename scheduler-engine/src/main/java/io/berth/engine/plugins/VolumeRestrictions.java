package io.berth.engine.plugins;

import io.berth.engine.framework.Change;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.DryRunHints;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.StableRanges;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.PodVolume;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.volume.VolumeClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Separates pods that cannot share a disk: two pods on one node that write to the same network
 * disk, and any two pods with the same claim of access mode ReadWriteOncePod.
 */
public record VolumeRestrictions() implements FilterPlugin {
  private static final Set<String> EXCLUSIVE =
      Set.of("gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd");

  record Question(String namespace, List<PodVolume> volumes) {}

  @Override
  public String name() {
    return "VolumeRestrictions";
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    boolean concerned = false;
    for (PodVolume volume : shape.spec().volumes()) {
      concerned |= isExclusive(volume) || volume instanceof PodVolume.Claim;
    }
    if (!concerned) {
      return Optional.empty();
    }
    Question question = new Question(shape.namespace(), shape.spec().volumes());
    return Optional.of(state.answers().acquire(question, () -> new Answer(question, state)));
  }

  @Override
  public Cure cureBy(Change change) {
    return switch (change) {
      case Change.NodeChanged node -> Cure.when(node.before() == null);
      case Change.PodGone gone ->
          Cure.of(
              (shape, state) ->
                  conflict(shape.spec().volumes(), gone.pod().spec().volumes())
                      || (gone.pod().ref().namespace().equals(shape.namespace())
                          && sharesClaim(shape.spec().volumes(), gone.pod().spec().volumes())));
      case Change.StorageChanged changed ->
          Cure.of((shape, state) -> VolumeFilter.isOwnClaim(changed, shape));
      default -> Cure.none();
    };
  }

  private static boolean isExclusive(PodVolume volume) {
    return volume instanceof PodVolume.Disk disk && EXCLUSIVE.contains(disk.kind());
  }

  private static boolean conflict(List<PodVolume> wanted, List<PodVolume> taken) {
    for (PodVolume volume : taken) {
      if (!isExclusive(volume) || !(volume instanceof PodVolume.Disk there)) {
        continue;
      }
      for (PodVolume want : wanted) {
        if (want instanceof PodVolume.Disk disk
            && disk.kind().equals(there.kind())
            && disk.id().equals(there.id())
            && !(disk.readOnly() && there.readOnly())) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean sharesClaim(List<PodVolume> wanted, List<PodVolume> taken) {
    for (PodVolume volume : taken) {
      if (volume instanceof PodVolume.Claim && wanted.contains(volume)) {
        return true;
      }
    }
    return false;
  }

  private static final class Answer extends VolumeFilter implements DryRunHints {
    private final Question question;
    private final boolean hasDisks;
    private final int diskTaken;
    private final int claimTaken;
    private final List<String> exclusiveClaims = new ArrayList<>();
    private boolean claimWasInUse;

    Answer(Question question, ClusterState state) {
      super(question, question.namespace(), question.volumes(), state, state.nodes().capacityLog());
      this.question = question;
      this.hasDisks = question.volumes().stream().anyMatch(VolumeRestrictions::isExclusive);
      this.diskTaken = idOf(Verdict.unschedulable("node(s) had no available disk"));
      this.claimTaken =
          idOf(
              Verdict.unschedulable(
                  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access"
                      + " mode already in-use by another pod"));
    }

    @Override
    public DryRunHints dryRunHints() {
      return this;
    }

    @Override
    public boolean maySettle() {
      return true;
    }

    @Override
    public boolean isSettled(int slot) {
      return isSettledEverywhere();
    }

    @Override
    public NodeSet mayBeUnsettled() {
      return isSettledEverywhere() ? NO_NODES : nodes.alive();
    }

    @Override
    protected Optional<NodeSet> mayRejectByNode() {
      return isSettledEverywhere() ? Optional.of(NO_NODES) : Optional.empty();
    }

    private boolean isSettledEverywhere() {
      return rejectsPod().isPresent() || (!hasDisks && !isClaimInUse());
    }

    @Override
    protected Optional<Verdict> read() {
      exclusiveClaims.clear();
      for (PodVolume volume : question.volumes()) {
        if (volume instanceof PodVolume.Claim claim && claim.madeFor().isEmpty()) {
          Optional<VolumeClaim> found = storage.claim(question.namespace(), claim.claimName());
          if (found.isPresent()
              && found.get().accessModes().contains(VolumeClaim.READ_WRITE_ONCE_POD)) {
            exclusiveClaims.add(claim.claimName());
          }
        }
      }
      return missingClaim(question.namespace(), question.volumes(), storage)
          .map(name -> Verdict.unresolvable(notFound("persistentvolumeclaim", name)));
    }

    @Override
    protected boolean recheckByInputs() {
      boolean inUse = isClaimInUse();
      boolean all = super.recheckByInputs() || inUse != claimWasInUse;
      claimWasInUse = inUse;
      return all;
    }

    @Override
    protected int checkNode(int slot) {
      return checkNode(slot, StableRanges.NOT_KEPT);
    }

    private int checkNode(int slot, StableRanges ranges) {
      if (hasDisks) {
        for (int i = 0; i < nodes.podCount(slot); i++) {
          if (conflict(question.volumes(), nodes.pod(slot, i).spec().volumes())) {
            return diskTaken;
          }
        }
      }
      for (int i = 0; i < exclusiveClaims.size(); i++) {
        if (!ranges.isAtMost(i, outsideCount(i, slot), 0)) {
          return claimTaken;
        }
      }
      return PASSES;
    }

    @Override
    public int outsideCounts() {
      return exclusiveClaims.size();
    }

    @Override
    public long outsideCountsVersion() {
      return storage.version();
    }

    /** Returns the number of placed pods that use each of the ReadWriteOncePod claims. */
    @Override
    public long outsideCount(int number, int slot) {
      return storage.usesOf(question.namespace(), exclusiveClaims.get(number));
    }

    @Override
    public int check(int slot, StableRanges ranges) {
      return rejectsPod().isPresent() ? check(slot) : checkNode(slot, ranges);
    }

    private boolean isClaimInUse() {
      for (String claim : exclusiveClaims) {
        if (storage.usesOf(question.namespace(), claim) > 0) {
          return true;
        }
      }
      return false;
    }
  }
}
