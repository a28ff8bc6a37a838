package io.berth.operator.policy;

import io.berth.rules.retry.DoublingPause;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the stored revisions of policies and configs: once at the start, which does not wait for
 * them, and then whenever the last complete revision of an object is not known, because the first
 * read has failed or a watch had a gap. Reads that do not help are repeated less and less often.
 */
public final class RevisionReading<T> implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RevisionReading.class);

  private static final DoublingPause PAUSE =
      new DoublingPause(Duration.ofSeconds(1), Duration.ofSeconds(30));

  private final Supplier<T> load;
  private final Consumer<T> late;
  private final BooleanSupplier lacks;
  private final Thread again;
  private volatile boolean hasFailed;
  private volatile Duration pause = PAUSE.first();

  /** The number of looks in a row that have found revisions missing. Used by one thread. */
  private int looks;

  /**
   * @param load loads the revisions; throws a KubernetesClientException if it cannot
   * @param late receives the revisions of all reads but the first
   * @param lacks returns whether revisions are missing that may be stored
   */
  public RevisionReading(Supplier<T> load, Consumer<T> late, BooleanSupplier lacks) {
    this.load = load;
    this.late = late;
    this.lacks = lacks;
    this.again = Thread.ofVirtual().name("read-revisions").unstarted(this::readAgain);
  }

  /** Reads the revisions, and begins to look for missing ones; returns empty if reading fails. */
  public Optional<T> read() {
    Optional<T> first = readFirst();
    again.start();
    return first;
  }

  /** Reads the revisions; returns empty if reading fails. */
  public Optional<T> readFirst() {
    try {
      return Optional.of(load.get());
    } catch (KubernetesClientException e) {
      hasFailed = true;
      LOG.warn(
          "The last complete revisions of policies and configs could not be read: {}. Berth"
              + " retries; until it succeeds, a policy that does not compile cannot schedule pods,"
              + " and a change that is rolled out in steps and was not withdrawn applies to all"
              + " workloads",
          e.getMessage());
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    again.interrupt();
  }

  private void readAgain() {
    try {
      while (true) {
        Thread.sleep(pause);
        look();
      }
    } catch (InterruptedException e) {
      // closed
    }
  }

  /** Returns the time from one {@link #look} to the next. */
  public Duration pause() {
    return pause;
  }

  /** Reads the revisions again if some are missing. Called by one thread, after each pause. */
  public void look() {
    if (!hasFailed && !lacks.getAsBoolean()) {
      looks = 0;
      pause = PAUSE.first();
      return;
    }
    try {
      late.accept(load.get());
      if (hasFailed) {
        hasFailed = false;
        LOG.info("The last complete revisions of policies and configs have been read");
      }
    } catch (KubernetesClientException e) {
      LOG.debug("the last complete revisions could not be read", e);
    } catch (RuntimeException e) {
      LOG.warn("The stored revisions of policies and configs cannot be used; Berth retries", e);
    }
    looks++;
    pause = PAUSE.before(looks + 1);
  }
}
