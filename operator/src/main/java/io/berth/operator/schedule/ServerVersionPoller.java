package io.berth.operator.schedule;

import io.berth.engine.api.ClusterEvent;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.ServerVersion;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells engines the version of the API server, at the start and whenever it has changed: some rules
 * of kube-scheduler depend on it. If several API servers with different versions answer in turn,
 * while they are upgraded, the last answer counts.
 */
public final class ServerVersionPoller implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerVersionPoller.class);
  private static final Duration PERIOD = Duration.ofMinutes(5);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(10);

  private final ApiCalls api;
  private final Consumer<ClusterEvent> engines;

  // Guarded by this.
  private OptionalInt known = OptionalInt.empty();
  private boolean failing;

  private volatile boolean closed;

  /**
   * Creates a poller without starting it.
   *
   * @param engines receives the versions
   */
  public ServerVersionPoller(ApiCalls api, Consumer<ClusterEvent> engines) {
    this.api = api;
    this.engines = engines;
  }

  /** Asks for the version, now and from time to time. */
  public void start() {
    ask();
  }

  private void ask() {
    if (!closed) {
      api.get(ServerVersion.PATH, this::answered);
    }
  }

  private void answered(Answer answer) {
    OptionalInt minor = answer.ok() ? ServerVersion.minorOf(answer.json()) : OptionalInt.empty();
    if (!answer.wasNotSent()) {
      note(minor, answer);
    }
    if (minor.isPresent()) {
      changed(minor);
    }
    api.later(minor.isEmpty() ? AFTER_FAILURE : PERIOD, this::ask);
  }

  /** Logs the first of several failures, and the success after them. */
  private synchronized void note(OptionalInt minor, Answer answer) {
    boolean failed = minor.isEmpty();
    if (failed && !failing && !closed) {
      LOG.warn(
          "The API server did not say at {} which version it is: {}. Until it does, nodes"
              + " are scored by their free storage or not as in Kubernetes 1.{}. It is asked again"
              + " every {} s",
          ServerVersion.PATH,
          answer.ok() ? "its answer has no minor version" : answer.message(),
          known.orElse(ClusterEvent.ServerVersionSeen.UNLESS_SEEN),
          AFTER_FAILURE.toSeconds());
    } else if (!failed && failing) {
      LOG.info("The API server says which version it is: 1.{}", minor.getAsInt());
    }
    failing = failed;
  }

  private synchronized void changed(OptionalInt minor) {
    if (!closed && !minor.equals(known)) {
      known = minor;
      engines.accept(new ClusterEvent.ServerVersionSeen(minor.getAsInt()));
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
