package io.berth.operator;

import io.berth.engine.CardMap;
import io.berth.engine.CardTotals;
import io.berth.engine.ClusterEvent;
import io.berth.engine.Engine;
import io.berth.engine.EngineOptions;
import io.berth.engine.GaugeReading;
import io.berth.engine.PodRef;
import io.berth.engine.QueueCounts;
import io.berth.operator.admission.CertificateKeeper;
import io.berth.operator.admission.HostPort;
import io.berth.operator.admission.WebhookEndpoint;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.ClusterAccess;
import io.berth.operator.bind.ClaimPreparation;
import io.berth.operator.bind.Evictor;
import io.berth.operator.bind.PodStatusWriter;
import io.berth.operator.bind.PodStatusWriter.SchedulingStatus;
import io.berth.operator.extender.ClusterObjects;
import io.berth.operator.extender.ExtenderAdvisor;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.gpu.CardHandover;
import io.berth.operator.gpu.NodeLocks;
import io.berth.operator.http.AccessReview;
import io.berth.operator.http.Explainer;
import io.berth.operator.http.Health;
import io.berth.operator.http.OperationsServer;
import io.berth.operator.leader.LeaderElection;
import io.berth.operator.leader.LeaderListener;
import io.berth.operator.leader.Term;
import io.berth.operator.load.UsagePoller;
import io.berth.operator.owner.RootOwners;
import io.berth.operator.policy.GoodRevision;
import io.berth.operator.policy.GoodRevisions;
import io.berth.operator.policy.HeldPolicies;
import io.berth.operator.policy.PolicyFeed;
import io.berth.operator.policy.RevisionReading;
import io.berth.operator.policy.ServablePolicies;
import io.berth.operator.policy.ServedPolicies;
import io.berth.operator.policy.WaterLevels;
import io.berth.operator.reconcile.Reconcilers;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.DecisionLog;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.record.ExplainPages;
import io.berth.operator.record.Metric;
import io.berth.operator.schedule.SchedulerSession;
import io.berth.operator.sharing.NodeSharing;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.http.HttpAnswer;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica of Berth in this process: it watches the cluster, serves health, metrics and the
 * webhook, and while it leads it reconciles and schedules.
 */
