package io.berth.operator;

import io.berth.operator.admission.CertificateKeeper;
import io.berth.operator.admission.WebhookEndpoint;
import io.berth.operator.api.Backoff;
import io.berth.operator.api.ClusterAccess;
import io.berth.operator.api.HttpApiCalls;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.http.AccessReview;
import io.berth.operator.http.Health;
import io.berth.operator.http.OperationsServer;
import io.berth.operator.owner.RootOwners;
import io.berth.operator.policy.CompleteRevisions;
import io.berth.operator.policy.ConfigRevisions;
import io.berth.operator.policy.GoodRevisions;
import io.berth.operator.policy.HeldPolicies;
import io.berth.operator.policy.PolicyFeed;
import io.berth.operator.policy.RevisionReading;
import io.berth.operator.policy.ServablePolicies;
import io.berth.operator.policy.ServedPolicies;
import io.berth.operator.query.ApiServiceRegistration;
import io.berth.operator.query.QueryServer;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.DecisionLog;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.record.ExplainPages;
import io.berth.operator.record.Metric;
import io.berth.operator.recording.Recorder;
import io.berth.operator.schedule.EngineFeed;
import io.berth.operator.schedule.EngineObserver;
import io.berth.operator.schedule.SchedulerSession;
import io.berth.operator.schedule.ServerVersionPoller;
import io.berth.webhook.binding.LiveCatalog;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica of Berth in this process: it watches the cluster, serves health, metrics and the
 * webhook, and while it leads it reconciles and schedules.
 */
