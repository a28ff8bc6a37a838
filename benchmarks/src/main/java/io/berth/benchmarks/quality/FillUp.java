package io.berth.benchmarks.quality;

import io.berth.benchmarks.quality.DemandStream.Arrival;
import io.berth.engine.api.Decision;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodRef;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Fills a pool, and measures the deviation of the nodes' levels while there is room and the share
 * of large pods that are placed when there is little. A pod that is not placed within a tenth of
 * its lifetime is removed. See {@link DemandStream}.
 */
final class FillUp {
  /** The compared policies, with the names of their figures. */
  enum Policy {
    /** Prefers the emptiest node. */
    LEAST_ALLOCATED(
        "LeastAllocated",
        """
        {"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "LeastAllocated"}}}\
        """),
    /** Prefers the fullest node. */
    MOST_ALLOCATED(
        "MostAllocated",
        """
        {"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "MostAllocated"}}}\
        """),
    /** kube-scheduler's defaults. */
    DEFAULT("Default", ""),
    /** Prefers the emptiest or the fullest node, depending on the level of the pool. */
    WATER_LEVEL(
        "WaterLevel",
        """
        {"name": "NodeResourcesFit", "weight": 0}, {"name": "WaterLevel", "weight": 1}\
        """);

    final String key;
    private final String priorities;

    Policy(String key, String priorities) {
      this.key = key;
      this.priorities = priorities;
    }

    private String spec() {
      return "{\"preemption\": {\"enabled\": false}, \"priorities\": [" + priorities + "]}";
    }
  }

  private static final int PATIENCE_DIVISOR = 10;
  private static final int SAMPLE_EVERY = 60;

  /** A running or waiting pod, and the tick at which it terminates or is removed. */
  private record Present(int until, Arrival arrival) {}

  /**
   * The result of a policy.
   *
   * @param deviation the standard deviation of the nodes' levels, in percentage points, by demand
   * @param allocated the allocated percentage of the capacity, by demand
   * @param largest for each pod of the largest size, by the demand at its arrival, 100 if it was
   *     placed and 0 if not
   */
  record Result(DemandCurve deviation, DemandCurve allocated, DemandCurve largest) {
    double stddevAtHalf() {
      return deviation.mean(49, 51);
    }

    double largestPlacedPercent() {
      return largest.mean(90, 100);
    }

    double allocatedPercent() {
      return allocated.mean(100, DemandStream.LAST_PERCENT + 1);
    }

    Map<String, Object> figures() {
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("stddevAtHalf", Balance.rounded(stddevAtHalf()));
      figures.put("largestPlacedPercent", Balance.rounded(largestPlacedPercent()));
      figures.put("allocatedPercent", Balance.rounded(allocatedPercent()));
      return figures;
    }
  }

  private final Pool pool;
  private final Map<String, Integer> levels = new HashMap<>();
  private final Map<PodRef, Present> waiting = new HashMap<>();
  private final Map<PodRef, String> nodes = new HashMap<>();
  private final PriorityQueue<Present> ends =
      new PriorityQueue<>((one, other) -> Integer.compare(one.until(), other.until()));
  private final Result result = new Result(new DemandCurve(), new DemandCurve(), new DemandCurve());

  private FillUp(String policy) {
    this.pool = new Pool(policy);
    for (NodeModel node : DemandStream.nodes()) {
      pool.add(node);
      levels.put(node.name(), 0);
    }
  }

  /** Runs these arrivals with a policy. */
  static Result run(Policy policy, List<Arrival> arrivals) {
    return run(policy.spec(), arrivals);
  }

  static Result run(String spec, List<Arrival> arrivals) {
    return new FillUp(spec).run(arrivals);
  }

  private Result run(List<Arrival> arrivals) {
    int next = 0;
    for (int tick = 1; tick <= DemandStream.ticks(); tick++) {
      pool.elapse(Duration.ofSeconds(DemandStream.TICK_SECONDS));
      while (!ends.isEmpty() && ends.peek().until() <= tick) {
        leave(ends.remove());
      }
      for (; next < arrivals.size() && arrivals.get(next).tick() == tick; next++) {
        arrive(arrivals.get(next));
      }
      for (Decision.Placed placed : pool.decide()) {
        run(placed, tick);
      }
      if (tick % SAMPLE_EVERY == 0) {
        sample(DemandStream.percentAt(tick));
      }
    }
    return result;
  }

  private void arrive(Arrival arrival) {
    Present present = new Present(arrival.tick() + arrival.lifetime() / PATIENCE_DIVISOR, arrival);
    waiting.put(arrival.pod().ref(), present);
    ends.add(present);
    pool.add(arrival.pod());
  }

  private void run(Decision.Placed placed, int tick) {
    Arrival arrival = waiting.remove(placed.pod()).arrival();
    nodes.put(placed.pod(), placed.nodeName());
    levels.merge(placed.nodeName(), arrival.parts(), Integer::sum);
    ends.add(new Present(tick + arrival.lifetime(), arrival));
    countLargest(arrival, 100);
  }

  /**
   * Ends a pod's lifetime or its waiting time; the end of the waiting time has no effect on a
   * running pod.
   */
  private void leave(Present present) {
    Arrival arrival = present.arrival();
    PodRef pod = arrival.pod().ref();
    if (waiting.remove(pod, present)) {
      pool.remove(pod);
      countLargest(arrival, 0);
    } else if (present.until() - arrival.tick() >= arrival.lifetime()) {
      pool.remove(pod);
      levels.merge(nodes.remove(pod), -arrival.parts(), Integer::sum);
    }
  }

  private void countLargest(Arrival arrival, double percent) {
    if (arrival.parts() == DemandStream.LARGEST) {
      result.largest().add(DemandStream.percentAt(arrival.tick()), percent);
    }
  }

  private void sample(double demand) {
    double sum = 0;
    double squares = 0;
    for (int parts : levels.values()) {
      double level = 100.0 * parts / DemandStream.PARTS;
      sum += level;
      squares += level * level;
    }
    double mean = sum / levels.size();
    result.allocated().add(demand, mean);
    result.deviation().add(demand, Math.sqrt(Math.max(0, squares / levels.size() - mean * mean)));
  }
}
