package io.berth.demo.soak;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Installation;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingQueue;
import io.berth.demo.cluster.Balancer;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Heartbeats;
import io.berth.demo.cluster.Patience;
import io.berth.demo.cluster.Repeated;
import io.berth.demo.history.FaultSpan;
import io.berth.demo.history.History;
import io.berth.demo.history.HistoryCheck;
import io.berth.demo.history.HistoryFile;
import io.berth.demo.history.HistoryRecorder;
import io.berth.demo.history.HistorySummary;
import io.berth.demo.history.ObservedStates;
import io.berth.demo.invariant.DeviceUse;
import io.berth.demo.invariant.FreshEngine;
import io.berth.demo.invariant.Settled;
import io.berth.demo.nemesis.ExposedBerth;
import io.berth.demo.nemesis.Nemesis;
import io.berth.demo.nemesis.NemesisPlan;
import io.berth.demo.tenants.Disturbances;
import io.berth.demo.tenants.ObjectKey;
import io.berth.demo.tenants.TenantLimits;
import io.berth.demo.tenants.Tenants;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * A soak: three replicas of Berth with their webhook, tenants, and a nemesis. Every few minutes the
 * tenants stop and all faults end, and the cluster must come to the rest that a new engine has.
 */
public final class Soak {
  private static final Duration ROUND = Duration.ofSeconds(150);
  private static final Duration LONGEST_GAP = Duration.ofSeconds(60);
  private static final Duration STEP = Duration.ofMillis(800);
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final Duration OFTEN = Duration.ofMillis(100);
  private static final Duration SELDOM = Duration.ofSeconds(2);
  private static final Duration HEARTBEAT = Duration.ofSeconds(10);
  private static final Duration START_PATIENCE = Duration.ofMinutes(4);
  private static final Duration REST_PATIENCE = Duration.ofMinutes(3);

  /** More than a renew deadline, and than the delay of a watch after a fault. */
  private static final Duration STALENESS = Duration.ofSeconds(40);

  /** More than the time after which a replica has lost the Lease, and its exit. */
  private static final Duration RECENTLY = Duration.ofSeconds(60);

  /** The share of stalled time from which on a run says nothing. */
  private static final double MOST_STALLED = 0.2;

  private final KubernetesClient admin;
  private final SoakOptions options;
  private final InstantSource clock;
  private final Consumer<String> out;
  private final Findings findings;
  private final Stalls stalls = new Stalls();
  private final List<FaultSpan> faults = new ArrayList<>();
  private int steps;
  private int rests;

  /**
   * @param admin administrator client, which is not subject to faults
   * @param out receives progress lines, and each violation as soon as it is seen
   */
  public Soak(
      KubernetesClient admin, SoakOptions options, InstantSource clock, Consumer<String> out) {
    this.admin = admin;
    this.options = options;
    this.clock = clock;
    this.out = out;
    this.findings = new Findings(out);
  }

  /** Runs the soak and then removes everything from the cluster. */
  public SoakReport run() throws IOException, InterruptedException, GeneralSecurityException {
    Files.createDirectories(options.folder());
    SoakGround ground = SoakGround.prepare(admin);
    Vertx vertx = Vertx.vertx();
    List<ExposedBerth> berths = new ArrayList<>();
    Thread atExit = Thread.ofPlatform().unstarted(() -> berths.forEach(ExposedBerth::close));
    Runtime.getRuntime().addShutdownHook(atExit);
    try (Balancer balancer = new Balancer(SELDOM);
        ApiCluster cluster = new ApiCluster(admin);
        BindingWebhooks webhooks = new BindingWebhooks(admin);
        LiveExtender extender = new LiveExtender();
        HistoryRecorder recorder =
            new HistoryRecorder(
                admin,
                ApiCluster::isOurs,
                node -> node.startsWith(Tenants.NODE_PREFIX),
                new ObservedStates(ApiCluster.MARK, Set.of(Tenants.EXTENDED_RESOURCE)),
                clock)) {
      try {
        startBerths(vertx, balancer, berths);
        return run(cluster, webhooks, extender, berths, recorder);
      } finally {
        Tenants.NAMESPACES.forEach(webhooks::remove);
      }
    } finally {
      berths.forEach(ExposedBerth::close);
      Runtime.getRuntime().removeShutdownHook(atExit);
      vertx.close().toCompletionStage().toCompletableFuture().join();
      ground.remove();
    }
  }

