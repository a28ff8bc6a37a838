package io.berth.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;

/**
 * The options of an engine.
 *
 * @param schedulerNames pods that name one of these schedulers are the engine's to place; it sees
 *     the others once they are bound
 * @param tieOrder which of several best nodes takes a pod
 * @param recordedNodes how many of the best nodes a {@link io.berth.engine.decision.DecisionRecord}
 *     describes
 * @param recordVerdicts whether a record keeps the verdict of every filter on every node, for tests
 *     and what-if questions; it makes the cost of each decision proportional to the size of the
 *     cluster
 * @param backoffInitial pause before a rejected pod is tried again; it doubles with each rejection
 * @param backoffMax the longest such pause
 * @param unschedulableTimeout after this time a rejected pod is tried again though no event helped
 * @param cacheBytes how much memory all that is remembered between pods may take: answers, sums per
 *     domain, plans with their specs, and dry runs of preemption; each is charged for what it holds
 *     now. On more than 16,384 nodes it is more in proportion
 */
public record EngineOptions(
    Set<String> schedulerNames,
    TieOrder tieOrder,
    int recordedNodes,
    boolean recordVerdicts,
    Duration backoffInitial,
    Duration backoffMax,
    Duration unschedulableTimeout,
    long cacheBytes) {

  /** Takes a copy of the names. */
  public EngineOptions {
    schedulerNames = Set.copyOf(schedulerNames);
  }

  /** The order of nodes with equal scores. */
  public enum TieOrder {
    /** Equal nodes take turns. */
    ROUND_ROBIN,
    /** The first by name: makes a run comparable with another scheduler's. */
    BY_NAME
  }

  /** As in production: pods of scheduler {@code berth}, taking turns, three nodes recorded. */
  public static EngineOptions defaults() {
    return new EngineOptions(
        Set.of("berth"),
        TieOrder.ROUND_ROBIN,
        3,
        false,
        Duration.ofSeconds(1),
        Duration.ofSeconds(10),
        Duration.ofMinutes(5),
        128L << 20);
  }

  /** Places the pods of these schedulers. */
  public EngineOptions withSchedulerNames(Collection<String> names) {
    return new EngineOptions(
        Set.copyOf(names),
        tieOrder,
        recordedNodes,
        recordVerdicts,
        backoffInitial,
        backoffMax,
        unschedulableTimeout,
        cacheBytes);
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
        cacheBytes);
  }

  /** Lets remembered answers take about this much memory. */
  public EngineOptions withCacheBytes(long bytes) {
    return new EngineOptions(
        schedulerNames,
        tieOrder,
        recordedNodes,
        recordVerdicts,
        backoffInitial,
        backoffMax,
        unschedulableTimeout,
        bytes);
  }

  /** Keeps every node's verdicts and scores in each record. */
  public EngineOptions recordingEverything() {
    return new EngineOptions(
        schedulerNames,
        tieOrder,
        Integer.MAX_VALUE,
        true,
        backoffInitial,
        backoffMax,
        unschedulableTimeout,
        cacheBytes);
  }
}
