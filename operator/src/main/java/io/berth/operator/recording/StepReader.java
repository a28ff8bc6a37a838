package io.berth.operator.recording;

import io.berth.engine.api.ClusterEvent;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPInputStream;

/** Reads a file of a recording. */
final class StepReader implements Closeable {
  private static final int BUFFER = 1 << 16;

  private final Path file;
  private final BinaryInput in;
  private final ValueCodec events;
  private final ValueCodec outcomes;
  private final ValueCodec options;
  private Instant last = Instant.EPOCH;
  private boolean isCutOff;

  /**
   * Opens a file.
   *
   * @param renaming returns what is read in place of a text
   * @throws IOException if it cannot be read, or is no recording; the message names the file
   */
  StepReader(Path file, UnaryOperator<String> renaming) throws IOException {
    this.file = file;
    InputStream bytes = new BufferedInputStream(Files.newInputStream(file), BUFFER);
    try {
      byte[] line = bytes.readNBytes(StepWriter.FIRST_LINE.length());
      String read = new String(line, StandardCharsets.US_ASCII);
      if (!StepWriter.FIRST_LINE.startsWith(read)) {
        throw new IOException(file + " is no recording of Berth, or one of another format");
      }
      this.in = new BinaryInput(unpacked(bytes), renaming);
    } catch (IOException e) {
      bytes.close();
      throw e;
    }
    Codecs codecs = new Codecs(new RecordedPolicies());
    this.events = codecs.of(ClusterEvent.class);
    this.outcomes = codecs.of(RecordedOutcome.class);
    this.options = codecs.of(Step.Options.class);
  }

  /** Returns the steps; none if the process was killed before it had written any. */
  private InputStream unpacked(InputStream bytes) throws IOException {
    try {
      return new BufferedInputStream(new GZIPInputStream(bytes, BUFFER), BUFFER);
    } catch (EOFException e) {
      isCutOff = true;
      return bytes; // at its end
    }
  }

  /**
   * Returns the next step; empty at the end.
   *
   * @throws IOException if the file cannot be read; the message names the file
   */
  Optional<Step> next() throws IOException {
    try {
      return in.isAtEnd() ? Optional.empty() : Optional.of(step());
    } catch (EOFException e) {
      isCutOff = true; // the process was killed
      return Optional.empty();
    } catch (IOException | RuntimeException e) {
      throw new IOException("%s cannot be read: %s".formatted(file, e.getMessage()), e);
    }
  }

  private Step step() throws IOException {
    int kind = in.size(StepWriter.ASKED);
    return switch (kind) {
      case StepWriter.BEGUN -> new Step.Begun((Step.Options) options.read(in));
      case StepWriter.APPLIED -> new Step.Applied(time(), (ClusterEvent) events.read(in));
      case StepWriter.ASKED -> new Step.Asked(time(), (RecordedOutcome) outcomes.read(in));
      default -> throw new IOException("it has a step of the unknown kind " + kind);
    };
  }

  private Instant time() throws IOException {
    last = Instant.ofEpochSecond(last.getEpochSecond() + in.number(), last.getNano() + in.number());
    return last;
  }

  /** Returns whether the file ends in the middle of a step. */
  boolean isCutOff() {
    return isCutOff;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
