package io.berth.operator.recording;

import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineFailedException;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.ShadowDecision;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An engine that is given the steps of a file. If it fails, it is given nothing more until the next
 * one begins, as in the recording.
 */
final class ReplayedEngine {
  private final Path file;
  private @Nullable Engine engine;
  private @Nullable Throwable failure;
  private long decisions;

  ReplayedEngine(Path file) {
    this.file = file;
  }

  void begin(Step.Options options) {
    engine = new Engine(options.forReplay());
    failure = null;
  }

  /**
   * Gives the engine an event.
   *
   * @throws IOException if no engine has begun
   */
  void apply(ClusterEvent event, Instant at) throws IOException {
    Engine begun = begun();
    if (failure != null) {
      return;
    }
    try {
      begun.apply(event, at);
    } catch (RuntimeException | StackOverflowError e) {
      failure = e; // as in the recording, if a new engine follows
    }
  }

  /**
   * Returns the answer of the engine; empty if it failed before.
   *
   * @throws IOException if no engine has begun
   */
  Optional<RecordedOutcome> next(Instant at) throws IOException {
    Engine begun = begun();
    if (failure != null) {
      return Optional.empty();
    }
    try {
      Outcome outcome = begun.next(at);
      if (!(outcome instanceof Idle)) {
        decisions++;
      }
      return Optional.of(RecordedOutcome.of(outcome));
    } catch (EngineFailedException e) {
      failure = e;
      return Optional.of(RecordedOutcome.failed(e.pod()));
    }
  }

  /** Returns what the shadows would have decided since the last call. */
  List<ShadowDecision> takeShadowDecisions() {
    return engine == null ? List.of() : engine.takeShadowDecisions();
  }

  /** Returns the number of decisions so far. */
  long decisions() {
    return decisions;
  }

  /** Returns why the engine does not answer. */
  String failure() {
    return "the engine failed: " + failure;
  }

  private Engine begun() throws IOException {
    Engine begun = engine;
    if (begun == null) {
      throw new IOException(file + " does not begin with an engine");
    }
    return begun;
  }
}
