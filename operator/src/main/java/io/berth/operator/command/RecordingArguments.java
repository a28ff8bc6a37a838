package io.berth.operator.command;

import io.berth.operator.recording.RecordingOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options about recording. */
final class RecordingArguments {
  private static final int LEAST_MEBIBYTES = 64;

  @Option(
      names = "--record",
      paramLabel = "DIR",
      description =
          "While this replica leads, record what the engine is fed and what it decides, into files"
              + " in this directory. `berth.jar replay DIR` replays them.")
  private @Nullable Path directory;

  @Option(
      names = "--record-size",
      paramLabel = "MIB",
      defaultValue = "1024",
      description =
          "The size of all files of --record together, in MiB: the oldest ones are deleted.")
  private long mebibytes = 1024;

  /** Returns where to record; empty if nothing is recorded. */
  Optional<RecordingOptions> options() throws StartFailure {
    Path given = directory;
    if (given == null) {
      return Optional.empty();
    }
    if (mebibytes < LEAST_MEBIBYTES) {
      throw new StartFailure(
          "--record-size %d: give %d or more".formatted(mebibytes, LEAST_MEBIBYTES));
    }
    try {
      Files.createDirectories(given);
    } catch (IOException e) {
      throw new StartFailure(
          "--record %s: the directory cannot be created: %s".formatted(given, e), e);
    }
    if (!Files.isWritable(given)) {
      throw new StartFailure("--record %s: the directory is not writable".formatted(given));
    }
    return Optional.of(new RecordingOptions(given, mebibytes << 20));
  }
}
