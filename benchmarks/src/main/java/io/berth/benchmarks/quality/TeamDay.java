package io.berth.benchmarks.quality;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;

/**
 * Simulates a day of three teams on 300 nodes, with and without queues that guarantee 50, 30, and
 * 20 % of the CPUs. A pod that is evicted is created again and has to run for its whole time.
 */
final class TeamDay {
  static final int NODES = 300;
  static final long NODE_MILLI_CPU = 32_000;
  private static final long CAPACITY = NODES * NODE_MILLI_CPU;
  private static final int[] GUARANTEES = {50, 30, 20};
  private static final int PERCENT = 100;

  /** The time between two looks at the cluster. */
  private static final long TICK_SECONDS = 10;

  /** The time for which demand has to be unmet before shares are compared. */
  private static final long UNMET_SECONDS = 60;

  /** The time for which pods are protected from other teams, with queues. */
  static final long MIN_RUN_SECONDS = 60;

  private static final long SECONDS_PER_POINT = 600;

  /**
   * The figures of a day.
   *
   * @param guaranteedPercent of the CPU time that teams asked below their guarantees, the part that
   *     they got
   * @param jain the mean of Jain's index of the shares of teams with unmet demand that could use
   *     what others borrow; see {@link ShareIndex}
   * @param jainOfAll the same of all teams with unmet demand
   * @param utilizationPercent the mean use of the CPUs
   * @param evictedEarly the pods that were evicted before {@link #MIN_RUN_SECONDS}
   * @param causes why pods were evicted, and how many evictions nothing could have avoided
   * @param lostHours the CPU hours that evicted pods had run
   * @param use the use over the day in percent of the CPUs, by team
   */
  record Result(
      double guaranteedPercent,
      ShareIndex.Mean jain,
      ShareIndex.Mean jainOfAll,
      double utilizationPercent,
      int placed,
      int evicted,
      int evictedEarly,
      EvictionCauses causes,
      double lostHours,
      List<List<LinePlot.Point>> use) {
    Map<String, Object> figures() {
      Map<String, Object> figures = new TreeMap<>();
      figures.put("guaranteedPercent", guaranteedPercent);
      figures.put("jain", jain.value());
      figures.put("jainSeconds", jain.looks() * TICK_SECONDS);
      figures.put("jainOfAll", jainOfAll.value());
      figures.put("jainOfAllSeconds", jainOfAll.looks() * TICK_SECONDS);
      figures.put("utilizationPercent", utilizationPercent);
      figures.put("placed", placed);
      figures.put("evicted", evicted);
      figures.put("evictedForGuarantees", causes.forGuarantees());
      figures.put("evictedForShares", causes.forShares());
      figures.put("evictedAgain", causes.again());
      figures.put("evictedUnavoidably", causes.unavoidable());
      figures.put("evictedEarly", evictedEarly);
      figures.put("lostCpuHours", lostHours);
      return figures;
    }
  }

  /**
   * A pod of the stream, pending or running.
   *
   * @param began the second of its creation or start
   */
  record Job(TeamJobs.Pod pod, PodModel model, long began) {}

  private final Engine engine = new Engine(EngineOptions.defaults());
  private final Instant begin = Instant.parse("2026-01-01T00:00:00Z");
  private final Map<String, Job> pending = new HashMap<>();
  private final Map<String, Job> running = new HashMap<>();
  private final PriorityQueue<Job> ends =
      new PriorityQueue<>(
          Comparator.comparingLong((Job job) -> job.began() + job.pod().seconds())
              .thenComparing(job -> job.model().ref().uid()));
  private final long[] used = new long[TeamJobs.TEAMS.size()];
  private final long[] waiting = new long[TeamJobs.TEAMS.size()];
  private final long[] unmetSeconds = new long[TeamJobs.TEAMS.size()];

  /** The pending pods that have room reserved for them. */
  private final Map<String, Job> reserved = new HashMap<>();

  private final EvictionCauses causes = new EvictionCauses();
  private final ShareIndex shares = new ShareIndex();
  private final List<List<LinePlot.Point>> use = new ArrayList<>();
  private long second;
  private int generation;
  private int placed;
  private int evicted;
  private double lost;
  private double asked;
  private double got;
  private double inUse;
  private int evictedEarly;

  private TeamDay() {
    TeamJobs.TEAMS.forEach(team -> use.add(new ArrayList<>()));
  }

  static Result run(long seed, boolean withQueues) {
    TeamDay day = new TeamDay();
    day.prepare(withQueues);
    return day.run(TeamJobs.ofADay(seed));
  }

  private Instant now() {
    return begin.plusSeconds(second);
  }

  private void apply(ClusterEvent event) {
    engine.apply(event, now());
  }

  private void prepare(boolean withQueues) {
    PolicyCompilation compiled =
        new PolicyCompiler().compile("teams", "1", SchedulingPolicySpec.defaults());
    if (!(compiled instanceof PolicyCompilation.Compiled policy)) {
      throw new IllegalStateException("the default policy does not compile: " + compiled);
    }
    apply(new ClusterEvent.PolicyServed(policy.policy()));
    for (int i = 0; i < NODES; i++) {
      apply(
          new ClusterEvent.NodeUpserted(
              Nodes.node(nodeName(i)).milliCpu(NODE_MILLI_CPU).memoryBytes(128L << 30).build()));
    }
    for (int team = 0; withQueues && team < TeamJobs.TEAMS.size(); team++) {
      String name = TeamJobs.TEAMS.get(team);
      apply(
          new ClusterEvent.QueueUpserted(
              new QueueModel(
                  name,
                  "",
                  ResourceAmounts.of(Map.of("cpu", guarantee(team))),
                  ResourceAmounts.none(),
                  1,
                  0,
                  Duration.ofSeconds(MIN_RUN_SECONDS),
                  Set.of(name),
                  LabelSelector.nothing())));
    }
  }