public final class Berth implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Berth.class);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration EVENTS_TIMEOUT = Duration.ofSeconds(5);
  private static final Backoff AGAIN = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30));
  private static final int DECISIONS_REMEMBERED = 20_000;

  private final BerthOptions options;
  private final Clock clock = Clock.systemUTC();
  private final BerthMetrics metrics;
  private final ClusterFeed feed;
  private final LiveCatalog catalog;
  private final HeldPolicies held;
  private final EngineFeed engineFeed;
  private final ServedPolicies policies;
  private final ServablePolicies servable = new ServablePolicies();
  private final PolicyFeed policyFeed;
  private final ServerVersionPoller serverVersion;
  private final GoodRevisions goodRevisions;
  private final DecisionLog decisions;
  private final ClusterAccess access;
  private final KubernetesClient client;
  private final KubernetesClient calling;
  private final HttpApiCalls api;
  private final EventRecorder events;
  private final Health health = new Health();
  private final ReplicaHealth replicaHealth;
  private final ReplicaTraces traces;
  private final Optional<Recorder> recorder;
  private final Peers peers;
  private final ReplicaExplainer explainer = new ReplicaExplainer();
  private final Terms terms;
  private final Candidacy candidacy;
  private final CompletableFuture<Void> reviewsAreFast;
  private final CompletableFuture<Void> synced = new CompletableFuture<>();

  private @Nullable OperationsServer http;
  private @Nullable OperationsServer https;
  private @Nullable QueryServer queries;
  private @Nullable CertificateKeeper certificate;
  private volatile @Nullable String waiting;
  private volatile @Nullable String closing;
  private volatile @Nullable WebhookEndpoint webhook;
  private @Nullable RevisionReading<CompleteRevisions> keptReading;

  private Berth(BerthOptions options, Config config, Consumer<String> onEnded) {
    this.options = options;
    this.reviewsAreFast =
        options.webhook().isPresent()
            ? WebhookEndpoint.warmUp()
            : CompletableFuture.completedFuture(null);
    this.access = ClusterAccess.of(config);
    this.client = access.client();
    this.calling = access.clientWithoutRetries();
    this.metrics = new BerthMetrics(options.schedulerNames());
    this.feed =
        new ClusterFeed(
            calling,
            options.namespace(),
            options.watchTimes(),
            ReplicaHealth.counting(metrics),
            options.legacyPolicies(),
            options.has(Feature.HAMI),
            options.has(Feature.OTHER_QUEUES));
    this.catalog = new LiveCatalog(options.namespace(), RootOwners.of(calling, feed), servable);
    this.held = new HeldPolicies(feed, catalog, Set.copyOf(options.schedulerNames()));
    this.engineFeed = new EngineFeed(held::subscribe, held::replay);
    this.policies = new ServedPolicies(engineFeed::publish);
    this.policyFeed = new PolicyFeed(feed, policies);
    this.goodRevisions = new GoodRevisions(client, options.namespace());
    this.api = new HttpApiCalls(access, ANSWER_TIMEOUT);
    this.events =
        new EventRecorder(
            api,
            new PodSchedulers(options.schedulerNames(), feed)::reporterOf,
            options.identity(),
            clock,
            this::isBinding,
            () -> metrics.count(Metric.EVENTS_DROPPED));
    this.decisions = new DecisionLog(DECISIONS_REMEMBERED, feed::isPending, clock);
    this.serverVersion = new ServerVersionPoller(api, engineFeed::publish);
    this.replicaHealth = new ReplicaHealth(this::session, feed, options.watchTimes());
    this.traces = new ReplicaTraces(options, feed, decisions);
    this.recorder = options.recording().map(wanted -> new Recorder(wanted, System::nanoTime));
    this.terms =
        new Terms(
            new Leadership.Replica(
                options,
                access,
                calling,
                api,
                feed,
                catalog,
                engineFeed,
                policies,
                goodRevisions,
                events,
                decisions,
                metrics,
                traces::pods,
                recorder.map(EngineObserver.class::cast).orElse(EngineObserver.NONE),
                clock),
            replicaHealth,
            this::stopWarmUp,
            this::registerAgain,
            this::checkFitness,
            onEnded);
    this.peers = new Peers(this::isLeading, metrics, clock);
    this.candidacy = new Candidacy(options, client, calling, feed, terms);
    feed.onWentBack(terms::dataWentBack);
    replicaHealth.check(health, synced::isDone);
    health.ready("start", () -> Optional.ofNullable(waiting));
    health.ready("shutdown", () -> Optional.ofNullable(closing));
    health.ready("webhook", this::webhookProblem);
    health.live("term", terms::problem);
  }

  private Optional<String> webhookProblem() {
    return options.webhook().isPresent() && webhook == null
        ? Optional.of("does not accept reviews yet")
        : Optional.empty();
  }

  /** Starts a replica that becomes a candidate again each time it loses its lease. */
  public static Berth start(BerthOptions options, KubernetesClient client)
      throws IOException, InterruptedException {
    return start(options, client, why -> {});
  }

  /**
   * Starts a replica. Returns once it watches the cluster and either leads or is a candidate for
   * leadership.
   *
   * @param client the client whose configuration supplies the API server's address and Berth's
   *     credentials; it sends no requests itself
   * @param onEnded called with the reason when a leadership term ends unexpectedly; must not block
   * @throws IOException when a port cannot be listened on
   * @throws InterruptedException when interrupted during the initial list of the cluster
   */
  public static Berth start(BerthOptions options, KubernetesClient client, Consumer<String> onEnded)
      throws IOException, InterruptedException {
    Berth berth = of(options, client.getConfiguration(), onEnded);
    try {
      berth.start();
      return berth;
    } catch (IOException | InterruptedException | RuntimeException e) {
      berth.close();
      throw e;
    }
  }

  /**
   * Creates a replica without starting it: it has sent no requests and listens on no port.
   *
   * @param config the API server's address and Berth's credentials
   * @param onEnded called with the reason when a leadership term ends unexpectedly; must not block
   */
  public static Berth of(BerthOptions options, Config config, Consumer<String> onEnded) {
    return new Berth(options, config, onEnded);
  }

  /** The client that does not retry requests; available before the replica starts. */
  public KubernetesClient client() {
    return calling;
  }

  /** The port that serves health over plain HTTP. */
  public int httpPort() {
    return port(http);
  }

  /** The port that serves metrics and explanations over TLS. */
  public int httpsPort() {
    return port(https);
  }

  /** The port of the API group of queries; empty if this replica does not serve it. */
  public Optional<Integer> queryPort() {
    return Optional.ofNullable(queries).map(QueryServer::port);
  }

  /** The port of the webhook; empty if this replica does not serve it. */
  public Optional<Integer> webhookPort() {
    return Optional.ofNullable(webhook).map(WebhookEndpoint::port);
  }

  /**
   * The CA certificates, in PEM, that clients of the webhook, metrics and explanation ports must
   * trust.
   */
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
   * Returns whether this replica's webhook is registered with the API server, by its own URL or
   * through the Service.
   */
  public boolean isRegistered() {
    return webhook != null && webhook.registrationProblem().isEmpty();
  }

  /**
   * Returns the failing readiness checks, as messages by the check's name; empty if the replica is
   * ready.
   */
  public Map<String, String> problems() {
    return health.readyProblems();
  }

  /** The time at which this replica began to schedule; empty while it does not. */
  public Optional<Instant> leadingSince() {
    return session().map(SchedulerSession::began);
  }

  /** Returns whether this replica schedules. */
  public boolean isLeading() {
    return session().isPresent();
  }

  /**
   * Starts the replica; call it only once. Returns once the replica watches the cluster and either
   * leads or is a candidate for leadership. Work that does not depend on the cluster's objects is
   * done while they are being listed.
   *
   * @throws IOException when a port cannot be listened on
   * @throws InterruptedException when interrupted while the cluster is being listed
   */
  public void start() throws IOException, InterruptedException {
    long began = System.nanoTime();
    CompletableFuture<Void> listed = feed.start();
    candidacy.startWarmUp(listed);
    serveHealth();
    waiting = null;
    replicaHealth.gauge(metrics, events);
    metrics.gauge(Metric.PODS_UNRENDERED, this::unrenderedPods);
    CertificateKeeper keeper = certificates();
    certificate = keeper;
    health.ready("certificate", keeper::certificateProblem);
    traces.start(keeper.live(), metrics, clock);
    EngineQuestions questions = new EngineQuestions(this::session, System::nanoTime);
    explainer.use(
        new ExplainPages(
            decisions,
            this::isLeading,
            candidacy::leaderAddress,
            questions::cardMap,
            questions::dump,
            peers.connect(keeper.live().context())));
    https = OperationsServer.startSecure(options.httpsPort(), keeper.live(), pages());
    ConfigRevisions configs = new ConfigRevisions(client, options.namespace());
    RevisionReading<CompleteRevisions> kept =
        new RevisionReading<>(
            () -> new CompleteRevisions(goodRevisions.load(), configs.load()),
            this::stored,
            () -> policies.lacksRevisions() || catalog.lacksRevisions());
    keptReading = kept;
    kept.read().ifPresent(this::stored);
    awaitSync(listed);
    policyFeed.start();
    serverVersion.start();
    LOG.info(
        "Watching {} nodes, {} pods and {} scheduling policies after {} ms",
        feed.nodeCount(),
        feed.pods().count(),
        feed.policies().size(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
    WebhookEndpoint.follow(feed, catalog);
    held.start();
    if (options.has(Feature.QUERY_API)) {
      serveQueries(keeper);
    }
    // A leader schedules while the webhook still runs its first reviews.
    candidacy.stand(httpsPort());
    queryPort()
        .ifPresent(
            port ->
                peers.announce(
                    candidacy::leaderAddress, () -> problems().isEmpty(), options.address(), port));
    if (options.webhook().isPresent()) {
      startWebhook(options.webhook().get(), keeper);
    }
  }

  private void stored(CompleteRevisions revisions) {
    servable.kept(revisions.policies());
    policies.stored(revisions.policies());
    catalog.stored(revisions.objects());
  }

  /**
   * Starts to serve health over plain HTTP, as {@link #start} also does: an orchestrator then knows
   * that this process runs while it waits for the API server.
   *
   * @throws IOException when the port cannot be listened on
   */
  public void serveHealth() throws IOException {
    if (http == null) {
      http = OperationsServer.startPlain(options.httpPort(), pages());
    }
  }

  /** Reports what this replica waits for until it is started. */
  public void waitsFor(String what) {
    waiting = what;
  }

  private OperationsServer.Parts pages() {
    return new OperationsServer.Parts(
        health,
        options.openHttp()
            ? Optional.empty()
            : Optional.of(new AccessReview(client, options.tokenAudiences(), clock)),
        metrics::page,
        explainer,
        peers::announced);
  }

  /** Loads or creates the certificate, as soon as the API server answers. */
  private CertificateKeeper certificates() throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return CertificateKeeper.start(
            client,
            options.namespace(),
            options.webhook().flatMap(BerthOptions.Webhook::url),
            options.has(Feature.WEBHOOK_RESTORE),
            clock);
      } catch (KubernetesClientException e) {
        if (e.getCode() > 0 && e.getCode() < HttpURLConnection.HTTP_INTERNAL_ERROR) {
          throw e;
        }
        LOG.warn("Waiting: the certificate cannot be read or created: {}", e.getMessage());
        Thread.sleep(AGAIN.pause(attempt, Duration.ZERO, ThreadLocalRandom.current()));
      }
    }
  }

  private void serveQueries(CertificateKeeper keeper) throws IOException {
    queries =
        QueryServer.start(
            options.queryPort(),
            keeper.live(),
            new QueryServer.Sources(
                client,
                engineFeed,
                feed::pods,
                feed::pod,
                node -> feed.node(node).isPresent(),
                catalog,
                explainer,
                Set.copyOf(options.schedulerNames()),
                options.has(Feature.HAMI),
                clock),
            peers.forReviews());
    keeper.tellAuthorities(new ApiServiceRegistration(client));
  }

  private void startWebhook(BerthOptions.Webhook wanted, CertificateKeeper keeper)
      throws IOException {
    reviewsAreFast.join();
    webhook =
        WebhookEndpoint.start(
            calling, // with retries, a failure takes so long that its reason is lost
            options.namespace(),
            keeper,
            wanted.port(),
            wanted.url(),
            wanted.clients(),
            Set.copyOf(options.schedulerNames()),
            options.legacyPolicies(),
            this::isLeading,
            catalog,
            metrics,
            traces.reviews());
  }

  private void awaitSync(CompletableFuture<Void> listed) throws InterruptedException {
    while (!listed.isDone()) {
      try {
        listed.get(10, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        LOG.info("Still listing the cluster: {}", feed.problem().orElse("nearly done"));
      } catch (ExecutionException e) {
        throw new IllegalStateException("the cluster could not be listed", e.getCause());
      }
    }
    synced.complete(null);
  }

  /**
   * Shuts the replica down gracefully: it reports that it is not ready, finishes or abandons
   * requests in flight, releases the lease, keeps answering reviews for the grace period, and
   * closes its servers and clients.
   */
  @Override
  public void close() {
    long began = System.nanoTime();
    closing = "this replica is shutting down";
    candidacy.stopWarmUp();
    terms.close();
    recorder.ifPresent(Recorder::close);
    candidacy.withdraw();
    awaitGrace(began);
    if (webhook != null) {
      webhook.close();
    }
    if (queries != null) {
      queries.close();
    }
    if (certificate != null) {
      certificate.close();
    }
    if (keptReading != null) {
      keptReading.close();
    }
    candidacy.close();
    serverVersion.close();
    policyFeed.close();
    held.close();
    feed.close();
    try {
      int notWritten = events.finish(EVENTS_TIMEOUT);
      if (notWritten > 0) {
        LOG.info("{} events were not written before shutdown", notWritten);
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
    peers.close();
    traces.close();
    metrics.close();
    api.close();
    calling.close();
    client.close();
  }

  /**
   * Keeps serving reviews until the endpoints change: API servers send reviews to this replica
   * until then.
   */
  private void awaitGrace(long began) {
    WebhookEndpoint served = webhook;
    Duration left = options.shutdownGrace().minus(Duration.ofNanos(System.nanoTime() - began));
    if (served == null || !left.isPositive()) {
      return;
    }
    LOG.info(
        "Answering reviews for another {} s, until API servers send them to other replicas",
        left.toSeconds());
    served.askClientsToLeave();
    try {
      Thread.sleep(left);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void checkFitness() {
    candidacy.checkFitness();
  }

  private void stopWarmUp() {
    candidacy.stopWarmUp();
  }

  /** Updates the registration soon, since the registered URL is the leader's. */
  private void registerAgain() {
    CertificateKeeper keeper = certificate;
    if (keeper != null) {
      keeper.lookSoon();
    }
  }

  private boolean isBinding() {
    return session().filter(current -> current.binder().isBinding()).isPresent();
  }

  private int unrenderedPods() {
    return terms.current().map(leading -> leading.reconcilers().unrenderedPods()).orElse(0);
  }

  private Optional<SchedulerSession> session() {
    return terms.session();
  }
}
