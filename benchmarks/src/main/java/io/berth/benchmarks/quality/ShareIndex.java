package io.berth.benchmarks.quality;

import io.berth.benchmarks.quality.TeamDay.Job;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Jain's index of what teams borrow, over many looks at a cluster: (Σ x)² / (n · Σ x²), which is 1
 * if all n teams borrow the same, and 1/n if one of them borrows everything (R. Jain, D. Chiu, W.
 * Hawe: A quantitative measure of fairness, 1984). Looks at which fewer than two teams can be
 * compared, or none of them borrows anything, do not count.
 *
 * <p>There are two means. The first is of all teams with unmet demand. It also falls where nobody
 * can share better: if on each node less is free or borrowed than the smallest pending pod of a
 * team requests, evictions give that team nothing, and the others use the gaps with smaller pods.
 * So the second mean is only of the teams with unmet demand for which there is a node with enough
 * room for one of their pending pods, if the pods are gone that other teams borrow there and that
 * are not protected any more. Whether a team should get this room is not asked: that is what the
 * index measures.
 */
final class ShareIndex {
  /**
   * A team with unmet demand.
   *
   * @param borrowed what it uses above its guarantee, in thousandths of a CPU
   * @param smallestPending the smallest request of its pending pods
   */
  record Unmet(int team, long borrowed, long smallestPending) {}

  /**
   * The mean index of a number of looks.
   *
   * @param value 1 if there is no look
   */
  record Mean(double value, int looks) {
    private Mean with(List<Unmet> teams) {
      double sum = teams.stream().mapToDouble(Unmet::borrowed).sum();
      double squares =
          teams.stream().mapToDouble(team -> (double) team.borrowed() * team.borrowed()).sum();
      if (teams.size() < 2 || squares == 0) {
        return this;
      }
      double index = sum * sum / (teams.size() * squares);
      return new Mean((value * looks + index) / (looks + 1), looks + 1);
    }
  }

  private static final Comparator<Job> IN_ORDER_OF_START =
      Comparator.comparingLong(Job::began)
          .thenComparing(job -> job.model().createdAt())
          .thenComparing(job -> job.model().ref().uid());

  private Mean all = new Mean(1, 0);
  private Mean usable = new Mean(1, 0);

  /** Returns the mean of all teams with unmet demand. */
  Mean ofAll() {
    return all;
  }

  /** Returns the mean of the teams with unmet demand that could use what others borrow. */
  Mean ofUsable() {
    return usable;
  }

  /**
   * Adds a look.
   *
   * @param second the second of the day
   */
  void look(List<Unmet> unmet, Collection<Job> running, long second) {
    if (unmet.size() < 2) {
      return;
    }
    all = all.with(unmet);
    long[] most = mostOnOneNode(running, second);
    usable =
        usable.with(
            unmet.stream().filter(team -> team.smallestPending() <= most[team.team()]).toList());
  }

  /**
   * Returns for each team the most thousandths of a CPU that it finds on one node if what others
   * borrow there, and is not protected, is gone.
   */
  private static long[] mostOnOneNode(Collection<Job> running, long second) {
    int teams = TeamJobs.TEAMS.size();
    Map<String, long[]> rooms = new HashMap<>();
    long[] covered = new long[teams];
    for (Job job : running.stream().sorted(IN_ORDER_OF_START).toList()) {
      int owner = job.pod().team();
      long milliCpu = job.pod().milliCpu();
      boolean borrowed = covered[owner] + milliCpu > TeamDay.guarantee(owner);
      covered[owner] += borrowed ? 0 : milliCpu;
      boolean mayGo = borrowed && second - job.began() >= TeamDay.MIN_RUN_SECONDS;
      long[] room = rooms.computeIfAbsent(job.model().nodeName(), absent -> emptyNode(teams));
      for (int team = 0; team < teams; team++) {
        room[team] -= mayGo && team != owner ? 0 : milliCpu;
      }
    }
    long[] most = new long[teams];
    for (int i = 0; i < TeamDay.NODES; i++) {
      long[] room = rooms.getOrDefault(TeamDay.nodeName(i), emptyNode(teams));
      for (int team = 0; team < teams; team++) {
        most[team] = Math.max(most[team], room[team]);
      }
    }
    return most;
  }

  private static long[] emptyNode(int teams) {
    long[] room = new long[teams];
    Arrays.fill(room, TeamDay.NODE_MILLI_CPU);
    return room;
  }
}
