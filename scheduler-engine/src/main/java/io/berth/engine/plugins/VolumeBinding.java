package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Scale;
import io.berth.engine.framework.ScorePlugin;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodVolume;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.RecentChanges;
import io.berth.engine.volume.ClaimPlanner;
import io.berth.engine.volume.CsiDriver;
import io.berth.engine.volume.CsiNode;
import io.berth.engine.volume.StorageCapacity;
import io.berth.engine.volume.StorageChange;
import io.berth.engine.volume.StorageUse;
import io.berth.engine.volume.Volume;
import io.berth.engine.volume.VolumeAttachment;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Rejects nodes that do not allow the pod's claims: nodes that do not reach a bound volume, and
 * nodes without a suitable free volume for a pending claim on which none can be provisioned. On an
 * API server of Kubernetes 1.37 or later, it also scores nodes by the share of their storage that
 * the pending claims would use, as kube-scheduler's feature {@code StorageCapacityScoring}.
 *
 * @param shape the score of a node by this share
 */
public record VolumeBinding(UtilizationCurve shape) implements FilterPlugin, ScorePlugin {
  private static final String SHAPE = "shape";

  /** The number of planned nodes that scores can look up at least. */
  private static final int KEPT_PLANS = 128;

  /** kube-scheduler's default: the less of a node's storage is used, the higher is its score. */
  private static final UtilizationCurve MUCH_LEFT =
      new UtilizationCurve(
          List.of(new UtilizationCurve.Point(0, 10), new UtilizationCurve.Point(100, 0)));

  record Question(String namespace, List<PodVolume> volumes) {}

  record ScoreQuestion(Question question, UtilizationCurve shape) {}

  /** Creates the plugin with kube-scheduler's defaults. */
  public VolumeBinding() {
    this(MUCH_LEFT);
  }

  /** Reads the arguments of the filter. */
  public static VolumeBinding readFilter(Arguments arguments) {
    arguments.isForScores(SHAPE);
    return new VolumeBinding();
  }

  /** Reads the arguments of the score. */
  public static VolumeBinding readScore(Arguments arguments) {
    List<UtilizationCurve.Point> points = UtilizationCurve.readPoints(arguments);
    return points.isEmpty() ? new VolumeBinding() : new VolumeBinding(new UtilizationCurve(points));
  }

  @Override
  public String name() {
    return "VolumeBinding";
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    if (shape.spec().volumes().stream().noneMatch(VolumeBinding::isClaim)) {
      return Optional.empty();
    }
    return Optional.of(answer(question(shape), state));
  }

  @Override
  public Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state) {
    if (!state.storage().scoresCapacity()
        || shape.spec().volumes().stream().noneMatch(VolumeBinding::isClaim)) {
      return Optional.empty();
    }
    ScoreQuestion question = new ScoreQuestion(question(shape), this.shape);
    return Optional.of(
        state
            .answers()
            .acquire(
                question,
                () -> new ScoreAnswer(question, answer(question.question(), state), state)));
  }

  private static Question question(PodShape shape) {
    return new Question(VolumeFilter.namespaceOfClaims(shape), shape.spec().volumes());
  }

  private static Answer answer(Question question, ClusterState state) {
    return state.answers().acquire(question, () -> new Answer(question, state));
  }

  private static boolean isClaim(PodVolume volume) {
    return volume instanceof PodVolume.Claim || volume instanceof PodVolume.UnboundClaim;
  }

  @Override
  public Cure cureBy(Change change) {
    return switch (change) {
      case Change.NodeChanged node ->
          hasOtherLabels(node)
              ? Cure.of((shape, state) -> fits(shape, node.after(), state))
              : Cure.none();
      case Change.StorageChanged changed ->
          changed.kind().equals(VolumeAttachment.KIND)
              ? Cure.none()
              : Cure.of(
                  (shape, state) ->
                      new ClaimCure(shape.namespace(), shape.spec().volumes(), state.storage())
                          .by(changed));
      default -> Cure.none();
    };
  }

  private static boolean hasOtherLabels(Change.NodeChanged node) {
    return node.before() == null || !node.before().labels().equals(node.after().labels());
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

    /** The nodes that were planned last; absent if no score reads them. */
    private @Nullable RecentChanges planned;

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

    @Override
    public boolean ignoresUse() {
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

    /** Returns the nodes whose plans may have changed last, from now on. */
    RecentChanges planned() {
      if (planned == null) {
        planned = new RecentChanges(KEPT_PLANS);
      }
      planned.keepFor(nodes.slots());
      return planned;
    }

    /** Returns the storage that the claims would use on a node that allows them. */
    List<StorageUse> usesOn(int slot) {
      if (planner.problem().isPresent()) {
        return List.of();
      }
      return plan(slot).uses();
    }

    private ClaimPlanner.Plan plan(int slot) {
      long looked = planner.looks();
      ClaimPlanner.Plan plan = planner.planFor(nodes.model(slot));
      state.work().spend(planner.looks() - looked);
      return plan;
    }

    @Override
    protected long ownBytes() {
      return super.ownBytes() + (planned == null ? 0 : planned.bytes());
    }

    @Override
    protected Optional<Verdict> read() {
      if (planned != null) {
        planned.addAll();
      }
      planner = new ClaimPlanner(question.namespace(), question.volumes(), storage);
      return planner.problem().map(Verdict::unresolvable);
    }

    @Override
    protected Optional<NodeSet> mayRejectByNode() {
      return planner.allowsEveryNode() ? Optional.of(NO_NODES) : Optional.empty();
    }

    @Override
    protected int checkNode(int slot) {
      if (planned != null) {
        planned.add(slot);
      }
      List<String> reasons = plan(slot).reasons();
      return reasons.isEmpty() ? PASSES : idOf(Verdict.of(false, reasons));
    }
  }

  /** The scores of nodes by the share of their storage that the claims would use. */
  private static final class ScoreAnswer extends NodeScorer {
    private final Answer answer;
    private final UtilizationCurve shape;
    private long seen;
    private boolean begun;

    ScoreAnswer(ScoreQuestion question, Answer answer, ClusterState state) {
      super(question, state, Scale.Kind.NONE, state.nodes().labelLog());
      this.answer = answer;
      this.shape = question.shape();
    }

    @Override
    protected boolean refreshInputs(NodeSet feasible) {
      RecentChanges planned = answer.planned();
      answer.refresh();
      boolean all = !begun || !planned.knowsSince(seen);
      if (!all) {
        planned.forEachSince(seen, this::rescore);
      }
      begun = true;
      seen = planned.version();
      return all;
    }

    @Override
    protected int score(int slot) {
      List<StorageUse> uses = answer.usesOn(slot);
      long sum = 0;
      for (StorageUse use : uses) {
        sum += shape.at(use.percent());
      }
      return uses.isEmpty() ? 0 : (int) Math.round((double) sum / uses.size());
    }

    @Override
    public void close() {
      answer.release();
    }
  }
}
