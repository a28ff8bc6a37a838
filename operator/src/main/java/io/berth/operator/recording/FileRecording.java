package io.berth.operator.recording;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.model.PodRef;
import io.berth.operator.schedule.EngineObserver;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/**
 * A recording in one file, each step of which is written at once, for simulations and tests. It
 * blocks the engine's thread.
 *
 * <p>Its methods throw an {@link UncheckedIOException} if the file cannot be written.
 */
public final class FileRecording implements EngineObserver, Closeable {
  private final StepWriter writer;

  /** Creates the file. */
  public FileRecording(Path file) throws IOException {
    writer = new StepWriter(Files.newOutputStream(file));
  }

  @Override
  public void begun(EngineOptions options) {
    write(new Step.Begun(Step.Options.of(options)));
  }

  @Override
  public void applied(ClusterEvent event, Instant at) {
    write(new Step.Applied(at, event));
  }

  @Override
  public void eventsEnded() {
    // each step is written at once
  }

  @Override
  public void abandoned() {
    throw new IllegalStateException("no new engine was requested");
  }

  @Override
  public void answered(Outcome outcome, Instant at) {
    write(new Step.Asked(at, RecordedOutcome.of(outcome)));
  }

  @Override
  public void failed(PodRef pod, Instant at) {
    write(new Step.Asked(at, RecordedOutcome.failed(pod)));
  }

  private void write(Step step) {
    try {
      writer.write(step);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean wantsNewEngine() {
    return false;
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
