package io.berth.engine.plugins;

import io.berth.engine.framework.Change;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodVolume;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.volume.ClaimPlanner;
import io.berth.engine.volume.CsiDriver;
import io.berth.engine.volume.CsiNode;
import io.berth.engine.volume.StorageCapacity;
import io.berth.engine.volume.StorageChange;
import io.berth.engine.volume.Volume;
import io.berth.engine.volume.VolumeAttachment;
import java.util.List;
import java.util.Optional;

/**
 * Rejects nodes that do not allow the pod's claims: nodes that do not reach a bound volume, and
 * nodes without a suitable free volume for a pending claim on which none can be provisioned.
 */
public record VolumeBinding() implements FilterPlugin {
  record Question(String namespace, List<PodVolume> volumes) {}

  @Override
  public String name() {
    return "VolumeBinding";
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    if (shape.spec().volumes().stream().noneMatch(VolumeBinding::isClaim)) {
      return Optional.empty();
    }
    Question question = new Question(VolumeFilter.namespaceOfClaims(shape), shape.spec().volumes());
    return Optional.of(state.answers().acquire(question, () -> new Answer(question, state)));
  }

  private static boolean isClaim(PodVolume volume) {
    return volume instanceof PodVolume.Claim || volume instanceof PodVolume.UnboundClaim;
  }

  @Override
  public boolean mayCureAny(Change change) {
    return switch (change) {
      case Change.NodeChanged node -> hasOtherLabels(node);
      case Change.StorageChanged changed -> !changed.kind().equals(VolumeAttachment.KIND);
      default -> false;
    };
  }

  private static boolean hasOtherLabels(Change.NodeChanged node) {
    return node.before() == null || !node.before().labels().equals(node.after().labels());
  }

  @Override
  public boolean mayCure(Change change, PodShape shape, ClusterState state) {
    return switch (change) {
      case Change.NodeChanged node -> hasOtherLabels(node) && fits(shape, node.after(), state);
      case Change.StorageChanged changed ->
          new ClaimCure(shape.namespace(), shape.spec().volumes(), state.storage()).by(changed);
      default -> false;
    };
  }

  private static boolean fits(PodShape shape, NodeModel node, ClusterState state) {
    ClaimPlanner planner =
        new ClaimPlanner(shape.namespace(), shape.spec().volumes(), state.storage());
    return planner.problem().isEmpty() && planner.planFor(node).reasons().isEmpty();
  }

  private static final class Answer extends VolumeFilter {
    private final Question question;
    private final LabelledNodes byLabel;
    private ClaimPlanner planner;

    Answer(Question question, ClusterState state) {
      super(question, question.namespace(), question.volumes(), state, state.nodes().labelLog());
      this.question = question;
      this.byLabel = new LabelledNodes(state);
      this.planner = new ClaimPlanner(question.namespace(), question.volumes(), storage);
    }

    @Override
    public boolean readsPods() {
      return false;
    }

    /**
     * Returns whether a change may affect all nodes. A volume that any claim of its class may use,
     * and a capacity, concern only the nodes that reach them; a CSINode, with the plugins that are
     * migrated to CSI, concerns its node.
     */
    @Override
    protected boolean concernsAll(StorageChange change) {
      if (change.kind().equals(CsiDriver.KIND)) {
        return true;
      }
      if (change.kind().equals(CsiNode.KIND)) {
        int slot = nodes.slotOf(change.name());
        if (slot >= 0) {
          concerns(slot);
        }
        return false;
      }
      if (!reads(change)) {
        return false;
      }
      return switch (change.object().orElse(null)) {
        case Volume volume -> isOwn(volume) || !concernsReach(volume);
        case StorageCapacity capacity ->
            !capacity.nodes().matchesNothing()
                && !byLabel.visit(capacity.nodes().requirements(), this::concerns);
        case null, default -> true;
      };
    }

    /** Returns whether the volume is bound to one of the claims, or reserved for it. */
    private boolean isOwn(Volume volume) {
      for (PodVolume wanted : question.volumes()) {
        if (wanted instanceof PodVolume.Claim claim
            && (isNamedBy(volume, claim)
                || storage
                    .claim(question.namespace(), claim.claimName())
                    .map(found -> found.volumeName().equals(volume.name()))
                    .orElse(true))) {
          return true;
        }
      }
      return false;
    }

    private boolean isNamedBy(Volume volume, PodVolume.Claim claim) {
      return volume
          .claim()
          .map(
              ref ->
                  ref.name().equals(claim.claimName())
                      && ref.namespace().equals(question.namespace()))
          .orElse(false);
    }

    /**
     * Marks the nodes that reach the volume; returns whether that was possible without a pass over
     * all nodes.
     */
    private boolean concernsReach(Volume volume) {
      if (volume.nodeTerms().isEmpty()) {
        return false;
      }
      for (NodeTerm term : volume.nodeTerms().get()) {
        if (!byLabel.visit(term.expressions(), this::concerns)) {
          return false;
        }
      }
      return true;
    }

    @Override
    public void close() {
      byLabel.release();
    }

    @Override
    protected Optional<Verdict> read() {
      planner = new ClaimPlanner(question.namespace(), question.volumes(), storage);
      return planner.problem().map(Verdict::unresolvable);
    }

    @Override
    protected Optional<NodeSet> mayRejectByNode() {
      return planner.allowsEveryNode() ? Optional.of(NO_NODES) : Optional.empty();
    }

    @Override
    protected int checkNode(int slot) {
      long looked = planner.looks();
      List<String> reasons = planner.planFor(nodes.model(slot)).reasons();
      state.work().spend(planner.looks() - looked);
      return reasons.isEmpty() ? PASSES : idOf(Verdict.of(false, reasons));
    }
  }
}
