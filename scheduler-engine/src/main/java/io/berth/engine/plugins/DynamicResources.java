package io.berth.engine.plugins;

import io.berth.engine.devices.DeviceClaim;
import io.berth.engine.devices.DeviceOutcome;
import io.berth.engine.devices.DevicePlanner;
import io.berth.engine.devices.DeviceTable;
import io.berth.engine.devices.TaintRule;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.DryRunHints;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Scale;
import io.berth.engine.framework.ScorePlugin;
import io.berth.engine.framework.Verdict;
import io.berth.engine.framework.VerdictFigures;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.state.ChangeLog;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NarrowColumn;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import java.util.Optional;

/**
 * Rejects nodes whose devices do not satisfy the pod's resource claims (dynamic resource
 * allocation), and prefers nodes where requests get their better alternatives.
 */
public record DynamicResources() implements FilterPlugin, ScorePlugin {
  /** Its name. */
  public static final String NAME = "DynamicResources";

  record Question(String namespace, PodDevices devices, ResourceAmounts asked) {
    DevicePlanner planner(ClusterState state) {
      return new DevicePlanner(namespace, devices, asked, state.devices());
    }
  }

  record ScoreQuestion(Question question) {}

  @Override
  public String name() {
    return NAME;
  }

  static Question question(PodShape shape) {
    PodDevices devices = shape.spec().devices();
    ResourceAmounts asked =
        devices.containers().isEmpty() ? ResourceAmounts.none() : shape.spec().requests().asked();
    return new Question(shape.namespace(), devices, asked);
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    if (shape.spec().devices().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(answer(question(shape), state));
  }

  private static Answer answer(Question question, ClusterState state) {
    return state.answers().acquire(question, () -> new Answer(question, state));
  }

  @Override
  public Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state) {
    if (shape.spec().devices().claims().isEmpty()) {
      return Optional.empty();
    }
    ScoreQuestion question = new ScoreQuestion(question(shape));
    return Optional.of(
        state
            .answers()
            .acquire(
                question,
                () -> new ScoreAnswer(question, answer(question.question(), state), state)));
  }

  @Override
  public Cure cureBy(Change change) {
    return switch (change) {
      case Change.DevicesChanged devices ->
          Cure.of((shape, state) -> asksForDevices(shape) && mayHelp(devices, shape));
      case Change.NodeChanged node ->
          isOther(node) ? Cure.of((shape, state) -> asksForDevices(shape)) : Cure.none();
      case Change.SelfChanged self -> Cure.of((shape, state) -> asksForDevices(shape));
      default -> Cure.none();
    };
  }

  private static boolean asksForDevices(PodShape shape) {
    return !shape.spec().devices().isEmpty();
  }

  private static boolean mayHelp(Change.DevicesChanged devices, PodShape shape) {
    return devices.releasesDevices()
        || switch (devices.after()) {
          case DeviceClaim claim -> isOwn(claim, shape);
          case TaintRule rule -> devices.before() != null;
          case null -> devices.before() instanceof TaintRule;
          default -> true;
        };
  }

  private static boolean isOther(Change.NodeChanged node) {
    NodeModel before = node.before();
    return before == null
        || !before.labels().equals(node.after().labels())
        || !before.allocatable().equals(node.after().allocatable());
  }

  /**
   * Returns whether the pod names the claim; described claims are woken by the pods that use them.
   */
  private static boolean isOwn(DeviceClaim claim, PodShape shape) {
    if (!claim.namespace().equals(shape.namespace())) {
      return false;
    }
    for (PodClaim own : shape.spec().devices().claims()) {
      if (own.claimName().equals(claim.name())) {
        return true;
      }
    }
    return false;
  }

  private static ChangeLog[] logs(Question question, ClusterState state) {
    ChangeLog devices = state.deviceLog();
    ChangeLog labels = state.nodes().labelLog();
    return question.devices().containers().isEmpty()
        ? new ChangeLog[] {devices, labels}
        : new ChangeLog[] {devices, labels, state.nodes().capacityLog()};
  }