  private void startBerths(Vertx vertx, Balancer balancer, List<ExposedBerth> berths)
      throws IOException, InterruptedException, GeneralSecurityException {
    String token = BerthInstallation.serviceAccountToken(admin);
    List<String> arguments =
        List.of(
            "--webhook-url=https://127.0.0.1:" + balancer.port(),
            "--open-http",
            "--shutdown-grace=PT0S");
    for (String name : List.of("one", "two", "three")) {
      Files.deleteIfExists(options.folder().resolve(name + ".log")); // of a run with the same seed
      ExposedBerth berth =
          ExposedBerth.start(
              vertx,
              admin.getConfiguration(),
              token,
              new ExposedBerth.Settings(
                  name,
                  Tenants.SCHEDULER,
                  Installation.NAMESPACE,
                  options.folder(),
                  options.seed() + berths.size(),
                  arguments));
      berths.add(berth);
      balancer.add(berth.process());
    }
    for (ExposedBerth berth : berths) {
      Patience.until(
          START_PATIENCE,
          LOOK,
          () -> balancer.sendsTo(berth.process()),
          berth.name() + " did not become ready; see the logs in " + options.folder());
    }
    out.accept("Three replicas are running; their logs are in " + options.folder());
  }

  private SoakReport run(
      ApiCluster cluster,
      BindingWebhooks webhooks,
      LiveExtender extender,
      List<ExposedBerth> berths,
      HistoryRecorder recorder)
      throws IOException, InterruptedException {
    LeaderWatch leader = new LeaderWatch(admin, berths, stalls);
    LiveProbes probes = new LiveProbes(cluster, leader, stalls, findings);
    Tenants tenants =
        new Tenants(
            cluster,
            disturbances(webhooks, extender),
            TenantLimits.ofProcesses(SoakGround.servesClaims(admin)),
            options.seed());
    tenants.begin();
    List<ReplicaLog> logs =
        berths.stream()
            .map(
                berth ->
                    new ReplicaLog(
                        options.folder().resolve(berth.name() + ".log"),
                        () -> isDisturbed(berth),
                        findings))
            .toList();
    PodEnds ends = new PodEnds(admin, cluster, options.kubelets());
    try (Repeated _ = new Repeated("heartbeats", HEARTBEAT, heartbeats(cluster));
        Repeated _ = new Repeated("leader", LOOK, leader::look);
        Repeated _ = new Repeated("clock", Duration.ZERO, this::tick);
        Repeated _ = new Repeated("ends", LOOK, ends::step);
        Repeated _ = new Repeated("logs", SELDOM, () -> logs.forEach(Soak::read));
        Repeated _ = new Repeated("probe-checks", OFTEN, probes::check);
        Repeated _ = checks(berths, leader)) {
      disturbAndRest(tenants, webhooks, extender, berths, probes);
    }
    logs.forEach(Soak::read);
    History history = recorder.history(faults);
    HistoryFile.write(history, options.folder().resolve("history.jsonl"));
    HistoryCheck.ofBindings(Set.of(Tenants.SCHEDULER), STALENESS)
        .withQueues()
        .violations(history)
        .forEach(violation -> findings.add(violation.text()));
    if (stalls.share() > MOST_STALLED) {
      findings.add(
          "the machine or the API server stalled for %.0f %% of the time, so that the run says"
                  .formatted(100 * stalls.share())
              + " too little; use a machine with more free CPUs");
    }
    int exits = logs.stream().mapToInt(ReplicaLog::exits).sum();
    return new SoakReport(summary(history, leader, probes, berths, exits), findings.all());
  }

  private List<String> summary(
      History history,
      LeaderWatch leader,
      LiveProbes probes,
      List<ExposedBerth> berths,
      int exits) {
    List<String> lines = new ArrayList<>();
    berths.forEach(berth -> lines.add(berth.text()));
    lines.add(HistorySummary.of(history).text());
    lines.add(
        "%d steps of the tenants, %d faults, %d terms of leaders, %d exits of leaders, %d rests"
            .formatted(steps, faults.size(), leader.terms(), exits, rests));
    lines.add(
        "%d probes placed, after at most %d ms of duty; the machine stalled for %.1f %% of the time"
            .formatted(probes.placed(), probes.longest().toMillis(), 100 * stalls.share()));
    return lines;
  }

  private Runnable heartbeats(ApiCluster cluster) {
    Heartbeats heartbeats = new Heartbeats(admin, cluster::nodes);
    return options.kubelets() ? () -> {} : heartbeats::beat;
  }

