package io.berth.demo.soak;

import io.berth.demo.nemesis.ExposedBerth;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The truth of what replicas say about themselves: one without a fault is live and ready, the
 * holder of the Lease says that it leads, and no other one does.
 */
final class ReplicaChecks {
  /** More than a restart, a new connection, or the renewal of a watch takes. */
  private static final Duration CALM = Duration.ofSeconds(60);

  /** More than the time that a replica needs to notice that it leads or does not lead any more. */
  private static final Duration NOTICED = Duration.ofSeconds(10);

  /** The number of checks in succession that must fail. */
  private static final int TIMES = 3;

  private final ExposedBerth berth;
  private final LeaderWatch leader;
  private final Stalls stalls;
  private final Findings findings;
  private final Map<String, Integer> failed = new HashMap<>();

  ReplicaChecks(ExposedBerth berth, LeaderWatch leader, Stalls stalls, Findings findings) {
    this.berth = berth;
    this.leader = leader;
    this.stalls = stalls;
    this.findings = findings;
  }

  void check() {
    OptionalLong calmSince = berth.calmSince();
    long now = System.nanoTime();
    boolean calm =
        calmSince.isPresent() && stalls.nanosBetween(calmSince.getAsLong(), now) > CALM.toNanos();
    for (String path : new String[] {"/livez", "/readyz"}) {
      judge("does not answer 200 at " + path + ", although it has no fault", calm && !isOk(path));
    }
    boolean settled = leader.heldFor() > NOTICED.toNanos();
    boolean holds = leader.holder().equals(berth.name());
    double leading = calmSince.isPresent() ? leading() : Double.NaN;
    judge("says that it leads, and does not hold the Lease", settled && !holds && leading == 1);
    judge(
        "holds the Lease, and says that it does not lead",
        calm && settled && holds && leading == 0);
  }

  private boolean isOk(String path) {
    try {
      return berth.process().isOk(path);
    } catch (IOException e) {
      return false; // as for a kubelet
    }
  }

  private double leading() {
    try {
      return berth.process().gauge("berth_leading");
    } catch (IOException e) {
      return Double.NaN; // says nothing
    }
  }

  private void judge(String what, boolean wrong) {
    int times = wrong ? failed.merge(what, 1, Integer::sum) : 0;
    if (!wrong) {
      failed.remove(what);
    } else if (times == TIMES) {
      findings.add("replica " + berth.name() + " " + what);
    }
  }
}
