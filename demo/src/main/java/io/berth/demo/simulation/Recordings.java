package io.berth.demo.simulation;

import io.berth.operator.recording.FileRecording;
import io.berth.operator.schedule.EngineObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;

/** The recordings of a simulation: one file for each leader. */
final class Recordings {
  private final Optional<Path> directory;
  private Optional<FileRecording> current = Optional.empty();
  private int leaders;

  /**
   * @param directory an existing directory for the files; empty if nothing is recorded
   */
  Recordings(Optional<Path> directory) {
    this.directory = directory;
  }

  /** Begins the recording of a leader, after the end of the last one. */
  EngineObserver begin() {
    end();
    leaders++;
    try {
      current =
          directory.isEmpty()
              ? Optional.empty()
              : Optional.of(
                  new FileRecording(
                      directory.get().resolve("berth-%08d.recording".formatted(leaders))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return current.map(EngineObserver.class::cast).orElse(EngineObserver.NONE);
  }

  /** Ends the recording of the last leader, which has crashed. */
  void end() {
    if (current.isPresent()) {
      try {
        current.get().close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      current = Optional.empty();
    }
  }
}
