package io.berth.operator;

import io.berth.crds.Installation;
import io.berth.operator.admission.HostPort;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.leader.LeaderElection;
import io.berth.operator.leader.Term;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The replica's participation in leader election, and its warm-up until it leads. */
final class Candidacy implements AutoCloseable {
  private final BerthOptions options;
  private final KubernetesClient client;
  private final KubernetesClient electing;
  private final ClusterFeed feed;
  private final Terms terms;
  private volatile @Nullable LeaderElection election;
  private volatile @Nullable SchedulingWarmUp warmUp;

  /**
   * @param electing a client without retries for the election, which retries by itself: with
   *     retries, a request takes so long that the reason of the failure is lost
   */
  Candidacy(
      BerthOptions options,
      KubernetesClient client,
      KubernetesClient electing,
      ClusterFeed feed,
      Terms terms) {
    this.options = options;
    this.client = client;
    this.electing = electing;
    this.feed = feed;
    this.terms = terms;
  }

  /**
   * Starts the warm-up, which waits for its turn; call it only once.
   *
   * @param listed completes when this replica has listed the cluster
   */
  void startWarmUp(CompletableFuture<Void> listed) {
    if (options.warmUp()) {
      SchedulingWarmUp warming =
          new SchedulingWarmUp(client, options, SchedulingWarmUp.Extent.usual(), listed);
      warmUp = warming;
      warming.start();
    }
  }

  /**
   * Starts leader election; call it only once. If leader election is off, this replica leads at
   * once.
   *
   * @param httpsPort the port at which this replica answers the others once it leads
   */
  void stand(int httpsPort) {
    if (!options.leaderElect()) {
      terms.startedLeading(Term.unlimited());
      return;
    }
    LeaderElection standing =
        new LeaderElection(
            electing,
            options.namespace(),
            Installation.LEASE,
            options.identity(),
            HostPort.of(options.address(), httpsPort),
            options.leaseTimes(),
            terms);
    election = standing;
    feed.followLease(standing::leaseChanged);
    standing.start();
    SchedulingWarmUp waiting = warmUp;
    if (waiting != null) {
      waiting.candidateNow();
    }
  }

  /** Stops the warm-up without waiting for it to end, so that waiting pods get the CPU. */
  void stopWarmUp() {
    SchedulingWarmUp running = warmUp;
    if (running != null) {
      running.stop();
    }
  }

  /** Makes this replica check at once whether it is fit to lead; does not block. */
  void checkFitness() {
    LeaderElection standing = election;
    if (standing != null) {
      standing.checkFitness();
    }
  }

  /** Returns the host and port of the current leader, if known. */
  Optional<String> leaderAddress() {
    LeaderElection standing = election;
    return standing == null ? Optional.empty() : standing.holderAddress();
  }

  /** Withdraws from leader election, and releases the lease if this replica holds it. */
  void withdraw() {
    LeaderElection standing = election;
    if (standing != null) {
      standing.close();
    }
  }

  /** Stops the warm-up and waits for it to end. */
  @Override
  public void close() {
    SchedulingWarmUp running = warmUp;
    if (running != null) {
      running.close();
    }
  }
}
