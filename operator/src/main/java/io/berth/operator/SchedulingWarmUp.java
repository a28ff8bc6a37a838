package io.berth.operator;

import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.ClusterAccess;
import io.berth.operator.api.HttpApiCalls;
import io.berth.operator.api.HttpServiceCalls;
import io.berth.operator.api.ServiceFiles;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.Subscription;
import io.berth.operator.policy.ServedPolicies;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.DecisionLog;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.schedule.EngineFeed;
import io.berth.operator.schedule.EngineObserver;
import io.berth.operator.schedule.SchedulerSession;
import io.berth.operator.trace.PodTraces;
import io.berth.operator.warmup.SyntheticCluster;
import io.berth.serving.http.HttpServer;
import io.berth.serving.http.ServerSettings;
import io.berth.serving.tls.CertificateAuthority;
import io.berth.serving.tls.CertificateState;
import io.berth.serving.tls.LiveCertificate;
import io.berth.serving.tls.RenewalRules;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;

/**
 * Exercises the leader's code before this replica leads: a scheduling session places synthetic pods
 * on a {@link SyntheticCluster}, so that the JVM has loaded and compiled that code before real pods
 * wait for it. A replica warms up while it lists a large cluster, and while it does not lead.
 *
 * <p>The warm-up has no effect outside the process. (1) The session writes only to a server on the
 * loopback address of this process. (2) It has its own feed, policies, events, decisions and
 * metrics. (3) It works in rounds with pauses, on a bounded number of pods and for a bounded time,
 * and ends when this replica leads.
 */