public final class Berth implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Berth.class);
  private static final String LEASE = "berth";
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration EVENTS_TIMEOUT = Duration.ofSeconds(5);
  private static final QueueCounts NOTHING_WAITS = new QueueCounts(0, 0, 0, 0, List.of());
  private static final Duration REVISIONS_PAUSE = Duration.ofSeconds(1);
  private static final int CARD_MAP_SECONDS = 3;
  private static final int DECISIONS_REMEMBERED = 20_000;

  private final BerthOptions options;
  private final Clock clock = Clock.systemUTC();
  private final BerthMetrics metrics;
  private final ClusterFeed feed;
  private final LiveCatalog catalog;
  private final ServedPolicies policies = new ServedPolicies();
  private final ServablePolicies servable = new ServablePolicies();
  private final BiFunction<ApiCalls, KubernetesClient, Reconcilers> newReconcilers;
  private final Function<ApiCalls, NodeSharing> newSharing;
  private final Runnable onLost;
  private final PolicyFeed policyFeed;
  private final GoodRevisions goodRevisions;
  private final DecisionLog decisions = new DecisionLog(DECISIONS_REMEMBERED);
  private final ClusterAccess access;
  private final KubernetesClient client;
  private final KubernetesClient calling;
  private final ApiCalls api;
  private final EventRecorder events;
  private final Health health = new Health();
  private final CompletableFuture<Void> synced = new CompletableFuture<>();

  private @Nullable OperationsServer http;
  private @Nullable OperationsServer https;
  private @Nullable CertificateKeeper certificate;
  private volatile @Nullable ExplainPages explain;
  private volatile @Nullable String closing;
  private volatile @Nullable LeaderElection election;
  private @Nullable WebhookEndpoint webhook;
  private volatile @Nullable Term term;
  private @Nullable Term running;
  private volatile @Nullable SchedulerSession session;
  private volatile @Nullable Reconcilers reconcilers;
  private @Nullable HeldPolicies held; // guarded by this
  private volatile @Nullable String termProblem;
  private @Nullable RevisionReading revisionReading;
  private @Nullable RevisionReading keptReading;
  private @Nullable NodeSharing sharing;
  private volatile @Nullable UsagePoller usage;

  private Berth(BerthOptions options, KubernetesClient given, Runnable onLost) {
    this.options = options;
    this.onLost = onLost;
    this.access = ClusterAccess.of(given.getConfiguration());
    this.client = access.client();
    this.calling = access.clientWithoutRetries();
    this.metrics = new BerthMetrics(options.schedulerName());
    this.feed =
        new ClusterFeed(
            calling, options.namespace(), options.watchTimes(), ReplicaHealth.counting(metrics));
    this.catalog = new LiveCatalog(options.namespace(), RootOwners.of(calling, feed), servable);
    this.policyFeed = new PolicyFeed(feed, policies);
    this.goodRevisions = new GoodRevisions(client, options.namespace());
    this.api = new ApiCalls(access, ANSWER_TIMEOUT);
    this.events =
        new EventRecorder(
            api,
            options.schedulerName(),
            options.identity(),
            clock,
            this::isBinding,
            () -> metrics.count(Metric.EVENTS_DROPPED));
    this.newSharing =
        fenced ->
            new NodeSharing(
                new NodeSharing.Parts(
                    calling,
                    fenced,
                    feed,
                    policies::verifiesSharedNodes,
                    options.schedulerName(),
                    events,
                    metrics,
                    clock));
    this.newReconcilers =
        (fenced, writer) ->
            new Reconcilers(
                new Reconcilers.Parts(
                    writer,
                    feed,
                    catalog,
                    policies,
                    this::gauges,
                    this::usageProblem,
                    new GoodRevisions(writer, options.namespace()),
                    fenced,
                    events,
                    options.schedulerName(),
                    clock));
  }

  /** Returns the parts of a term, whose writers work only while the term lasts. */
  private SchedulerSession.Parts parts(ApiCalls fenced, BooleanSupplier leads) {
    NodeLocks locks =
        new NodeLocks(fenced, new ClaimPreparation(fenced, new WatchedStorage(feed)), clock);
    return new SchedulerSession.Parts(
        fenced,
        locks,
        new CardHandover(fenced, locks, new WatchedGpus(feed), events, clock),
        new PodStatusWriter(fenced, this::statusOf, clock),
        new Evictor(fenced, options.schedulerName(), clock),
        new ExtenderAdvisor(
            new ClusterObjects(fenced, feed::node, this::placedPod), metrics, leads),
        events,
        decisions,
        metrics);
  }

  /** Starts a replica that stands for election again whenever it has lost its lease. */
  public static Berth start(BerthOptions options, KubernetesClient client)
      throws IOException, InterruptedException {
    return start(options, client, () -> {});
  }

  /**
   * Starts a replica. Returns when it watches the cluster and stands for election, or leads.
   *
   * @param client says by its configuration where the API server is, and who Berth is there
   * @param onLost called when a term as leader has ended that nobody asked to end; must not wait
   * @throws IOException when a port cannot be listened on
   * @throws InterruptedException when interrupted while the cluster is being listed for the first
   *     time
   */
  public static Berth start(BerthOptions options, KubernetesClient client, Runnable onLost)
      throws IOException, InterruptedException {
    Berth berth = new Berth(options, client, onLost);
    try {
      berth.start();
      return berth;
    } catch (IOException | InterruptedException | RuntimeException e) {
      berth.close();
      throw e;
    }
  }

  /** The port of health, in the clear. */
  public int httpPort() {
    return port(http);
  }

  /** The port of metrics and explanations, over TLS. */
  public int httpsPort() {
    return port(https);
  }

  /** The port of the webhook; empty where there is none. */
  public Optional<Integer> webhookPort() {
    return Optional.ofNullable(webhook).map(WebhookEndpoint::port);
  }

  /** The authorities to trust at the ports of webhook, metrics and explanations, in PEM. */
  public String caBundle() {
    CertificateKeeper keeper = certificate;
    if (keeper == null) {
      throw new IllegalStateException("not started");
    }
    return keeper.live().caBundle();
  }

  private static int port(@Nullable OperationsServer server) {
    if (server == null) {
      throw new IllegalStateException("not started");
    }
    return server.port();
  }

  /**
   * Returns whether API servers call this replica's webhook, or would if there were more than one.
   */
  public boolean isRegistered() {
    return webhook != null && webhook.registrationProblem().isEmpty();
  }

  /**
   * Returns the problems that keep this replica from being ready, by check; empty if it is ready.
   */
  public Map<String, String> problems() {
    return health.readyProblems();
  }

  /** Since when this replica schedules; empty while it does not. */
  public Optional<Instant> leadingSince() {
    return Optional.ofNullable(session).map(SchedulerSession::began);
  }

  /** Returns whether this replica schedules. */
  public boolean isLeading() {
    return session != null;
  }

  private void start() throws IOException, InterruptedException {
    long began = System.nanoTime();
    OperationsServer.Parts pages =
        new OperationsServer.Parts(
            health,
            options.openHttp() ? Optional.empty() : Optional.of(new AccessReview(client, clock)),
            metrics::page,
            new Explanations());
    http = OperationsServer.startPlain(options.httpPort(), pages);
    health.ready("shutdown", () -> Optional.ofNullable(closing));
    ReplicaHealth replicaHealth =
        new ReplicaHealth(() -> Optional.ofNullable(session), feed, options.watchTimes());
    replicaHealth.check(health, synced::isDone);
    health.live("term", () -> Optional.ofNullable(termProblem));
    replicaHealth.gauge(metrics, events);
    metrics.pendingPods("active", () -> counts().active());
    metrics.pendingPods("backoff", () -> counts().backoff());
    metrics.pendingPods("unschedulable", () -> counts().unschedulable());
    metrics.pendingPods("gated", () -> counts().gated());
    metrics.gauge(Metric.PODS_UNRENDERED, this::unrenderedPods);
    metrics.gauge(Metric.GPU_MILLI, () -> cardTotals().milliGpu());
    metrics.gauge(Metric.GPU_MILLI_USED, () -> cardTotals().usedMilliGpu());
    metrics.gauge(Metric.GPU_NODES_CLOSED, () -> cardTotals().closedNodes());
    metrics.gauge(Metric.GPU_NODES_UNREADABLE, () -> cardTotals().unreadableNodes());
    awaitSync();
    CertificateKeeper keeper =
        CertificateKeeper.start(
            client,
            options.namespace(),
            options.webhook().flatMap(BerthOptions.Webhook::url),
            clock);
    certificate = keeper;
    health.ready("certificate", keeper::certificateProblem);
    explain =
        new ExplainPages(
            decisions,
            this::isLeading,
            this::leaderAddress,
            this::cardMap,
            keeper.live().context());
    https = OperationsServer.startSecure(options.httpsPort(), keeper.live(), pages);
    policyFeed.start();
    LOG.info(
        "Watching {} nodes, {} pods and {} scheduling policies after {} ms",
        feed.nodeCount(),
        feed.pods().count(),
        feed.policies().size(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
    RevisionReading kept = new RevisionReading(goodRevisions, servable::kept, REVISIONS_PAUSE);
    keptReading = kept;
    kept.read().ifPresent(servable::kept);
    WebhookEndpoint.follow(feed, catalog);
    if (options.webhook().isPresent()) {
      BerthOptions.Webhook wanted = options.webhook().get();
      webhook =
          WebhookEndpoint.start(
              client,
              options.namespace(),
              keeper,
              wanted.port(),
              wanted.url(),
              this::isLeading,
              catalog,
              metrics);
    }
    Terms terms = new Terms(replicaHealth);
    if (options.leaderElect()) {
      election =
          new LeaderElection(
              client,
              options.namespace(),
              LEASE,
              options.identity(),
              HostPort.of(options.address(), httpsPort()),
              options.leaseTimes(),
              terms);
      election.start();
    } else {
      terms.startedLeading(Term.unlimited());
    }
  }

  private void awaitSync() throws InterruptedException {
    CompletableFuture<Void> listed = feed.start();
    while (!listed.isDone()) {
      try {
        listed.get(10, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        LOG.info("Still listing the cluster: {}", feed.problem().orElse("almost there"));
      } catch (ExecutionException e) {
        throw new IllegalStateException("the cluster could not be listed", e.getCause());
      }
    }
    synced.complete(null);
  }

  /**
   * Stops in good order: is not ready any more, finishes or forgets what is in flight and gives the
   * lease to another replica, answers requests until nobody sends them here, and ends.
   */
  @Override
  public void close() {
    long began = System.nanoTime();
    closing = "this replica is shutting down";
    endTerm(true);
    if (election != null) {
      election.close();
    }
    awaitGrace(began);
    if (webhook != null) {
      webhook.close();
    }
    if (certificate != null) {
      certificate.close();
    }
    if (keptReading != null) {
      keptReading.close();
    }
    policyFeed.close();
    feed.close();
    try {
      if (!events.awaitQuiet(EVENTS_TIMEOUT)) {
        LOG.info("{} events were not written any more", events.pending());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (https != null) {
      https.close();
    }
    if (http != null) {
      http.close();
    }
    if (explain != null) {
      explain.close();
    }
    metrics.close();
    api.close();
    calling.close();
    client.close();
  }

  /** Serves on while endpoints change: API servers send reviews here until they have. */
  private void awaitGrace(long began) {
    WebhookEndpoint served = webhook;
    Duration left = options.shutdownGrace().minus(Duration.ofNanos(System.nanoTime() - began));
    if (served == null || !left.isPositive()) {
      return;
    }
    LOG.info("Answering reviews for another {} s, until they are sent elsewhere", left.toSeconds());
    served.askClientsToLeave();
    try {
      Thread.sleep(left);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The pages of {@code /explain}, from the start of this replica on. */
  private final class Explanations implements Explainer {
    private static final HttpAnswer STARTING =
        HttpAnswer.text(503, "this replica is starting; ask again in a few seconds");

    @Override
    public HttpAnswer explain(String namespace, String pod, boolean json, boolean fromReplica) {
      ExplainPages pages = explain;
      return pages == null ? STARTING : pages.explain(namespace, pod, json, fromReplica);
    }

    @Override
    public HttpAnswer cards(String node, boolean json, boolean fromReplica) {
      ExplainPages pages = explain;
      return pages == null ? STARTING : pages.cards(node, json, fromReplica);
    }
  }

  private Optional<CardMap> cardMap(String nodeName) {
    SchedulerSession current = session;
    return current == null
        ? Optional.empty()
        : current
            .loop()
            .cardMap(nodeName)
            .completeOnTimeout(Optional.empty(), CARD_MAP_SECONDS, TimeUnit.SECONDS)
            .join();
  }

  private CardTotals cardTotals() {
    SchedulerSession current = session;
    return current == null ? CardTotals.none() : current.loop().cardTotals();
  }

  /** Begins and ends terms as leader; called on the election's threads, which must not wait. */
  private final class Terms implements LeaderListener {
    private final ReplicaHealth replicaHealth;

    Terms(ReplicaHealth replicaHealth) {
      this.replicaHealth = replicaHealth;
    }

    @Override
    public void startedLeading(Term begun) {
      if (closing == null) {
        term = begun;
        Thread.ofVirtual().name("begin-term").start(() -> beginTerm(begun));
      }
    }

    @Override
    public void stoppedLeading(Term ended) {
      Thread.ofVirtual().name("end-term").start(() -> endTerm(ended));
    }

    @Override
    public void lostLease() {
      if (closing == null) {
        onLost.run();
      }
    }

    @Override
    public Optional<String> unfit() {
      Term current = term;
      return replicaHealth.unfit(current != null && current.holds());
    }
  }

  private void beginTerm(Term begun) {
    try {
      RevisionReading reading =
          new RevisionReading(goodRevisions, policies::fallBackOn, REVISIONS_PAUSE);
      Map<String, GoodRevision> kept = reading.read().orElse(Map.of());
      synchronized (this) {
        if (closing == null && begun.holds() && begun == term) {
          endTerm(false); // one that was lost a moment ago
          revisionReading = reading;
          beginTerm(begun, kept);
        } else {
          reading.close();
        }
      }
    } catch (RuntimeException e) {
      LOG.error("This replica leads and cannot begin to schedule; it asks to be restarted", e);
      termProblem = "could not begin: " + e;
    }
  }

  private void beginTerm(Term begun, Map<String, GoodRevision> kept) {
    ApiCalls fenced = api.onlyWhile(begun::holds);
    EngineOptions forEngine = EngineOptions.defaults().withSchedulerName(options.schedulerName());
    SchedulerSession started =
        new SchedulerSession(
            () -> new Engine(forEngine), feed::replay, parts(fenced, begun::holds), clock);
    started.loop().start();
    Map<String, List<ClusterEvent.GaugeSeeded>> gauges =
        feed.policies().stream()
            .collect(
                Collectors.toMap(policy -> policy.getMetadata().getName(), WaterLevels::seeds));
    policies.attach(kept, gauges, started.loop()::post);
    HeldPolicies holding =
        new HeldPolicies(feed, catalog, options.schedulerName(), started.loop()::post);
    feed.subscribe(holding::accept);
    holding.start();
    held = holding;
    started.loop().begin();
    session = started;
    running = begun;
    UsagePoller polling =
        UsagePoller.of(
            new UsagePoller.Parts(
                options.usage(),
                policies::usageMaxAge,
                feed::nodeNames,
                feed::node,
                started.loop()::post,
                metrics,
                clock),
            fenced);
    polling.start();
    usage = polling;
    NodeSharing watching = newSharing.apply(fenced);
    watching.start();
    sharing = watching;
    Reconcilers writing = newReconcilers.apply(fenced, access.clientOnlyWhile(begun::holds));
    writing.start();
    reconcilers = writing;
    if (certificate != null) {
      certificate.lookSoon(); // the URL that is registered is the leader's
    }
    LOG.info("Scheduling pods of scheduler {}", options.schedulerName());
  }

  private synchronized void endTerm(Term lost) {
    if (running == lost) {
      endTerm(false);
    }
  }

  private synchronized void endTerm(boolean orderly) {
    SchedulerSession ending = session;
    Term ended = running;
    if (ending == null || ended == null) {
      return;
    }
    if (!orderly) {
      ended.end(); // first of all: another replica may write from now on
    }
    session = null;
    if (usage != null) {
      usage.close();
      usage = null;
    }
    if (sharing != null) {
      sharing.close();
      sharing = null;
    }
    if (revisionReading != null) {
      revisionReading.close();
      revisionReading = null;
    }
    feed.unsubscribe();
    if (held != null) {
      held.close();
      held = null;
    }
    if (!orderly) {
      ending.abort();
    }
    if (reconcilers != null) {
      reconcilers.close();
      reconcilers = null;
    }
    policies.detach();
    if (orderly) {
      try {
        ending.finish();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    ended.end();
    running = null;
    decisions.clear();
  }

  private boolean isBinding() {
    SchedulerSession current = session;
    return current != null && current.binder().pending() > 0;
  }

  private Optional<String> leaderAddress() {
    return election == null ? Optional.empty() : election.holderAddress();
  }

  private Optional<SchedulingStatus> statusOf(PodRef pod) {
    return feed.pod(pod.namespace(), pod.name())
        .filter(fed -> fed.ref().uid().equals(pod.uid()) && fed.nodeName().isEmpty())
        .map(fed -> new SchedulingStatus(fed.unschedulable(), fed.nominatedNode()));
  }

  private Optional<ClusterObjects.OnNode> placedPod(String uid) {
    return feed.pods()
        .filter(pod -> pod.ref().uid().equals(uid) && !pod.nodeName().isEmpty())
        .findFirst()
        .map(pod -> new ClusterObjects.OnNode(pod.ref(), pod.nodeName()));
  }

  private int unrenderedPods() {
    Reconcilers current = reconcilers;
    return current == null ? 0 : current.unrenderedPods();
  }

  private Optional<String> usageProblem() {
    return Optional.ofNullable(usage).flatMap(UsagePoller::problem);
  }

  private Optional<List<GaugeReading>> gauges() {
    return Optional.ofNullable(session).flatMap(SchedulerSession::gauges);
  }

  private QueueCounts counts() {
    SchedulerSession current = session;
    return current == null ? NOTHING_WAITS : current.counts();
  }
}
