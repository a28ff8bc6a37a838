package io.berth.operator;

import io.berth.operator.leader.LeaderListener;
import io.berth.operator.leader.Term;
import io.berth.operator.policy.GoodRevision;
import io.berth.operator.policy.RevisionReading;
import io.berth.operator.schedule.SchedulerSession;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The successive terms of a replica as leader: a {@link Leadership} begins with each acquired term,
 * and ends with it. The election's callbacks must not block, so the work runs on virtual threads.
 */
final class Terms implements LeaderListener {

  private static final Logger LOG = LoggerFactory.getLogger(Terms.class);

  private final Leadership.Replica replica;
  private final ReplicaHealth health;
  private final Runnable onWon;
  private final Runnable onBegun;
  private final Runnable onUnfit;
  private final Consumer<String> onEnded;
  private volatile boolean closing;
  private volatile @Nullable Term newest;
  private volatile @Nullable Leadership current;
  private volatile @Nullable String problem;
  private volatile @Nullable String outdated;

  /**
   * @param onWon called when a term has been acquired, before its leadership begins; must not block
   * @param onBegun called when this replica has begun to schedule
   * @param onUnfit called when this replica has become unfit to lead; must not block
   * @param onEnded called with the reason when a term ends unexpectedly; must not block
   */
  Terms(
      Leadership.Replica replica,
      ReplicaHealth health,
      Runnable onWon,
      Runnable onBegun,
      Runnable onUnfit,
      Consumer<String> onEnded) {
    this.replica = replica;
    this.health = health;
    this.onWon = onWon;
    this.onBegun = onBegun;
    this.onUnfit = onUnfit;
    this.onEnded = onEnded;
  }

  /** The current leadership; empty while this replica does not lead. */
  Optional<Leadership> current() {
    return Optional.ofNullable(current);
  }

  /** The session of the current leadership; empty while this replica does not lead. */
  Optional<SchedulerSession> session() {
    return current().map(Leadership::session);
  }

  /** The reason why this process has to be restarted, if any. */
  Optional<String> problem() {
    return Optional.ofNullable(outdated).or(() -> Optional.ofNullable(problem));
  }

  @Override
  public void startedLeading(Term begun) {
    if (!closing) {
      newest = begun;
      onWon.run();
      Thread.ofVirtual().name("begin-term").start(() -> begin(begun));
    }
  }

  @Override
  public void stoppedLeading(Term ended) {
    engineProblem().ifPresent(this::ended);
    Thread.ofVirtual().name("end-term").start(() -> end(ended));
  }

  @Override
  public void lostLease() {
    ended("the Lease was lost, so this replica must not act on outdated data");
  }

  /**
   * Ends everything, because the API server's data has gone back in time. Watches then deliver
   * nothing until the old versions are reached again, and objects may have changed without a new
   * version, so this replica has to restart.
   */
  @Override
  public void dataWentBack(String finding) {
    if (outdated == null && !closing) {
      outdated = finding;
      LOG.error("This replica restarts: {}", finding);
      onUnfit.run();
      ended(finding);
    }
  }

  private void ended(String why) {
    if (!closing) {
      onEnded.accept(why);
    }
  }

  /** Handles an engine that has failed and cannot be replaced. */
  private void engineFailed() {
    if (replica.options().leaderElect()) {
      onUnfit.run(); // the election ends the term, and releases the Lease
    } else {
      engineProblem().ifPresent(this::ended);
    }
  }

  private Optional<String> engineProblem() {
    return session().flatMap(session -> session.loop().problem()).map("the engine "::concat);
  }

  @Override
  public void renewed(Duration took) {
    replica.metrics().leaseRenewed(took);
    session().ifPresent(session -> session.binder().serverAnswered(took));
  }

  @Override
  public Optional<String> unfit() {
    Term term = newest;
    return Optional.ofNullable(outdated)
        .or(this::engineProblem)
        .or(() -> health.unfit(term != null && term.holds()));
  }

  private void begin(Term begun) {
    try {
      RevisionReading<Map<String, GoodRevision>> reading =
          new RevisionReading<>(
              replica.goodRevisions()::load, replica.policies()::stored, () -> false);
      Map<String, GoodRevision> kept = reading.read().orElse(Map.of());
      synchronized (this) {
        if (!closing && begun.holds() && begun == newest) {
          end(false); // a leadership whose term has just been lost
          begin(new Leadership(replica, begun, reading, this::engineFailed), kept);
        } else {
          reading.close();
        }
      }
    } catch (RuntimeException e) {
      LOG.error("This replica leads but cannot start scheduling; it requests a restart", e);
      problem = "could not begin: " + e;
    }
  }

  private void begin(Leadership leadership, Map<String, GoodRevision> kept) {
    try {
      leadership.begin(kept);
    } catch (RuntimeException e) {
      leadership.end(false);
      throw e;
    }
    current = leadership;
    onBegun.run();
    LOG.info(
        "Scheduling pods of scheduler {}", String.join(", ", replica.options().schedulerNames()));
  }

  private synchronized void end(Term lost) {
    Leadership ending = current;
    if (ending != null && ending.term() == lost) {
      end(false);
    }
  }

  private synchronized void end(boolean orderly) {
    Leadership ending = current;
    if (ending != null) {
      current = null;
      ending.end(orderly);
    }
  }

  /** Ends the current leadership in an orderly way, and prevents another from beginning. */
  void close() {
    closing = true;
    end(outdated == null);
  }
}
