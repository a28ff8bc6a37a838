package io.berth.operator.schedule;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.model.PodRef;
import java.time.Instant;

/**
 * Follows everything that an engine is given and what it answers. Called on the engine's thread;
 * implementations must not block, and must not fail.
 */
public interface EngineObserver {
  /** Follows nothing. */
  EngineObserver NONE = new None();

  /** Called when a new engine begins, which knows no objects yet. */
  void begun(EngineOptions options);

  /** Called before an event is given to the engine. */
  void applied(ClusterEvent event, Instant at);

  /** Called after events, before the engine is asked for decisions: it may not answer any more. */
  void eventsEnded();

  /** Called if a new engine that has begun is not used, and the last one goes on. */
  void abandoned();

  /** Called with the engine's answer to the question for the next decision. */
  void answered(Outcome outcome, Instant at);

  /** Called if the engine failed instead of answering. */
  void failed(PodRef pod, Instant at);

  /**
   * Returns whether the engine should be replaced by one that is built from the caches, so that
   * what is observed from then on begins with the state of the cluster.
   */
  boolean wantsNewEngine();

  /** Follows nothing. */
  final class None implements EngineObserver {
    private None() {}

    @Override
    public void begun(EngineOptions options) {
      // not followed
    }

    @Override
    public void applied(ClusterEvent event, Instant at) {
      // not followed
    }

    @Override
    public void eventsEnded() {
      // not followed
    }

    @Override
    public void abandoned() {
      // not followed
    }

    @Override
    public void answered(Outcome outcome, Instant at) {
      // not followed
    }

    @Override
    public void failed(PodRef pod, Instant at) {
      // not followed
    }

    @Override
    public boolean wantsNewEngine() {
      return false;
    }
  }
}
