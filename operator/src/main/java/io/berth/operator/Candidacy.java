package io.berth.operator;

import io.berth.crds.Installation;
import io.berth.operator.admission.HostPort;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.leader.LeaderElection;
import io.berth.operator.leader.Term;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A replica's part in the election, and its warm-up until it leads. */
final class Candidacy implements AutoCloseable {

  private final BerthOptions options;
  private final KubernetesClient client;
  private final ClusterFeed feed;
  private final Terms terms;
  private volatile @Nullable LeaderElection election;
  private volatile @Nullable SchedulingWarmUp warmUp;

  Candidacy(BerthOptions options, KubernetesClient client, ClusterFeed feed, Terms terms) {
    this.options = options;
    this.client = client;
    this.feed = feed;
    this.terms = terms;
  }

  /**
   * Stands for election, once; without one, this replica leads from now on.
   *
   * @param httpsPort where the replica answers the others once it leads
   */
  void stand(int httpsPort) {
    if (!options.leaderElect()) {
      terms.startedLeading(Term.unlimited());
      return;
    }
    LeaderElection standing =
        new LeaderElection(
            client,
            options.namespace(),
            Installation.LEASE,
            options.identity(),
            HostPort.of(options.address(), httpsPort),
            options.leaseTimes(),
            terms);
    election = standing;
    feed.followLease(standing::leaseChanged);
    Optional<SchedulingWarmUp> warming =
        options.warmUp()
            ? Optional.of(new SchedulingWarmUp(client, options, SchedulingWarmUp.Extent.usual()))
            : Optional.empty();
    warmUp = warming.orElse(null);
    standing.start();
    warming.ifPresent(SchedulingWarmUp::start);
  }

  /** From now on the CPU is for pods that wait. Does not wait itself. */
  void stopWarmUp() {
    SchedulingWarmUp running = warmUp;
    if (running != null) {
      running.stop();
    }
  }

  /** Returns the address of the leader, if it is known. */
  Optional<String> leaderAddress() {
    LeaderElection standing = election;
    return standing == null ? Optional.empty() : standing.holderAddress();
  }

  /** Stands no longer, and gives the Lease to another replica if this one holds it. */
  void withdraw() {
    LeaderElection standing = election;
    if (standing != null) {
      standing.close();
    }
  }

  /** Waits for the end of the warm-up. */
  @Override
  public void close() {
    SchedulingWarmUp running = warmUp;
    if (running != null) {
      running.close();
    }
  }
}
