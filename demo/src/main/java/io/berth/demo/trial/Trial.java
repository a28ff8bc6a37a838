package io.berth.demo.trial;

import io.berth.crds.Installation;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
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
import io.berth.demo.nemesis.ExposedBerth;
import io.berth.demo.nemesis.Nemesis;
import io.berth.demo.nemesis.NemesisPlan;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A trial: two replicas of a Berth, a second Berth with another scheduler name, and a rival
 * scheduler place pods on the same nodes, while a nemesis injects faults into the Berth instances.
 * When all faults are over, the history of the API server is verified.
 */
public final class Trial {
  /** The schedulerNames to check. */
  public static final Set<String> SCHEDULERS = Set.of("berth", "berth-second");

  private static final Duration START_PATIENCE = Duration.ofMinutes(4);
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final Duration HEARTBEAT = Duration.ofSeconds(10);

  /** Time beyond the limit for pending pods, so that a pod that waits too long is detected. */
  private static final Duration OVERTIME = Duration.ofSeconds(15);

  private final KubernetesClient admin;
  private final TrialOptions options;
  private final InstantSource clock;
  private final Consumer<String> out;

  /**
   * @param admin administrator client, which is not subject to faults
   * @param out receives progress lines
   */
  public Trial(
      KubernetesClient admin, TrialOptions options, InstantSource clock, Consumer<String> out) {
    this.admin = admin;
    this.options = options;
    this.clock = clock;
    this.out = out;
  }

  /** Runs the trial and then removes everything from the cluster. */
  public TrialReport run() throws IOException, InterruptedException, GeneralSecurityException {
    Files.createDirectories(options.folder());
    TrialGround ground = TrialGround.prepare(admin, Checkout.find(), options.nodes());
    try {
      return run(ground);
    } finally {
      ground.remove();
    }
  }

  private TrialReport run(TrialGround ground)
      throws IOException, InterruptedException, GeneralSecurityException {
    Vertx vertx = Vertx.vertx();
    List<ExposedBerth> berths = new ArrayList<>();
    Thread atExit = Thread.ofPlatform().unstarted(() -> berths.forEach(ExposedBerth::close));
    Runtime.getRuntime().addShutdownHook(atExit);
    try (HistoryRecorder recorder =
        new HistoryRecorder(
            admin,
            ground.namespace()::equals,
            ground::isOurs,
            new ObservedStates(TrialGround.MARK, Set.of()),
            clock)) {
      startBerths(vertx, ground, berths);
      List<FaultSpan> faults = disturb(ground, berths, recorder);
      History history = recorder.history(faults).withQueues(ground.queues());
      Path file = options.folder().resolve("history.jsonl");
      HistoryFile.write(history, file);
      return new TrialReport(
          HistorySummary.of(history),
          berths.stream().map(ExposedBerth::text).toList(),
          HistoryCheck.of(SCHEDULERS, options.pendingLimit()).violations(history),
          file);
    } finally {
      berths.forEach(ExposedBerth::close);
      Runtime.getRuntime().removeShutdownHook(atExit);
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  /** Starts the instances and waits until both scheduler names have a leader. */
  private void startBerths(Vertx vertx, TrialGround ground, List<ExposedBerth> berths)
      throws IOException, InterruptedException, GeneralSecurityException {
    String token = BerthInstallation.serviceAccountToken(admin);
    for (ExposedBerth.Settings settings :
        List.of(
            settings("one", "berth", Installation.NAMESPACE, 1),
            settings("two", "berth", Installation.NAMESPACE, 2),
            settings("three", "berth-second", ground.secondNamespace(), 3))) {
      berths.add(ExposedBerth.start(vertx, admin.getConfiguration(), token, settings));
    }
    for (String namespace : List.of(Installation.NAMESPACE, ground.secondNamespace())) {
      Patience.until(
          START_PATIENCE,
          () -> isLed(namespace),
          "no Berth instance acquired the Lease in "
              + namespace
              + "; see the logs in "
              + options.folder());
    }
    out.accept("Three Berth instances are running; their logs are in " + options.folder());
  }

  private ExposedBerth.Settings settings(
      String name, String schedulerName, String namespace, int salt) {
    return new ExposedBerth.Settings(
        name,
        schedulerName,
        namespace,
        options.folder(),
        options.seed() + salt,
        List.of("--no-webhook"));
  }

  private boolean isLed(String namespace) {
    var lease = admin.leases().inNamespace(namespace).withName(Installation.LEASE).get();
    return lease != null
        && lease.getSpec().getHolderIdentity() != null
        && !lease.getSpec().getHolderIdentity().isEmpty();
  }

  private List<FaultSpan> disturb(
      TrialGround ground, List<ExposedBerth> berths, HistoryRecorder recorder)
      throws InterruptedException {
    List<Node> nodes = admin.nodes().withLabel(TrialGround.MARK, ground.id()).list().getItems();
    Workload workload =
        new Workload(
            admin,
            ground,
            List.of("berth", "berth", "berth", "berth-second", "berth-second", RivalScheduler.NAME),
            options.seed());
    NemesisPlan plan = NemesisPlan.of(options.seed(), options.disturbed(), berths.size());
    try (Repeated _ =
            new Repeated("heartbeats", HEARTBEAT, new Heartbeats(admin, () -> nodes)::beat);
        Repeated _ = new Repeated("bystanders", LOOK, bystanders(ground, nodes))) {
      List<FaultSpan> faults;
      try (Repeated _ = new Repeated("workload", options.podEvery(), workload::step)) {
        faults = new Nemesis(plan, berths, clock).run(out);
      }
      out.accept("All faults are over; waiting until every pod that fits is bound");
      boolean placed =
          Patience.within(
              options.pendingLimit().plus(OVERTIME),
              LOOK,
              () ->
                  recorder
                      .history(faults)
                      .withQueues(ground.queues())
                      .waiting(SCHEDULERS)
                      .isEmpty());
      out.accept(
          placed
              ? "Every pod that fits is bound"
              : "Some pods are still pending; the rules decide whether that is a violation");
      return faults;
    }
  }

  private Runnable bystanders(TrialGround ground, List<Node> nodes) {
    PodLives lives = new PodLives(admin, clock, options.ownKubelets());
    RivalScheduler rival = new RivalScheduler(admin, nodes, options.seed());
    return () -> {
      List<Pod> pods = admin.pods().inNamespace(ground.namespace()).list().getItems();
      lives.step(pods);
      rival.step(pods);
    };
  }
}
