package io.berth.benchmarks.quality;

import io.berth.benchmarks.quality.TeamDay.Job;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Counts evictions by cause, and the evictions that no choice of victims and nodes avoids if
 * guarantees come back at once and idle room is lent.
 *
 * <p>That number is added up over the looks at the cluster. At each, let n be the pods that start
 * within guarantees and request at least s, where all sizes divide the largest, S. The free room of
 * the nodes has f = Σ ⌊free / s⌋ places of size s, and an eviction makes at most S / s more. Each
 * of the n pods takes a place of its own, so at least (n - f) · s / S pods are evicted. The largest
 * value of all sizes s counts, rounded up.
 */
final class EvictionCauses {
  private final Map<String, Long> usedByNode = new HashMap<>();
  private final List<Long> startedWithin = new ArrayList<>();
  private final Set<String> evictedNames = new HashSet<>();
  private int forGuarantees;
  private int forShares;
  private int again;
  private int unavoidable;

  /** Begins a look, with the pods that run before any decision. */
  void begin(Collection<Job> running) {
    usedByNode.clear();
    startedWithin.clear();
    for (Job job : running) {
      usedByNode.merge(job.model().nodeName(), job.pod().milliCpu(), Long::sum);
    }
  }

  /** Records the start of a pod that the guarantee of its team covers. */
  void startedWithinGuarantee(long milliCpu) {
    startedWithin.add(milliCpu);
  }

  /**
   * Records an eviction.
   *
   * @param isForGuarantee whether the guarantee covers the pod that it makes room for
   */
  void evicted(Job victim, boolean isForGuarantee) {
    forGuarantees += isForGuarantee ? 1 : 0;
    forShares += isForGuarantee ? 0 : 1;
    again += evictedNames.add(victim.pod().name()) ? 0 : 1;
  }

  /** Ends a look. */
  void end() {
    long most = 0;
    for (long size : startedWithin.stream().distinct().toList()) {
      long pods = startedWithin.stream().filter(milliCpu -> milliCpu >= size).count();
      long lacking = Math.max(0, pods - places(size));
      most = Math.max(most, Math.ceilDiv(lacking * size, TeamJobs.LARGEST_MILLI_CPU));
    }
    unavoidable += (int) most;
  }

  /** Returns the number of pods of a size that fit into the free room. */
  private long places(long milliCpu) {
    long places = (TeamDay.NODES - usedByNode.size()) * (TeamDay.NODE_MILLI_CPU / milliCpu);
    for (long used : usedByNode.values()) {
      places += (TeamDay.NODE_MILLI_CPU - used) / milliCpu;
    }
    return places;
  }

  /** Returns the evictions for pods that a guarantee covers. */
  int forGuarantees() {
    return forGuarantees;
  }

  /** Returns the evictions for equal shares. */
  int forShares() {
    return forShares;
  }

  /** Returns the evictions of pods that had been evicted before. */
  int again() {
    return again;
  }

  /** Returns the number of evictions that no choice avoids. */
  int unavoidable() {
    return unavoidable;
  }
}
