package io.berth.engine.plugins;

import io.berth.engine.cards.CardChooser;
import io.berth.engine.cards.CardRules;
import io.berth.engine.cards.CardTable;
import io.berth.engine.cards.CardWorth;
import io.berth.engine.cards.FreeCards;
import io.berth.engine.devices.DeviceAllocation;
import io.berth.engine.devices.DeviceCards;
import io.berth.engine.devices.DevicePlanner;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Scale;
import io.berth.engine.framework.ScorePlugin;
import io.berth.engine.model.Card;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import java.util.List;
import java.util.Optional;

/**
 * Prefers nodes whose free GPU cards, among them the devices of resource claims, lose the least
 * worth for the target workload when the pod is placed: see {@link CardWorth}. Pods without GPU are
 * scored too, because the CPU that they use may leave cards idle; nodes without cards are best for
 * them.
 *
 * <p>The score is 100 · c / (c + loss), with the loss in cards and c = 2. Among nodes with equal
 * loss, those with less free GPU and CPU are better.
 *
 * @param rules the strategy to choose cards, and the target workload
 */
public record GpuFragmentation(CardRules rules) implements ScorePlugin {
  /** The resources with which device plugins of GPU vendors count whole cards. */
  private static final List<String> COUNTED =
      List.of("nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe");

  /**
   * @param devices the needs that claims serve, with the resources that the pod requests; absent if
   *     there are none
   */
  record Question(
      PodCards demand,
      Optional<DynamicResources.Question> devices,
      boolean asksForCounted,
      long milliCpu,
      CardRules rules) {}

  @Override
  public String name() {
    return "GpuFragmentation";
  }

  @Override
  public Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state) {
    Question question =
        new Question(
            shape.spec().cards(),
            shape.spec().devices().isEmpty()
                ? Optional.empty()
                : Optional.of(DynamicResources.question(shape)),
            COUNTED.stream().anyMatch(gpu -> shape.spec().requests().held().amountOf(gpu) > 0),
            shape.spec().requests().held().amountOf(ResourceAmounts.CPU),
            rules);
    return Optional.of(state.answers().acquire(question, () -> new Answer(question, state)));
  }

  private static final class Answer extends NodeScorer {
    private static final double HALF_LOSS = 2_000;
    private static final double BEST = 100.0 * Scale.FINE_PER_POINT;

    /** The tie-breaking loss per free thousandth of a card. */
    private static final double GPU_LEFT = 0.0003;

    /** The tie-breaking loss per free thousandth of a core. */
    private static final double CPU_LEFT = 0.00002;

    /**
     * The tie-breaking loss per free thousandth of a card for pods without GPU. It is high, so that
     * these pods avoid nodes with usable cards while other nodes have free CPU.
     */
    private static final double GPU_BESIDE = 0.3;

    private static final double CPU_BESIDE = 0.0003;

    private final PodCards demand;
    private final Optional<DynamicResources.Question> devices;
    private final DeviceCards deviceCards;
    private Optional<DevicePlanner> planner = Optional.empty();
    private final boolean hasClaims;
    private final boolean asksForCounted;
    private final long milliCpu;
    private final CardRules rules;
    private final CardTable table;
    private final CardChooser chooser;
    private final CardWorthOfNodes before;
    private final FreeCards free = new FreeCards();
    private final FreeCards freeDevices = new FreeCards();
    private CardWorth worth;

    Answer(Question question, ClusterState state) {
      super(question, state, Scale.Kind.FINE, state.nodes().capacityLog(), state.deviceLog());
      this.demand = question.demand();
      this.devices = question.devices();
      this.deviceCards = state.cards().deviceCards();
      this.hasClaims =
          question.devices().filter(asked -> !asked.devices().claims().isEmpty()).isPresent();
      this.asksForCounted = question.asksForCounted();
      this.milliCpu = question.milliCpu();
      this.rules = question.rules();
      this.table = state.cards().table();
      this.chooser = new CardChooser(table);
      this.before = CardWorthOfNodes.acquire(rules, state);
      this.worth = before.worth();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // A new value is a new object.
    protected boolean refreshInputs(NodeSet feasible) {
      before.refresh();
      boolean all = worth != before.worth();
      worth = before.worth();
      if (devices.isPresent() && planner.map(DevicePlanner::isOutdated).orElse(true)) {
        planner = Optional.of(devices.get().planner(state));
        all = true;
      }
      return all;
    }

    @Override
    protected int score(int slot) {
      boolean hasDevices = deviceCards.has(slot);
      if (table.count(slot) == 0 && !hasDevices) {
        return demand.isEmpty() && !hasClaims && !asksForCounted ? besideCounted(slot) : (int) BEST;
      }
      long milliCpuLeft = state.cards().freeMilliCpu(slot) - milliCpu;
      if (milliCpuLeft < 0) {
        return 0;
      }
      table.read(slot, free);
      FreeCards left = free;
      if (!demand.isEmpty()) {
        if (!chooser.choose(free, demand, rules.choice(), worth, milliCpuLeft)) {
          return 0;
        }
        left = chooser.left();
      }
      Optional<List<DeviceAllocation>> allocations = allocations(slot, milliCpuLeft);
      if (allocations.isEmpty()) {
        return 0;
      }
      deviceCards.readAfter(slot, allocations.get(), freeDevices);
      double after = worth.of(left, milliCpuLeft) + worth.of(freeDevices, milliCpuLeft);
      double loss = Math.max(0, before.at(slot) - after);
      int total = left.total() + freeDevices.total();
      loss +=
          demand.isEmpty() && !hasClaims && allocations.get().isEmpty()
              ? GPU_BESIDE * total + CPU_BESIDE * milliCpuLeft
              : GPU_LEFT * total + CPU_LEFT * milliCpuLeft;
      return (int) (BEST * HALF_LOSS / (HALF_LOSS + loss));
    }

    /** Returns the devices that the pod would get; empty if it cannot get what it asks for. */
    private Optional<List<DeviceAllocation>> allocations(int slot, long milliCpuLeft) {
      if (planner.isEmpty() || planner.get().needsNothing()) {
        return Optional.of(List.of());
      }
      NodeModel node = nodes.model(slot);
      long steps = planner.get().steps();
      DevicePlanner.Plan plan =
          planner
              .get()
              .planFor(node, deviceCards.preference(slot, node, rules, worth, milliCpuLeft));
      state.work().spend(planner.get().steps() - steps);
      return plan.refusal().isPresent() ? Optional.empty() : Optional.of(plan.allocations());
    }

    /**
     * Returns the score for a pod without GPU on a node without card description; its counted cards
     * have the same weight as described ones.
     */
    private int besideCounted(int slot) {
      long free = 0;
      for (String resource : COUNTED) {
        int column = state.resources().idOf(resource);
        free +=
            Math.max(
                0, state.nodes().allocatable(column, slot) - state.nodes().requested(column, slot));
      }
      return (int) (BEST * HALF_LOSS / (HALF_LOSS + GPU_BESIDE * Card.MILLI_CORES * free));
    }

    @Override
    public void close() {
      before.release();
    }
  }
}
