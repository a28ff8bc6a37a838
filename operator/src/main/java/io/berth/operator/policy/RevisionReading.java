package io.berth.operator.policy;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the stored revisions when a term begins. The term does not wait for them: if the first read
 * fails, it is retried until one succeeds, and policies that have nothing else to serve fall back
 * to their stored revision then.
 */
public final class RevisionReading<T> implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RevisionReading.class);

  /** The delay before the first retry; it doubles with each further one. */
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final Supplier<T> load;
  private final Consumer<T> late;
  private final Thread again;

  /**
   * @param load loads the revisions; throws a KubernetesClientException if it cannot
   * @param late receives the revisions of a later read, if the first one fails
   */
  public RevisionReading(Supplier<T> load, Consumer<T> late) {
    this.load = load;
    this.late = late;
    this.again = Thread.ofVirtual().name("read-revisions").unstarted(this::readAgain);
  }

  /** Reads the revisions; returns empty if that fails, and starts to retry. */
  public Optional<T> read() {
    try {
      return Optional.of(load.get());
    } catch (KubernetesClientException e) {
      LOG.warn(
          "The last complete revisions of policies and configs could not be read: {}. Berth"
              + " retries; until it succeeds, a policy that does not compile cannot schedule pods,"
              + " and a change that is rolled out in steps applies to all workloads",
          e.getMessage());
      again.start();
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    again.interrupt();
  }

  private void readAgain() {
    Duration pause = FIRST_PAUSE;
    while (true) {
      try {
        Thread.sleep(pause);
        late.accept(load.get());
        LOG.info("The last complete revisions of policies and configs have been read");
        return;
      } catch (InterruptedException e) {
        return;
      } catch (KubernetesClientException e) {
        LOG.debug("the last good revisions could not be read", e);
        Duration longer = pause.multipliedBy(2);
        pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
      }
    }
  }
}
