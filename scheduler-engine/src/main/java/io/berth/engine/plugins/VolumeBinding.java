package io.berth.engine.plugins;

import io.berth.engine.framework.Change;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.PodVolume;
import io.berth.engine.state.ClusterState;
import io.berth.engine.volume.ClaimPlanner;
import io.berth.engine.volume.CsiDriver;
import io.berth.engine.volume.CsiNode;
import io.berth.engine.volume.StorageChange;
import io.berth.engine.volume.VolumeClaim;
import java.util.List;
import java.util.Optional;

/**
 * Keeps pods off nodes where their claims cannot be had: from where a bound volume cannot be
 * reached, and where no free volume suits a waiting claim and none can be made.
 */
public record VolumeBinding() implements FilterPlugin {
  record Question(String namespace, List<PodVolume> volumes) {}

  @Override
  public String name() {
    return "VolumeBinding";
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    if (!VolumeFilter.hasClaims(shape)) {
      return Optional.empty();
    }
    Question question = new Question(shape.namespace(), shape.spec().volumes());
    return Optional.of(state.answers().acquire(question, () -> new Answer(question, state)));
  }

  @Override
  public boolean mayCureAny(Change change) {
    return change instanceof Change.NodeChanged || change instanceof Change.StorageChanged;
  }

  @Override
  public boolean mayCure(Change change, PodShape shape, ClusterState state) {
    return switch (change) {
      case Change.NodeChanged node ->
          node.before() == null || !node.before().labels().equals(node.after().labels());
      case Change.StorageChanged changed ->
          !changed.kind().equals(VolumeClaim.KIND) || VolumeFilter.isOwnClaim(changed, shape);
      default -> false;
    };
  }

  private static final class Answer extends VolumeFilter {
    private final Question question;
    private ClaimPlanner planner;

    Answer(Question question, ClusterState state) {
      super(question, question.namespace(), question.volumes(), state, state.nodes().labelLog());
      this.question = question;
      this.planner = new ClaimPlanner(question.namespace(), question.volumes(), storage);
    }

    @Override
    public boolean readsPods() {
      return false;
    }

    /** Also which nodes have moved a plugin to CSI, and which drivers publish capacities. */
    @Override
    protected boolean reads(StorageChange change) {
      return change.kind().equals(CsiNode.KIND)
          || change.kind().equals(CsiDriver.KIND)
          || super.reads(change);
    }

    @Override
    protected Optional<Verdict> read() {
      planner = new ClaimPlanner(question.namespace(), question.volumes(), storage);
      return planner.problem().map(Verdict::unresolvable);
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