final class SchedulingWarmUp implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulingWarmUp.class);
  private static final String HOST = "localhost";
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final int DECISIONS_REMEMBERED = 1000;

  private final KubernetesClient client;
  private final BerthOptions options;
  private final Extent extent;
  private final Clock clock = Clock.systemUTC();
  private final Thread thread;
  private final CompletableFuture<Void> listed;
  private final CompletableFuture<Void> candidate = new CompletableFuture<>();
  private final CompletableFuture<Void> stop = new CompletableFuture<>();
  private volatile boolean ended;

  /**
   * The limits of the warm-up.
   *
   * @param nodes the number of synthetic nodes
   * @param podsPerRound the number of pods placed in each round
   * @param pods the number of pods in total, after which no round begins
   * @param whileListing the time after which a replica that is still listing the cluster warms up
   * @param delay the time between becoming a candidate and the first round, so that a replica that
   *     acquires the lease at once does not warm up
   * @param pause the time between two rounds
   * @param roundTimeout the time after which a round counts as failed
   * @param time the time after which no round begins
   */
  record Extent(
      int nodes,
      int podsPerRound,
      int pods,
      Duration whileListing,
      Duration delay,
      Duration pause,
      Duration roundTimeout,
      Duration time) {
    static Extent usual() {
      return new Extent(
          200,
          100,
          6_000,
          Duration.ofSeconds(10),
          Duration.ofSeconds(1),
          Duration.ofMillis(100),
          Duration.ofSeconds(20),
          Duration.ofMinutes(1));
    }
  }

  /**
   * @param client used to build a feed; no requests are sent
   * @param listed completes when the replica has listed the cluster
   */
  SchedulingWarmUp(
      KubernetesClient client,
      BerthOptions options,
      Extent extent,
      CompletableFuture<Void> listed) {
    this.client = client;
    this.options = options;
    this.extent = extent;
    this.listed = listed;
    this.thread = Thread.ofPlatform().name("warm-up").daemon().unstarted(this::run);
  }

  /** Starts to wait for the right time. */
  void start() {
    thread.start();
  }

  /** Records that this replica is a candidate for leadership from now on. */
  void candidateNow() {
    candidate.complete(null);
  }

  /** Asks the warm-up to end soon; does not wait for it. */
  void stop() {
    stop.complete(null);
  }

  /** Returns whether the warm-up has ended, for any reason. */
  boolean hasEnded() {
    return ended;
  }

  /** Stops the warm-up and waits up to {@link #CLOSE_TIMEOUT} for it to end. */
  @Override
  public void close() {
    stop();
    try {
      thread.join(CLOSE_TIMEOUT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      if (isListingLong() || isCandidateLong()) {
        placePods();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException | LinkageError e) {
      LOG.warn("The warm-up failed: this replica will schedule slowly at first when it leads", e);
    } finally {
      ended = true;
    }
  }

  private boolean isListingLong() throws InterruptedException {
    return !endsWithin(extent.whileListing(), CompletableFuture.anyOf(listed, stop));
  }

  private boolean isCandidateLong() throws InterruptedException {
    try {
      CompletableFuture.anyOf(candidate, stop).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("neither of the two can fail", e);
    }
    return !stopsWithin(extent.delay());
  }

  private boolean isStopped() {
    return stop.isDone();
  }

  private boolean stopsWithin(Duration time) throws InterruptedException {
    return endsWithin(time, stop);
  }

  /** Waits for the end; returns whether it has come, successfully or not. */
  private static boolean endsWithin(Duration time, CompletableFuture<?> end)
      throws InterruptedException {
    try {
      end.get(time.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (ExecutionException e) {
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  private void placePods() throws IOException, InterruptedException {
    try (ClusterFeed feed =
        new ClusterFeed(
            client,
            options.namespace(),
            options.watchTimes(),
            failure -> {},
            options.legacyPolicies(),
            options.has(Feature.HAMI),
            options.has(Feature.OTHER_QUEUES))) {
      SyntheticCluster cluster = new SyntheticCluster(feed, options.firstSchedulerName());
      CertificateState certificate =
          CertificateState.begin(
              new CertificateAuthority(new SecureRandom()),
              RenewalRules.usual(List.of(HOST)),
              clock.instant());
      try (HttpServer server =
              HttpServer.startOnLoopback(
                  ServerSettings.reviews(0), new LiveCertificate(certificate), cluster);
          HttpApiCalls api =
              new HttpApiCalls(
                  ClusterAccess.of(config(server.port(), certificate.caBundle())), ANSWER_TIMEOUT);
          BerthMetrics metrics = new BerthMetrics(options.schedulerNames())) {
        placePods(feed, cluster, api, metrics);
      }
    }
  }

  /** Returns a configuration without credentials that points back to this process. */
  private static Config config(int port, String authorities) {
    byte[] pem = authorities.getBytes(StandardCharsets.US_ASCII);
    return new ConfigBuilder(Config.empty())
        .withMasterUrl("https://" + HOST + ":" + port)
        .withCaCertData(Base64.getEncoder().encodeToString(pem))
        .build();
  }

  private void placePods(
      ClusterFeed feed, SyntheticCluster cluster, ApiCalls api, BerthMetrics metrics)
      throws InterruptedException {
    PodSchedulers schedulers = new PodSchedulers(options.schedulerNames(), feed);
    EventRecorder events =
        new EventRecorder(
            api, schedulers::reporterOf, options.identity(), clock, () -> false, () -> {});
    EngineFeed engineFeed = new EngineFeed(feed::subscribe, feed::replay);
    SchedulerSession session =
        new SessionSetup(
                api,
                () -> false,
                HttpServiceCalls.opener(new ServiceFiles(options.extenderFiles())),
                feed,
                engineFeed,
                options.schedulerNames(),
                events,
                new DecisionLog(DECISIONS_REMEMBERED, pod -> false, clock),
                metrics,
                PodTraces.OFF,
                () -> {}, // the warm-up ends by itself
                options.has(Feature.LEGACY_BINDING),
                EngineObserver.NONE,
                NOPLogger.NOP_LOGGER,
                clock)
            .session();
    ServedPolicies policies = new ServedPolicies(engineFeed::publish);
    session.loop().start();
    policies.beginTerm(Map.of(), Map.of());
    cluster.addNodes(extent.nodes());
    try (Subscription _ = engineFeed.subscribe(session.loop())) {
      session.loop().begin();
      placeRounds(cluster, session);
    } finally {
      policies.endTerm();
      session.finish();
      events.finish(CLOSE_TIMEOUT);
    }
  }

  private void placeRounds(SyntheticCluster cluster, SchedulerSession session)
      throws InterruptedException {
    long began = System.nanoTime();
    int placed = 0;
    long first = 0;
    long last = 0;
    do {
      long roundBegan = System.nanoTime();
      int more = cluster.placeRound(extent.podsPerRound(), extent.roundTimeout(), this::isStopped);
      if (isStopped()) {
        break;
      }
      if (more < extent.podsPerRound()) {
        LOG.warn(
            "The warm-up ends early: {} of {} synthetic pods were placed within {} ms{}. This"
                + " replica may schedule slowly at first when it leads",
            more,
            extent.podsPerRound(),
            extent.roundTimeout().toMillis(),
            session.loop().problem().map(why -> ": the engine " + why).orElse(""));
        return;
      }
      placed += more;
      last = System.nanoTime() - roundBegan;
      first = first == 0 ? last : first;
      if (placed >= extent.pods() || System.nanoTime() - began > extent.time().toNanos()) {
        break;
      }
    } while (!stopsWithin(extent.pause()));
    LOG.info(
        "Warmed up with {} synthetic pods, visible only to this process: {} of them took {} ms at"
            + " first, and {} ms at the end{}",
        placed,
        extent.podsPerRound(),
        TimeUnit.NANOSECONDS.toMillis(first),
        TimeUnit.NANOSECONDS.toMillis(last),
        isStopped() ? "; cut short" : "");
  }
}
