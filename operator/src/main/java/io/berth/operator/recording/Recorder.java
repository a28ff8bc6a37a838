package io.berth.operator.recording;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.model.PodRef;
import io.berth.operator.schedule.EngineObserver;
import io.berth.rules.retry.DoublingPause;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records what the engine is given and what it decides, in files of bounded size.
 *
 * <p>The engine's thread only adds to a bounded queue, and another thread writes. If it falls
 * behind, or cannot write, the recording has a gap: it continues with a new engine, which is built
 * from the state of the cluster. A new file begins with a new engine, too, so each file can be
 * replayed alone, and the oldest one can be deleted.
 */
public final class Recorder implements EngineObserver, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Recorder.class);

  private static final int STEPS_PER_BATCH = 128;
  private static final int MOST_BATCHES = 256;
  private static final long FLUSH_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Duration CLOSING = Duration.ofSeconds(5);

  /**
   * The time between two engines that begin for the sake of the recording, which doubles while
   * files cannot be written.
   */
  private static final DoublingPause BETWEEN_ENGINES =
      new DoublingPause(Duration.ofMinutes(5), Duration.ofMinutes(320));

  /** A step that is not written yet: a decision is described by the thread that writes. */
  private sealed interface Entry {
    record Begun(EngineOptions options) implements Entry {}

    record Applied(Instant at, ClusterEvent event) implements Entry {}

    record Answered(Instant at, Outcome outcome) implements Entry {}

    record Failed(Instant at, PodRef pod) implements Entry {}
  }

  private final RecordingFiles files;
  private final LongSupplier nanoTime;
  private final BlockingQueue<List<Entry>> queue = new ArrayBlockingQueue<>(MOST_BATCHES);
  private final Thread thread;
  private volatile boolean isFull;
  private volatile boolean isBroken;
  private volatile boolean isDead;
  private volatile boolean closed;

  /** The number of failures since a file was written. */
  private final AtomicInteger failures = new AtomicInteger();

  // Used by the engine's thread alone.
  private List<Entry> batch = new ArrayList<>(STEPS_PER_BATCH);
  private boolean isBehind;
  private long lastEngine;

  // Used by the thread that writes alone.
  private @Nullable StepWriter writer;
  private long lastFlush;

  /**
   * Creates a recorder.
   *
   * @param options the directory of the files, which exists, and their size; files that are there
   *     already are kept, and count
   * @param nanoTime a clock like {@link System#nanoTime}
   */
  public Recorder(RecordingOptions options, LongSupplier nanoTime) {
    this.files = new RecordingFiles(options.directory(), options.bytes());
    this.nanoTime = nanoTime;
    this.lastEngine = nanoTime.getAsLong();
    this.thread = Thread.ofPlatform().name("recording").daemon().start(this::run);
  }

  @Override
  public void begun(EngineOptions options) {
    isBehind = false;
    isFull = false;
    isBroken = false;
    lastEngine = nanoTime.getAsLong();
    add(new Entry.Begun(options));
  }

  @Override
  public void applied(ClusterEvent event, Instant at) {
    add(new Entry.Applied(at, event));
  }

  @Override
  public void eventsEnded() {
    passOn();
  }

  @Override
  public void abandoned() {
    isBehind = true;
  }

  @Override
  public void answered(Outcome outcome, Instant at) {
    add(new Entry.Answered(at, outcome));
    if (outcome instanceof Idle) {
      passOn();
    }
  }

  @Override
  public void failed(PodRef pod, Instant at) {
    add(new Entry.Failed(at, pod));
    passOn();
  }

  @Override
  public boolean wantsNewEngine() {
    return (isBehind || isFull || isBroken)
        && queue.isEmpty()
        && !isDead
        && nanoTime.getAsLong() - lastEngine
            >= BETWEEN_ENGINES.before(failures.get() + 1).toNanos();
  }

  /** Returns whether the recording has a gap, because writing could not keep up. */
  public boolean isBehind() {
    return isBehind;
  }

  /** Returns the number of batches that wait to be written, of {@link #MOST_BATCHES} at most. */
  int waitingBatches() {
    return queue.size();
  }

  private void add(Entry entry) {
    if (isBehind || isDead || closed) {
      return;
    }
    batch.add(entry);
    if (batch.size() >= STEPS_PER_BATCH) {
      passOn();
    }
  }

  private void passOn() {
    if (batch.isEmpty()) {
      return;
    }
    if (!queue.offer(batch)) {
      isBehind = true;
      LOG.warn(
          "The recording cannot keep up, and has a gap: use a faster disk. It continues when what"
              + " is there has been written");
    }
    batch = new ArrayList<>(STEPS_PER_BATCH);
  }

  /** Writes what has been observed so far, and ends the recording. */
  @Override
  public void close() {
    passOn(); // the engine's thread has ended
    closed = true;
    try {
      if (!thread.join(CLOSING)) {
        LOG.warn("The recording was not written to its end within {} s", CLOSING.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!closed || !queue.isEmpty()) {
      try {
        List<Entry> next = queue.poll(100, TimeUnit.MILLISECONDS);
        if (next != null) {
          write(next);
        }
        flush(nanoTime.getAsLong());
      } catch (IOException | RuntimeException e) {
        broken(e);
      } catch (InterruptedException e) {
        break;
      } catch (StackOverflowError | LinkageError | AssertionError | OutOfMemoryError e) {
        isDead = true;
        queue.clear();
        LOG.error("The recording has ended. This is a bug in Berth; please report it", e);
        break;
      }
    }
    end();
  }

  private void write(List<Entry> entries) throws IOException {
    for (Entry entry : entries) {
      if (entry instanceof Entry.Begun) {
        begin();
      }
      if (writer != null) {
        writer.write(step(entry));
        if (files.isAtLimit()) {
          LOG.info("The recording has a gap, because a file was full before a new engine began");
          end();
        }
      }
    }
  }

  /** Begins a new file, unless there is one with room. */
  private void begin() throws IOException {
    if (writer == null || files.isFull()) {
      end();
      writer = new StepWriter(files.next());
      isFull = false;
    }
  }

  private static Step step(Entry entry) {
    return switch (entry) {
      case Entry.Begun(EngineOptions options) -> new Step.Begun(Step.Options.of(options));
      case Entry.Applied(Instant at, ClusterEvent event) -> new Step.Applied(at, event);
      case Entry.Answered(Instant at, Outcome outcome) ->
          new Step.Asked(at, RecordedOutcome.of(outcome));
      case Entry.Failed(Instant at, PodRef pod) -> new Step.Asked(at, RecordedOutcome.failed(pod));
    };
  }

  private void flush(long now) throws IOException {
    if (writer != null && now - lastFlush >= FLUSH_NANOS) {
      lastFlush = now;
      writer.flush();
      failures.set(0);
      isFull |= files.isFull();
    }
  }

  /** Ends the file at which writing failed. What is observed is dropped until the next engine. */
  private void broken(Exception failure) {
    LOG.error(
        "The recording in {} has a gap: {}. Free space on its disk; it is continued after a pause"
            + " of 5 minutes, which doubles each time",
        files.directory(),
        failure.toString());
    LOG.debug("The recording failed", failure);
    end();
    failures.incrementAndGet();
    isBroken = true;
  }

  private void end() {
    if (writer != null) {
      try {
        writer.close();
      } catch (IOException e) {
        LOG.warn("The last file of the recording may be incomplete: {}", e.toString());
      }
      writer = null;
    }
  }
}
