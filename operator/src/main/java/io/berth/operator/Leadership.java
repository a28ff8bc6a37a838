package io.berth.operator;

import io.berth.engine.ClusterEvent;
import io.berth.engine.Engine;
import io.berth.engine.EngineOptions;
import io.berth.engine.PodRef;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.ClusterAccess;
import io.berth.operator.bind.ClaimPreparation;
import io.berth.operator.bind.Evictor;
import io.berth.operator.bind.GroupPreparation;
import io.berth.operator.bind.PodStatusWriter;
import io.berth.operator.bind.PodStatusWriter.SchedulingStatus;
import io.berth.operator.extender.ClusterObjects;
import io.berth.operator.extender.ExtenderAdvisor;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.FedPod;
import io.berth.operator.gpu.CardHandover;
import io.berth.operator.gpu.NodeLocks;
import io.berth.operator.group.GroupStatusWriter;
import io.berth.operator.leader.Term;
import io.berth.operator.load.UsagePoller;
import io.berth.operator.policy.GoodRevision;
import io.berth.operator.policy.GoodRevisions;
import io.berth.operator.policy.HeldPolicies;
import io.berth.operator.policy.RevisionReading;
import io.berth.operator.policy.ServedPolicies;
import io.berth.operator.policy.WaterLevels;
import io.berth.operator.reconcile.Reconcilers;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.DecisionLog;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.schedule.SchedulerSession;
import io.berth.operator.sharing.NodeSharing;
import io.berth.operator.trace.PodTraces;
import io.berth.webhook.binding.LiveCatalog;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The work of a replica during one term as leader: the scheduling session, the reconcilers, and
 * what feeds them. All of it writes only while the term holds. It begins once and ends once.
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
      ServedPolicies policies,
      GoodRevisions goodRevisions,
      EventRecorder events,
      DecisionLog decisions,
      BerthMetrics metrics,
      Supplier<PodTraces> traces,
      Clock clock) {}

  private final Replica replica;
  private final Term term;
  private final RevisionReading revisions;
  private final SchedulerSession session;
  private final HeldPolicies held;
  private final UsagePoller usage;
  private final NodeSharing sharing;
  private final Reconcilers reconcilers;

  /**
   * A leadership that has not begun.
   *
   * @param revisions goes on until the leadership ends, if the last good revisions could not be
   *     read yet
   */
  Leadership(Replica replica, Term term, RevisionReading revisions) {
    this.replica = replica;
    this.term = term;
    this.revisions = revisions;
    ApiCalls fenced = replica.api().onlyWhile(term::holds);
    EngineOptions forEngine = EngineOptions.defaults().withSchedulerNames(schedulerNames());
    this.session =
        new SchedulerSession(
            () -> new Engine(forEngine), replica.feed()::replay, parts(fenced), replica.clock());
    this.held =
        new HeldPolicies(replica.feed(), replica.catalog(), schedulerNames(), session.loop()::post);
    this.usage =
        UsagePoller.of(
            new UsagePoller.Parts(
                replica.options().usage(),
                replica.policies()::usageMaxAge,
                replica.feed()::nodeNames,
                replica.feed()::node,
                session.loop()::post,
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
            new Reconcilers.Parts(
                writer,
                replica.feed(),
                replica.catalog(),
                replica.policies(),
                session::gauges,
                usage::problem,
                new GoodRevisions(writer, replica.options().namespace()),
                fenced,
                replica.events(),
                schedulerNames(),
                replica.clock()));
  }

  private SchedulerSession.Parts parts(ApiCalls fenced) {
    NodeLocks locks =
        new NodeLocks(
            fenced,
            new GroupPreparation(
                fenced,
                new ClaimPreparation(fenced, new WatchedStorage(replica.feed())),
                this::isPending),
            replica.clock());
    return new SchedulerSession.Parts(
        fenced,
        locks,
        new CardHandover(
            fenced, locks, new WatchedGpus(replica.feed()), replica.events(), replica.clock()),
        new PodStatusWriter(fenced, this::statusOf, replica.clock()),
        new Evictor(fenced, replica.options().firstSchedulerName(), replica.clock()),
        new ExtenderAdvisor(
            new ClusterObjects(fenced, replica.feed()::node, this::placedPod),
            replica.metrics(),
            term::holds),
        replica.events(),
        replica.decisions(),
        replica.metrics(),
        new GroupStatusWriter(
            new GroupStatusWriter.Parts(
                fenced,
                schedulerNames(),
                replica.feed()::groupObject,
                replica.feed()::pods,
                replica.events(),
                replica.metrics(),
                replica.clock())),
        replica.traces().get(),
        new PodSchedulers(replica.options().schedulerNames(), replica.feed())::of);
  }

  private boolean isPending(PodRef pod) {
    return pending(pod).isPresent();
  }

  /** The pod, if it is there and on no node. */
  private Optional<FedPod> pending(PodRef pod) {
    return replica
        .feed()
        .pod(pod.namespace(), pod.name())
        .filter(fed -> fed.ref().uid().equals(pod.uid()) && fed.nodeName().isEmpty());
  }

  private Set<String> schedulerNames() {
    return Set.copyOf(replica.options().schedulerNames());
  }

  /**
   * Begins to schedule and to reconcile.
   *
   * @param kept the revisions to fall back on, by policy
   */
  void begin(Map<String, GoodRevision> kept) {
    session.loop().start();
    Map<String, List<ClusterEvent.GaugeSeeded>> gauges =
        replica.feed().policies().stream()
            .collect(
                Collectors.toMap(policy -> policy.getMetadata().getName(), WaterLevels::seeds));
    replica.policies().attach(kept, gauges, session.loop()::post);
    replica.feed().subscribe(held::accept);
    held.start();
    session.loop().begin();
    usage.start();
    sharing.start();
    reconcilers.start();
  }

  /**
   * Ends the work, and then the term.
   *
   * @param orderly whether the term still holds, so that Bindings under way are finished; otherwise
   *     another replica may write from now on, and nothing is sent any more
   */
  void end(boolean orderly) {
    if (!orderly) {
      term.end();
    }
    usage.close();
    sharing.close();
    revisions.close();
    replica.feed().unsubscribe();
    held.close();
    if (!orderly) {
      session.abort();
    }
    reconcilers.close();
    replica.policies().detach();
    if (orderly) {
      try {
        session.finish();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    term.end();
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

  private Optional<SchedulingStatus> statusOf(PodRef pod) {
    return pending(pod).map(fed -> new SchedulingStatus(fed.unschedulable(), fed.nominatedNode()));
  }

  private Optional<ClusterObjects.OnNode> placedPod(String uid) {
    return replica
        .feed()
        .pods()
        .filter(pod -> pod.ref().uid().equals(uid) && !pod.nodeName().isEmpty())
        .findFirst()
        .map(pod -> new ClusterObjects.OnNode(pod.ref(), pod.nodeName()));
  }
}
