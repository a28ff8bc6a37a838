package io.berth.benchmarks.quality;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/** A day of jobs of three teams, which come in bursts while a team is at work. */
final class TeamJobs {
  static final List<String> TEAMS = List.of("red", "green", "blue");
  static final Duration DAY = Duration.ofHours(24);

  /** The largest request; the others divide it. */
  static final long LARGEST_MILLI_CPU = 8_000;

  private static final Duration PHASE = Duration.ofHours(2);
  private static final double AT_WORK = 0.65;
  private static final double SECONDS_BETWEEN_BURSTS = 600;
  private static final int FEWEST_PODS = 60;
  private static final int MORE_PODS = 240;
  private static final long[] MILLI_CPU = {1_000, 2_000, 4_000, LARGEST_MILLI_CPU};
  private static final double SHORTEST_SECONDS = 300;
  private static final double MEAN_SECONDS = 2_400;

  /** A pod that a team creates at a second of the day, and that then needs to run for a time. */
  record Pod(int team, long second, String name, long milliCpu, long seconds) {}

  private TeamJobs() {}

  /** Returns the pods of a day in the order of their creation. */
  static List<Pod> ofADay(long seed) {
    Random random = new Random(seed);
    List<Pod> pods = new ArrayList<>();
    for (int team = 0; team < TEAMS.size(); team++) {
      for (long phase = 0; phase < DAY.toSeconds(); phase += PHASE.toSeconds()) {
        if (random.nextDouble() < AT_WORK) {
          addPhase(random, team, phase, pods);
        }
      }
    }
    pods.sort(Comparator.comparingLong(Pod::second).thenComparing(Pod::name));
    return pods;
  }

  private static void addPhase(Random random, int team, long begin, List<Pod> pods) {
    double second = begin + exponential(random, SECONDS_BETWEEN_BURSTS);
    while (second < begin + PHASE.toSeconds()) {
      int count = FEWEST_PODS + random.nextInt(MORE_PODS);
      long milliCpu = MILLI_CPU[random.nextInt(MILLI_CPU.length)];
      for (int i = 0; i < count; i++) {
        long seconds = (long) (SHORTEST_SECONDS + exponential(random, MEAN_SECONDS));
        String name = TEAMS.get(team) + "-" + pods.size();
        pods.add(new Pod(team, (long) second, name, milliCpu, seconds));
      }
      second += exponential(random, SECONDS_BETWEEN_BURSTS);
    }
  }

  private static double exponential(Random random, double mean) {
    return -mean * Math.log(1 - random.nextDouble());
  }
}
