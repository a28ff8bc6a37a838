package io.berth.engine;

import java.time.Instant;
import java.util.Optional;

/**
 * Places pods on nodes: a deterministic state machine without clock, threads or I/O. The same
 * events at the same times give the same decisions. Not thread-safe: one thread owns it.
 */
public final class Engine {
  private final EngineOptions options;

  public Engine(EngineOptions options) {
    this.options = options;
  }

  /**
   * Takes in an event.
   *
   * @return why the event's object was refused; a refused object changes nothing
   */
  public Optional<Refusal> apply(ClusterEvent event, Instant now) {
    return event instanceof ClusterEvent.Malformed malformed
        ? Optional.of(malformed.refusal())
        : Optional.empty();
  }

  /** Decides on the next pod, if there is one that may be tried at this time. */
  public Outcome next(Instant now) {
    return new Idle(now.plus(options.unschedulableTimeout()));
  }
}
