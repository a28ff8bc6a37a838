package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Scale;
import io.berth.engine.framework.ScorePlugin;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Prefers nodes on which the pod makes the use of resources more balanced.
 *
 * <p>For each node, let f_k be the requested share of resource k, at most 1, and w_k its weight.
 * The weighted deviation of the shares from their weighted mean is s = sqrt(Σ w (f - m)² / Σ w),
 * the balance is ⌊100 (1 - s)⌋. The score rates the change: 50 + (50 + balance with the pod -
 * balance without it) / 2 in integers, so it is 75 if the pod changes nothing. Resources that the
 * node does not have are omitted, as are extended resources that the pod does not request. With
 * equal weights this is kube-scheduler 1.36's NodeResourcesBalancedAllocation, with the same order
 * of operations.
 */
public record NodeResourcesBalancedAllocation(List<WeightedResource> resources)
    implements ScorePlugin {
  record Question(List<Long> asked, List<WeightedResource> resources) {}

  public NodeResourcesBalancedAllocation {
    resources = List.copyOf(resources);
  }

  /** Creates the plugin with CPU and memory. */
  public NodeResourcesBalancedAllocation() {
    this(WeightedResource.CPU_AND_MEMORY);
  }

  /** Parses the arguments. */
  public static NodeResourcesBalancedAllocation read(Arguments arguments) {
    return new NodeResourcesBalancedAllocation(WeightedResource.read(arguments));
  }

  @Override
  public String name() {
    return "NodeResourcesBalancedAllocation";
  }

  @Override
  public Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state) {
    long[] asked = ResourceFigures.asked(shape, resources, false);
    if (Arrays.stream(asked).allMatch(amount -> amount == 0)) {
      return Optional.empty();
    }
    Question question = new Question(Arrays.stream(asked).boxed().toList(), resources);
    return Optional.of(state.answers().acquire(question, () -> new Answer(question, asked, state)));
  }

  private static final class Answer extends NodeScorer {
    private final ResourceFigures figures;
    private final double[] shares;
    private final double[] shareWeights;
    private final long[] weights;

    Answer(Question question, long[] asked, ClusterState state) {
      super(question, state, Scale.Kind.NONE, state.nodes().capacityLog());
      this.figures = new ResourceFigures(state, question.resources(), asked, false);
      this.weights = question.resources().stream().mapToLong(WeightedResource::weight).toArray();
      this.shares = new double[weights.length];
      this.shareWeights = new double[weights.length];
    }

    @Override
    protected boolean refreshInputs(NodeSet feasible) {
      figures.locate();
      return false;
    }

    @Override
    protected int score(int slot) {
      figures.read(slot);
      int with = balance(figures.requested);
      int without = balance(figures.allocated);
      return 50 + (50 + with - without) / 2;
    }

    private int balance(long[] requested) {
      int size = 0;
      boolean equalWeights = true;
      for (int i = 0; i < weights.length; i++) {
        long allocatable = figures.allocatable[i];
        if (allocatable != 0) {
          double share = (double) requested[i] / (double) allocatable;
          shares[size] = share > 1 ? 1 : share;
          shareWeights[size] = weights[i];
          equalWeights &= shareWeights[size] == shareWeights[0];
          size++;
        }
      }
      double deviation = equalWeights ? deviation(size) : weightedDeviation(size);
      return (int) ((1 - deviation) * 100);
    }

    private double deviation(int size) {
      if (size < 2) {
        return 0;
      }
      if (size == 2) {
        return Math.abs((shares[0] - shares[1]) / 2);
      }
      double total = 0;
      for (int i = 0; i < size; i++) {
        total += shares[i];
      }
      double mean = total / size;
      double sum = 0;
      for (int i = 0; i < size; i++) {
        sum = sum + (shares[i] - mean) * (shares[i] - mean);
      }
      return Math.sqrt(sum / size);
    }

    private double weightedDeviation(int size) {
      double total = 0;
      double totalWeight = 0;
      for (int i = 0; i < size; i++) {
        total += shareWeights[i] * shares[i];
        totalWeight += shareWeights[i];
      }
      double mean = total / totalWeight;
      double sum = 0;
      for (int i = 0; i < size; i++) {
        sum += shareWeights[i] * (shares[i] - mean) * (shares[i] - mean);
      }
      return Math.sqrt(sum / totalWeight);
    }
  }
}
