package io.berth.operator.recording;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Copies a recording with other names. The decisions of the copy are those of an engine that is
 * given its events, so the copy can be replayed like any recording.
 */
public final class RenamedCopy {
  private RenamedCopy() {}

  /**
   * The result of copying.
   *
   * @param names the number of names that were replaced
   * @param differences the number of decisions that differ because of the names: other pods or
   *     nodes
   */
  public record Result(int names, long differences) {}

  /**
   * Writes a copy of each file into a directory.
   *
   * @throws IOException if a file cannot be read or written
   */
  public static Result write(List<Path> files, Path directory) throws IOException {
    Renaming renaming = Renaming.of(files);
    Files.createDirectories(directory);
    long differences = 0;
    for (Path file : files) {
      Path copy = directory.resolve(file.getFileName());
      if (Files.exists(copy)) {
        throw new IOException(copy + " exists already");
      }
      try (StepReader steps = new StepReader(file, renaming);
          OutputStream out = Files.newOutputStream(copy);
          StepWriter writer = new StepWriter(out)) {
        differences += copy(steps, new ReplayedEngine(file), writer);
      }
    }
    return new Result(renaming.size(), differences);
  }

  private static long copy(StepReader steps, ReplayedEngine engine, StepWriter writer)
      throws IOException {
    long differences = 0;
    for (Optional<Step> step = steps.next(); step.isPresent(); step = steps.next()) {
      switch (step.get()) {
        case Step.Begun begun -> {
          engine.begin(begun.options());
          writer.write(begun);
        }
        case Step.Applied applied -> {
          writer.write(applied);
          engine.apply(applied.event(), applied.at());
        }
        case Step.Asked asked -> {
          RecordedOutcome outcome = engine.next(asked.at()).orElse(asked.outcome());
          differences += isAbout(outcome, asked.outcome()) ? 0 : 1;
          writer.write(new Step.Asked(asked.at(), outcome));
        }
      }
    }
    return differences;
  }

  private static boolean isAbout(RecordedOutcome some, RecordedOutcome other) {
    return some.kind() == other.kind()
        && some.pod().equals(other.pod())
        && some.nodeName().equals(other.nodeName())
        && some.victims().equals(other.victims());
  }
}