  private static final class Answer extends NodeFilter implements DryRunHints, VerdictFigures {
    private final Question question;
    private final NarrowColumn scores = new NarrowColumn();
    private DevicePlanner planner;
    private boolean changed = true;
    private long planners;

    Answer(Question question, ClusterState state) {
      super(question, state, logs(question, state));
      this.question = question;
      this.planner = newPlanner();
    }

    private DevicePlanner newPlanner() {
      planners++;
      return question.planner(state);
    }

    @Override
    public boolean readsPods() {
      return false;
    }

    @Override
    public boolean ignoresUse() {
      return false;
    }

    @Override
    public void refreshInputs() {
      if (planner.isOutdated()) {
        planner = newPlanner();
        changed = true;
      }
    }

    @Override
    protected boolean recheckByInputs() {
      boolean all = changed;
      changed = false;
      return all;
    }

    @Override
    protected Optional<NodeSet> mayReject() {
      return planner.needsNothing() ? Optional.of(NO_NODES) : Optional.empty();
    }

    @Override
    public Optional<Verdict> rejectsPod() {
      return planner.problem().map(Answer::verdictOf);
    }

    @Override
    public long otherInputsVersion() {
      return state.devices().version();
    }

    @Override
    protected int check(int slot) {
      if (planner.needsNothing()) {
        return PASSES;
      }
      long before = planner.steps();
      DevicePlanner.Plan plan = planner.planFor(nodes.model(slot));
      state.work().spend(planner.steps() - before);
      if (plan.score() > 0 || slot < scores.length()) {
        scores.grow(Math.max(nodes.roomForSlots(), slot + 1));
        scores.set(slot, plan.score());
      }
      if (plan.refusal().isEmpty()) {
        return PASSES;
      }
      DeviceOutcome.Refused refusal = plan.refusal().get();
      return idOf(
          refusal.reason().equals(DeviceOutcome.NONE_FREE)
              ? Verdict.releasable(refusal.reason())
              : verdictOf(refusal));
    }

    @Override
    public DryRunHints dryRunHints() {
      return this;
    }

    @Override
    public boolean maySettle() {
      return true;
    }

    /** Returns whether no pod of the node has devices that its deletion releases. */
    @Override
    public boolean isSettled(int slot) {
      for (int i = 0; i < nodes.podCount(slot); i++) {
        PodEntry pod = nodes.pod(slot, i);
        if (!pod.spec().devices().isEmpty() && state.devices().holdsReleasable(pod.ref().uid())) {
          return false;
        }
      }
      return true;
    }

    @Override
    public NodeSet mayBeUnsettled() {
      return nodes.alive();
    }

    @Override
    public String figures(int slot) {
      DeviceTable.OnNode found = state.devices().countOn(nodes.model(slot));
      return "the node reaches %d devices, of which claims have %d"
          .formatted(found.devices(), found.allocated());
    }

    private static Verdict verdictOf(DeviceOutcome.Refused refusal) {
      return refusal.error()
          ? Verdict.error(refusal.reason())
          : Verdict.unresolvable(refusal.reason());
    }

    int scoreAt(int slot) {
      return slot < scores.length() ? scores.get(slot) : 0;
    }

    @Override
    protected long ownBytes() {
      return 500L + scores.bytes();
    }
  }

  private static final class ScoreAnswer extends NodeScorer {
    private final Answer answer;
    private long planners = -1;

    ScoreAnswer(ScoreQuestion question, Answer answer, ClusterState state) {
      super(question, state, Scale.Kind.PROPORTIONAL, logs(question.question(), state));
      this.answer = answer;
    }

    @Override
    protected boolean refreshInputs(NodeSet feasible) {
      answer.refresh();
      boolean all = planners != answer.planners;
      planners = answer.planners;
      return all;
    }

    @Override
    protected int score(int slot) {
      return answer.scoreAt(slot);
    }

    @Override
    public void close() {
      answer.release();
    }
  }
}
