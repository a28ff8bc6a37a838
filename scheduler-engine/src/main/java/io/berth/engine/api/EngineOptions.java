package io.berth.engine.api;

import io.berth.engine.state.CacheLimit;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;

/**
 * The options of an engine.
 *
 * @param schedulerNames the scheduler names of the pods that the engine places; other pods matter
 *     once they are bound
 * @param tieOrder the choice between nodes with equal scores
 * @param recordedNodes how many of the best nodes a {@link io.berth.engine.decision.DecisionRecord}
 *     describes
 * @param recordVerdicts whether a record keeps the verdict of every filter on every node, for tests
 *     and what-if questions; it makes the cost of each decision proportional to the size of the
 *     cluster
 * @param backoffInitial the pause before the first retry of a rejected pod; it doubles with each
 *     rejection
 * @param backoffMax the longest such pause
 * @param unschedulableTimeout the time after which a rejected pod is retried even without an event
 *     that may help
 * @param cacheLimit the maximum memory for everything that is cached between pods: answers, sums
 *     per domain, plans with their specs, and preemption dry runs; each is charged with its current
 *     size. Engines may share it
 */
public record EngineOptions(
    Set<String> schedulerNames,
    TieOrder tieOrder,
    int recordedNodes,
    boolean recordVerdicts,
    Duration backoffInitial,
    Duration backoffMax,
    Duration unschedulableTimeout,
    CacheLimit cacheLimit) {

  /** Copies the scheduler names. */
  public EngineOptions {
    schedulerNames = Set.copyOf(schedulerNames);
  }

  /** The order of nodes with equal scores. */
  public enum TieOrder {
    /** Nodes with equal scores take turns. */
    ROUND_ROBIN,
    /** The first node by name, for comparison with another scheduler. */
    BY_NAME
  }

  /**
   * Returns the production defaults: pods of scheduler {@code berth}, taking turns, three recorded
   * nodes.
   */
  public static EngineOptions defaults() {
    return new EngineOptions(
        Set.of("berth"),
        TieOrder.ROUND_ROBIN,
        3,
        false,
        Duration.ofSeconds(1),
        Duration.ofSeconds(10),
        Duration.ofMinutes(5),
        CacheLimit.ofProcess());
  }

  /** Returns options to place the pods of these schedulers. */
  public EngineOptions withSchedulerNames(Collection<String> names) {
    return new EngineOptions(
        Set.copyOf(names),
        tieOrder,
        recordedNodes,
        recordVerdicts,
        backoffInitial,
        backoffMax,
        unschedulableTimeout,
        cacheLimit);
  }

  public EngineOptions withTieOrder(TieOrder order) {
    return new EngineOptions(
        schedulerNames,
        order,
        recordedNodes,
        recordVerdicts,
        backoffInitial,
        backoffMax,
        unschedulableTimeout,
        cacheLimit);
  }

  /** Returns options with this limit for cached data, in bytes, which is not shared. */
  public EngineOptions withCacheBytes(long bytes) {
    return new EngineOptions(
        schedulerNames,
        tieOrder,
        recordedNodes,
        recordVerdicts,
        backoffInitial,
        backoffMax,
        unschedulableTimeout,
        new CacheLimit(bytes));
  }

  /** Returns options to record the verdicts and scores of every node. */
  public EngineOptions recordingEverything() {
    return new EngineOptions(
        schedulerNames,
        tieOrder,
        Integer.MAX_VALUE,
        true,
        backoffInitial,
        backoffMax,
        unschedulableTimeout,
        cacheLimit);
  }
}
