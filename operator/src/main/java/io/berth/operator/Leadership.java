package io.berth.operator;

import io.berth.engine.api.ClusterEvent;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.ClusterAccess;
import io.berth.operator.api.HttpServiceCalls;
import io.berth.operator.api.ServiceFiles;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.Subscription;
import io.berth.operator.leader.Term;
import io.berth.operator.load.UsagePoller;
import io.berth.operator.policy.ConfigRevisions;
import io.berth.operator.policy.GoodRevision;
import io.berth.operator.policy.GoodRevisions;
import io.berth.operator.policy.RevisionReading;
import io.berth.operator.policy.ServedPolicies;
import io.berth.operator.reconcile.Reconcilers;
import io.berth.operator.reconcile.Reconciliation;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.DecisionLog;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.record.WaterLevels;
import io.berth.operator.schedule.EngineFeed;
import io.berth.operator.schedule.EngineObserver;
import io.berth.operator.schedule.SchedulerSession;
import io.berth.operator.sharing.NodeSharing;
import io.berth.operator.trace.PodTraces;
import io.berth.webhook.binding.LiveCatalog;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The work of a replica during one term as leader: the scheduling session, the reconcilers, and
 * their inputs. It writes only while the term holds. An instance begins once and ends once.
 */
final class Leadership {

  /** The parts of the process that outlive a term. */
  record Replica(
      BerthOptions options,
      ClusterAccess access,
      KubernetesClient calling,
      ApiCalls api,
      ClusterFeed feed,
      LiveCatalog catalog,
      EngineFeed engineFeed,
      ServedPolicies policies,
      GoodRevisions goodRevisions,
      EventRecorder events,
      DecisionLog decisions,
      BerthMetrics metrics,
      Supplier<PodTraces> traces,
      EngineObserver observer,
      Clock clock) {}

  private final Replica replica;
  private final Term term;
  private final RevisionReading<?> revisions;
  private final SchedulerSession session;
  private final UsagePoller usage;
  private final NodeSharing sharing;
  private final Reconcilers reconcilers;
  private volatile @Nullable Subscription subscription;

  /**
   * Creates a leadership that has not begun.
   *
   * @param revisions the read of the last good revisions, which may still be retried until the
   *     leadership ends
   * @param onFailed called when the engine has failed and cannot be replaced; must not block
   */
  Leadership(Replica replica, Term term, RevisionReading<?> revisions, Runnable onFailed) {
    this.replica = replica;
    this.term = term;
    this.revisions = revisions;
    ApiCalls fenced = replica.api().onlyWhile(term::holds);
    this.session =
        new SessionSetup(
                fenced,
                term::holds,
                HttpServiceCalls.opener(new ServiceFiles(replica.options().extenderFiles())),
                replica.feed(),
                replica.engineFeed(),
                replica.options().schedulerNames(),
                replica.events(),
                replica.decisions(),
                replica.metrics(),
                replica.traces().get(),
                onFailed,
                replica.options().has(Feature.LEGACY_BINDING),
                replica.observer(),
                LoggerFactory.getLogger(SchedulerSession.class),
                replica.clock())
            .session();
    this.usage =
        UsagePoller.of(
            new UsagePoller.Parts(
                replica.options().usage(),
                replica.policies()::usageMaxAge,
                replica.feed()::nodeNames,
                replica.feed()::node,
                replica.engineFeed()::publish,
                replica.metrics(),
                replica.clock()),
            fenced);
    this.sharing =
        new NodeSharing(
            new NodeSharing.Parts(
                replica.calling(),
                fenced,
                replica.feed(),
                replica.policies()::verifiesSharedNodes,
                schedulerNames(),
                replica.decisions()::hasPlaced,
                replica.events(),
                replica.metrics(),
                replica.clock()));
    KubernetesClient writer = replica.access().clientOnlyWhile(term::holds);
    this.reconcilers =
        new Reconcilers(
            new Reconciliation(
                new Reconciliation.Parts(
                    replica.feed(),
                    replica.catalog(),
                    replica.policies(),
                    session::gauges,
                    session::queues,
                    session::shadows,
                    session.rollouts(),
                    usage::problem,
                    new GoodRevisions(writer, replica.options().namespace())::keep,
                    new ConfigRevisions(writer, replica.options().namespace())::keep,
                    fenced,
                    replica.events(),
                    schedulerNames(),
                    replica.options().has(Feature.REPAIR),
                    replica.clock())),
            writer,
            replica.policies());
  }

  private Set<String> schedulerNames() {
    return Set.copyOf(replica.options().schedulerNames());
  }

  /**
   * Starts scheduling and reconciling.
   *
   * @param kept the last good revisions to fall back on, by policy name
   */
  void begin(Map<String, GoodRevision> kept) {
    replica.decisions().clear();
    session.loop().start();
    Map<String, List<ClusterEvent.GaugeSeeded>> gauges =
        replica.feed().policies().stream()
            .collect(
                Collectors.toMap(policy -> policy.getMetadata().getName(), WaterLevels::seeds));
    replica.policies().beginTerm(kept, gauges);
    subscription = replica.engineFeed().subscribe(session.loop());
    session.loop().begin();
    usage.start();
    sharing.start();
    reconcilers.start();
  }

  /**
   * Ends the work, then the term.
   *
   * @param orderly whether the term still holds, so that Bindings in flight can finish; if not,
   *     another replica may already write, and this one sends nothing more
   */
  void end(boolean orderly) {
    if (!orderly) {
      term.end();
    }
    usage.close();
    sharing.close();
    revisions.close();
    Subscription inputs = subscription;
    if (inputs != null) {
      inputs.close();
    }
    if (!orderly) {
      session.abort();
    }
    reconcilers.close();
    replica.policies().endTerm();
    if (orderly) {
      try {
        session.finish();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    term.end();
    replica.engineFeed().termEnded();
    replica.decisions().clear();
  }

  Term term() {
    return term;
  }

  SchedulerSession session() {
    return session;
  }

  Reconcilers reconcilers() {
    return reconcilers;
  }
}
