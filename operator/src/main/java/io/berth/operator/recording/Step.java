package io.berth.operator.recording;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.state.CacheLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/** A step of a recording. */
sealed interface Step {
  /** A new engine began, without objects. */
  record Begun(Options options) implements Step {}

  /** The engine was given an event. */
  record Applied(Instant at, ClusterEvent event) implements Step {}

  /** The engine was asked for the next decision. */
  record Asked(Instant at, RecordedOutcome outcome) implements Step {}

  /** The options of an engine on which its decisions depend. */
  record Options(
      Set<String> schedulerNames,
      EngineOptions.TieOrder tieOrder,
      int recordedNodes,
      boolean recordVerdicts,
      Duration backoffInitial,
      Duration backoffMax,
      Duration unschedulableTimeout) {
    public Options {
      schedulerNames = Set.copyOf(schedulerNames);
    }

    static Options of(EngineOptions options) {
      return new Options(
          options.schedulerNames(),
          options.tieOrder(),
          options.recordedNodes(),
          options.recordVerdicts(),
          options.backoffInitial(),
          options.backoffMax(),
          options.unschedulableTimeout());
    }

    EngineOptions forReplay() {
      return new EngineOptions(
          schedulerNames,
          tieOrder,
          recordedNodes,
          recordVerdicts,
          backoffInitial,
          backoffMax,
          unschedulableTimeout,
          CacheLimit.ofProcess());
    }
  }
}
