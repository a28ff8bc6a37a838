package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import io.berth.engine.framework.GaugedScore;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Scale;
import io.berth.engine.model.NodeUsage;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.Gauge;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Prefers nodes with low actual usage, regardless of requests.
 *
 * <p>The score is 100 Σ w_k max(0, VA_k - VR_k) / A_k / Σ w_k over the resources k that the node
 * has. A_k is allocatable. VR_k, the virtual request, is the expected usage of a pod: the value in
 * its annotation, else its request, else the floor. VA_k, the virtual available amount, is A_k
 * minus the usage in the node's last report, minus the virtual request of every pod on the node
 * that this report does not include yet, so that pods which arrive between two reports do not all
 * go to the node that was least used in the last one. If no recent report exists, no pod is
 * included.
 *
 * @param maxAge the maximum age of a report; older ones are ignored
 * @param resources the resources to consider
 * @param floor the virtual requests of pods that neither have the annotation nor request anything,
 *     by resource
 */
public record MostAvailable(
    Duration maxAge, List<WeightedResource> resources, ResourceAmounts floor)
    implements GaugedScore {
  private static final Duration LONGEST_AGE = Duration.ofHours(1);
  private static final ResourceAmounts DEFAULT_FLOOR =
      ResourceAmounts.of(Map.of(ResourceAmounts.CPU, 100L, ResourceAmounts.MEMORY, 200L << 20));

  record Question(List<Long> expected, MostAvailable plugin) {}

  public MostAvailable {
    resources = List.copyOf(resources);
  }

  /** Creates the plugin with CPU and memory, and reports of the last three minutes. */
  public MostAvailable() {
    this(Duration.ofMinutes(3), WeightedResource.CPU_AND_MEMORY, DEFAULT_FLOOR);
  }

  /** Parses the arguments. */
  public static MostAvailable read(Arguments arguments) {
    MostAvailable defaults = new MostAvailable();
    return new MostAvailable(
        arguments.duration("maxAge", Duration.ofSeconds(1), LONGEST_AGE, defaults.maxAge()),
        WeightedResource.read(arguments),
        arguments.amounts("floor", defaults.floor()));
  }

  @Override
  public String name() {
    return "MostAvailable";
  }

  @Override
  public Gauge newGauge(ClusterState state) {
    return new ReportAge(maxAge, state);
  }

  @Override
  public Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state) {
    long[] expected = new long[resources.size()];
    for (int k = 0; k < expected.length; k++) {
      expected[k] = virtualRequest(shape.spec(), resources.get(k).name());
    }
    Question question = new Question(Arrays.stream(expected).boxed().toList(), this);
    ReportAge reports =
        (ReportAge)
            state
                .gauges()
                .find(this)
                .orElseThrow(() -> new IllegalStateException("no policy serves with " + this));
    return Optional.of(
        state.answers().acquire(question, () -> new Answer(question, expected, reports, state)));
  }

  private long virtualRequest(PodSpec spec, String resource) {
    ResourceAmounts declared = spec.virtualRequest();
    if (declared.names(resource)) {
      return declared.amountOf(resource);
    }
    long requested = spec.requests().asked().amountOf(resource);
    return requested > 0 ? requested : floor.amountOf(resource);
  }

  private static final class Answer extends NodeScorer {
    private final MostAvailable plugin;
    private final long[] expected;
    private final ReportAge reports;
    private final int[] columns;

    Answer(Question question, long[] expected, ReportAge reports, ClusterState state) {
      super(
          question,
          state,
          Scale.Kind.NONE,
          state.nodes().capacityLog(),
          state.usages().log(),
          reports.log());
      this.plugin = question.plugin();
      this.expected = expected;
      this.reports = reports;
      this.columns = new int[expected.length];
    }

    @Override
    protected boolean refreshInputs(NodeSet feasible) {
      for (int k = 0; k < columns.length; k++) {
        columns[k] = state.resources().idOf(plugin.resources().get(k).name());
      }
      return false;
    }

    @Override
    protected int score(int slot) {
      Optional<NodeUsage> report = reports.report(slot);
      double sum = 0;
      long weights = 0;
      for (int k = 0; k < columns.length; k++) {
        long allocatable = nodes.allocatable(columns[k], slot);
        if (allocatable > 0) {
          long weight = plugin.resources().get(k).weight();
          long left = allocatable - committed(slot, k, report) - expected[k];
          sum += weight * (double) Math.max(0, left) / allocatable;
          weights += weight;
        }
      }
      return weights == 0 ? 0 : (int) (100 * sum / weights);
    }

    /**
     * Returns the measured usage, plus the expected usage of pods that the report does not include.
     */
    private long committed(int slot, int k, Optional<NodeUsage> report) {
      String resource = plugin.resources().get(k).name();
      boolean isMeasured = report.isPresent() && report.get().used().names(resource);
      long committed = isMeasured ? report.get().used().amountOf(resource) : 0;
      for (int i = 0; i < nodes.podCount(slot); i++) {
        PodEntry pod = nodes.pod(slot, i);
        if (!isMeasured || !isContained(pod, report.get())) {
          committed += plugin.virtualRequest(pod.spec(), resource);
        }
      }
      return committed;
    }

    private static boolean isContained(PodEntry pod, NodeUsage report) {
      Optional<Instant> started = pod.model().startedAt();
      return started.isPresent() && report.contains(started.get());
    }
  }
}
