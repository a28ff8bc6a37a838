package io.berth.operator.recording;

import io.berth.engine.api.ClusterEvent;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Writes a file of a recording: a line that says what it is, and the steps, compressed. */
final class StepWriter implements Closeable {
  /** The first line of a file. */
  static final String FIRST_LINE = "Berth recording 1\n";

  static final int BEGUN = 1;
  static final int APPLIED = 2;
  static final int ASKED = 3;

  private static final int BUFFER = 1 << 16;

  private final BinaryOutput out;
  private final ValueCodec events;
  private final ValueCodec outcomes;
  private final ValueCodec options;
  private Instant last = Instant.EPOCH;

  StepWriter(OutputStream file) throws IOException {
    this.out = begin(file);
    Codecs codecs = new Codecs(new RecordedPolicies());
    this.events = codecs.of(ClusterEvent.class);
    this.outcomes = codecs.of(RecordedOutcome.class);
    this.options = codecs.of(Step.Options.class);
  }

  private static BinaryOutput begin(OutputStream file) throws IOException {
    try {
      file.write(FIRST_LINE.getBytes(StandardCharsets.US_ASCII));
      return new BinaryOutput(new BufferedOutputStream(new FastGzip(file), BUFFER));
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  /** Compresses at the highest speed: the values are compact already. */
  private static final class FastGzip extends GZIPOutputStream {
    FastGzip(OutputStream file) throws IOException {
      super(file, BUFFER, true);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }

  /** Writes a step. */
  void write(Step step) throws IOException {
    switch (step) {
      case Step.Begun begun -> {
        out.count(BEGUN);
        options.write(begun.options(), out);
      }
      case Step.Applied applied -> {
        out.count(APPLIED);
        time(applied.at());
        events.write(applied.event(), out);
      }
      case Step.Asked asked -> {
        out.count(ASKED);
        time(asked.at());
        outcomes.write(asked.outcome(), out);
      }
    }
  }

  private void time(Instant at) throws IOException {
    out.number(at.getEpochSecond() - last.getEpochSecond());
    out.number(at.getNano() - last.getNano());
    last = at;
  }

  /** Makes everything so far readable, even if the process is killed. */
  void flush() throws IOException {
    out.flush();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