  private void tick() {
    try {
      stalls.test(LOOK);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether a replica has or had a fault, or the machine stalled, not long ago. */
  private boolean isDisturbed(ExposedBerth berth) {
    long now = System.nanoTime();
    long before = now - RECENTLY.toNanos();
    OptionalLong calm = berth.calmSince();
    return calm.isEmpty()
        || calm.getAsLong() > before
        || stalls.nanosBetween(before, now) < RECENTLY.toNanos();
  }

  private static void read(ReplicaLog log) {
    try {
      log.read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Repeated checks(List<ExposedBerth> berths, LeaderWatch leader) {
    List<ReplicaChecks> checks =
        berths.stream().map(berth -> new ReplicaChecks(berth, leader, stalls, findings)).toList();
    return new Repeated("checks", SELDOM, () -> checks.forEach(ReplicaChecks::check));
  }

  /** Lets the nemesis and the tenants work in rounds, with a rest after each. */
  private void disturbAndRest(
      Tenants tenants,
      BindingWebhooks webhooks,
      LiveExtender extender,
      List<ExposedBerth> berths,
      LiveProbes probes)
      throws InterruptedException {
    Duration left = options.length();
    while (left.isPositive()) {
      Duration round = left.compareTo(ROUND) < 0 ? left : ROUND;
      NemesisPlan plan = NemesisPlan.of(options.seed() + rests, round, berths.size(), LONGEST_GAP);
      try (Repeated _ = new Repeated("probes", Duration.ofSeconds(1), probes::create);
          Repeated _ = new Repeated("tenants", STEP, () -> step(tenants))) {
        faults.addAll(new Nemesis(plan, berths, clock).run(out));
      }
      extender.state(Disturbances.Extender.WELL);
      Tenants.NAMESPACES.forEach(webhooks::remove);
      rest();
      left = left.minus(round);
    }
  }

  private void step(Tenants tenants) {
    try {
      tenants.step(++steps);
    } catch (KubernetesClientException e) {
      // As for a person at the keyboard: the webhook for policies is unavailable in some faults.
      out.accept("Step %d was refused: %s".formatted(steps, e.getMessage()));
    }
  }

  private void rest() throws InterruptedException {
    rests++;
    List<String> problems = new ArrayList<>();
    boolean settled =
        Patience.within(
            REST_PATIENCE,
            SELDOM,
            () -> {
              problems.clear();
              problems.addAll(problems());
              return problems.isEmpty();
            });
    out.accept("Rest %d: %s".formatted(rests, settled ? "settled" : problems.size() + " problems"));
    problems.forEach(problem -> findings.add("at rest %d: %s".formatted(rests, problem)));
  }

  private List<String> problems() {
    List<ObjectNode> objects =
        Stream.<List<? extends HasMetadata>>of(
                admin.nodes().list().getItems(),
                admin.namespaces().list().getItems(),
                admin.resources(SchedulingPolicy.class).list().getItems(),
                admin.resources(SchedulingQueue.class).list().getItems(),
                SoakGround.podGroups(admin),
                admin.resources(NodeSchedulerConfig.class).list().getItems(),
                admin.resources(SchedulerConfigBinding.class).inAnyNamespace().list().getItems(),
                devices(),
                admin.pods().inAnyNamespace().list().getItems())
            .flatMap(List::stream)
            .map(
                object -> admin.getKubernetesSerialization().convertValue(object, ObjectNode.class))
            .toList();
    List<String> problems = new ArrayList<>(Settled.violations(objects, Tenants.SCHEDULER));
    problems.addAll(
        DeviceUse.violations(
            objects.stream()
                .filter(object -> ApiCluster.isOurs(ObjectKey.of(object).namespace()))
                .toList()));
    problems.addAll(new FreshEngine(admin, objects, Tenants.SCHEDULER, clock.instant()).places());
    return problems;
  }

  /** Returns the objects of dynamic resource allocation. */
  private List<HasMetadata> devices() {
    if (!SoakGround.servesClaims(admin)) {
      return List.of();
    }
    return Stream.<List<? extends HasMetadata>>of(
            admin.resources(DeviceClass.class).list().getItems(),
            admin.resources(ResourceSlice.class).list().getItems(),
            admin.resources(ResourceClaim.class).inAnyNamespace().list().getItems())
        .<HasMetadata>flatMap(List::stream)
        .toList();
  }

  /** Returns what the nemesis does not do anyway. */
  private static Disturbances disturbances(BindingWebhooks webhooks, LiveExtender extender) {
    return new Disturbances() {
      @Override
      public void webhook(String namespace, Webhook state) {
        webhooks.set(namespace, state);
      }

      @Override
      public String extenderUrl() {
        return extender.url();
      }

      @Override
      public void extender(Extender state) {
        extender.state(state);
      }

      @Override
      public void breakServer(RandomGenerator random) {
        // by the nemesis
      }

      @Override
      public void stopPodWebhook() {
        // no tenant of this cluster has ReplicaSets
      }

      @Override
      public void stallWatches() {
        // by the nemesis
      }

      @Override
      public void crash() {
        // by the nemesis
      }
    };
  }
}
