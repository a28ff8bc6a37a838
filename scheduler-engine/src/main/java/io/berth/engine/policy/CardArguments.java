package io.berth.engine.policy;

import io.berth.crds.policy.AlgorithmNames;
import io.berth.crds.policy.CardChoice;
import io.berth.crds.policy.GpuPlacement;
import io.berth.crds.policy.GpuWorkloadShape;
import io.berth.engine.cards.CardRules;
import io.berth.engine.cards.TargetWorkload;
import io.berth.engine.cards.WorkloadShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rules for GPU cards in {@code spec.gpu} of a policy. */
final class CardArguments {
  private static final int WHOLE = 1_000;
  private static final int MOST_SHAPES = 256;

  private CardArguments() {}

  static CardRules rules(@Nullable GpuPlacement gpu, List<PolicyProblem> problems) {
    if (gpu == null) {
      return CardRules.defaults();
    }
    List<GpuWorkloadShape> given = gpu.targetWorkload();
    if (given.size() > MOST_SHAPES) {
      problems.add(
          new PolicyProblem(
              "spec.gpu.targetWorkload",
              "must have at most " + MOST_SHAPES + " shapes, not " + given.size()));
    }
    List<WorkloadShape> shapes = new ArrayList<>();
    for (int i = 0; i < given.size(); i++) {
      shapes.add(shape(given.get(i), "spec.gpu.targetWorkload[" + i + "]", problems));
    }
    return new CardRules(
        choice(gpu.cardChoice()),
        shapes.isEmpty() ? Optional.empty() : Optional.of(new TargetWorkload(shapes)),
        true);
  }

  /** Returns the weight of GpuFragmentation if no priority names it; 0 to disable it. */
  static int weightOf(@Nullable GpuPlacement gpu) {
    boolean scores =
        gpu != null
            && (gpu.cardChoice() == CardChoice.LEAST_FRAGMENTATION
                || gpu.cardChoice() == CardChoice.TOPOLOGY);
    return scores ? AlgorithmNames.GPU_FRAGMENTATION_WEIGHT : 0;
  }

  private static CardRules.Choice choice(CardChoice choice) {
    return switch (choice) {
      case LEAST_FRAGMENTATION -> CardRules.Choice.LEAST_FRAGMENTATION;
      case BEST_FIT -> CardRules.Choice.BEST_FIT;
      case SPREAD -> CardRules.Choice.SPREAD;
      case TOPOLOGY -> CardRules.Choice.TOPOLOGY;
    };
  }

  private static WorkloadShape shape(
      GpuWorkloadShape given, String path, List<PolicyProblem> problems) {
    within(given.share(), 1, 1_000_000, path + ".share", problems);
    within(given.cards(), 0, 64, path + ".cards", problems);
    within(given.milliGpu(), 1, WHOLE, path + ".milliGpu", problems);
    if (given.milliGpu() < WHOLE && given.cards() != 1) {
      problems.add(
          new PolicyProblem(
              path + ".milliGpu",
              "must be 1000 unless cards is 1: only single cards can be shared"));
    }
    long milliCpu = given.milliCpu() == null ? 0 : given.milliCpu();
    if (milliCpu < 0) {
      problems.add(new PolicyProblem(path + ".milliCpu", "must be 0 or more, not " + milliCpu));
    }
    return new WorkloadShape(
        given.share(), milliCpu, given.cards(), given.milliGpu(), Set.copyOf(given.models()));
  }

  private static void within(
      int value, int from, int to, String path, List<PolicyProblem> problems) {
    if (value < from || value > to) {
      problems.add(new PolicyProblem(path, "must be " + from + " to " + to + ", not " + value));
    }
  }
}