  static String nodeName(int number) {
    return "node-" + number;
  }

  /** Returns the guarantee of a team in thousandths of a CPU. */
  static long guarantee(int team) {
    return CAPACITY * GUARANTEES[team] / PERCENT;
  }

  private Result run(List<TeamJobs.Pod> stream) {
    int next = 0;
    for (second = 0; second < TeamJobs.DAY.toSeconds(); second += TICK_SECONDS) {
      while (!ends.isEmpty() && ends.peek().began() + ends.peek().pod().seconds() <= second) {
        end(ends.poll());
      }
      while (next < stream.size() && stream.get(next).second() <= second) {
        create(stream.get(next++));
      }
      decide();
      measure();
    }
    double ticks = (double) TeamJobs.DAY.toSeconds() / TICK_SECONDS;
    return new Result(
        PERCENT * got / asked,
        shares.ofUsable(),
        shares.ofAll(),
        PERCENT * inUse / ticks / CAPACITY,
        placed,
        evicted,
        evictedEarly,
        causes,
        lost / Duration.ofHours(1).toSeconds() / 1_000,
        use);
  }

  private void create(TeamJobs.Pod pod) {
    String team = TeamJobs.TEAMS.get(pod.team());
    PodModel model =
        Pods.pod(pod.name())
            .ref(new PodRef(team, pod.name(), pod.name() + "-" + generation++))
            .policy("teams")
            .createdAt(now())
            .milliCpu(pod.milliCpu())
            .memoryBytes(1L << 30)
            .build();
    pending.put(model.ref().uid(), new Job(pod, model, second));
    waiting[pod.team()] += pod.milliCpu();
    apply(new ClusterEvent.PodUpserted(model));
  }

  private void end(Job job) {
    if (running.remove(job.model().ref().uid()) != null) {
      used[job.pod().team()] -= job.pod().milliCpu();
      apply(new ClusterEvent.PodRemoved(job.model().ref()));
    }
  }

  /** Returns whether the guarantee of its team covers the pod beside all that run or will soon. */
  private boolean isWithinGuarantee(Job job) {
    int team = job.pod().team();
    long expected =
        reserved.values().stream()
            .filter(other -> !other.equals(job) && other.pod().team() == team)
            .mapToLong(other -> other.pod().milliCpu())
            .sum();
    return used[team] + expected + job.pod().milliCpu() <= guarantee(team);
  }

  private void decide() {
    causes.begin(running.values());
    while (true) {
      Outcome outcome = engine.next(now());
      switch (outcome) {
        case Idle idle when !idle.until().isReached(now()) -> {
          causes.end();
          return;
        }
        case Decision.Placed found -> begin(found);
        case Decision.Nominated found -> {
          boolean isForGuarantee = isWithinGuarantee(pending.get(found.pod().uid()));
          reserved.put(found.pod().uid(), pending.get(found.pod().uid()));
          found.victims().forEach(victim -> evict(victim, isForGuarantee));
        }
        default -> {
          // A pod waits, or the engine continues at once.
        }
      }
    }
  }

  private void begin(Decision.Placed found) {
    Job job = pending.remove(found.pod().uid());
    reserved.remove(found.pod().uid());
    if (isWithinGuarantee(job)) {
      causes.startedWithinGuarantee(job.pod().milliCpu());
    }
    PodModel model =
        Pods.from(job.model()).on(found.nodeName()).startedAt(Optional.of(now())).build();
    Job started = new Job(job.pod(), model, second);
    running.put(found.pod().uid(), started);
    ends.add(started);
    waiting[job.pod().team()] -= job.pod().milliCpu();
    used[job.pod().team()] += job.pod().milliCpu();
    placed++;
    apply(new ClusterEvent.BindingConfirmed(found.pod()));
    apply(new ClusterEvent.PodUpserted(model));
  }

  private void evict(PodRef victim, boolean isForGuarantee) {
    Job job = running.get(victim.uid());
    if (job != null) {
      evicted++;
      causes.evicted(job, isForGuarantee);
      evictedEarly += second - job.began() < MIN_RUN_SECONDS ? 1 : 0;
      lost += (double) (second - job.began()) * job.pod().milliCpu();
      end(job);
      create(job.pod());
    }
  }

  private void measure() {
    List<ShareIndex.Unmet> unmet = new ArrayList<>();
    for (int team = 0; team < used.length; team++) {
      long below = Math.min(used[team] + waiting[team], guarantee(team));
      asked += below;
      got += Math.min(used[team], below);
      inUse += used[team];
      unmetSeconds[team] = waiting[team] > 0 ? unmetSeconds[team] + TICK_SECONDS : 0;
      if (unmetSeconds[team] > UNMET_SECONDS) {
        unmet.add(
            new ShareIndex.Unmet(
                team, Math.max(0, used[team] - guarantee(team)), smallestPending(team)));
      }
      if (second % SECONDS_PER_POINT == 0) {
        use.get(team)
            .add(new LinePlot.Point(second / 3_600.0, (double) PERCENT * used[team] / CAPACITY));
      }
    }
    shares.look(unmet, running.values(), second);
  }

  private long smallestPending(int team) {
    return pending.values().stream()
        .filter(job -> job.pod().team() == team)
        .mapToLong(job -> job.pod().milliCpu())
        .min()
        .orElse(Long.MAX_VALUE);
  }
}
