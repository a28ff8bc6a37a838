package io.berth.demo.failover;

import io.berth.crds.Installation;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.BerthProcess;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Guest;
import io.berth.demo.cluster.Patience;
import io.berth.demo.load.BindingWatch;
import io.berth.demo.load.ClusterLoad;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A measurement of leader failover with two replicas in separate processes: the leader gets a
 * signal, pods are created immediately, and the other replica takes over.
 */
public final class Failover {
  private static final Duration START_PATIENCE = Duration.ofMinutes(4);
  private static final Duration BINDING_PATIENCE = Duration.ofMinutes(4);
  private static final Duration LOOK = Duration.ofMillis(20);
  private static final String SCHEDULER = "berth";

  private final KubernetesClient admin;
  private final Path folder;
  private final Replicas settings;
  private final InstantSource clock = InstantSource.system();

  /**
   * The settings of both replicas.
   *
   * @param jar berth.jar; empty to run the classes of the current process
   * @param jvmOptions options for the JVMs
   * @param options additional options for {@code berth run}
   */
  public record Replicas(Optional<Path> jar, List<String> jvmOptions, List<String> options) {}

  /**
   * @param admin administrator client
   * @param folder folder for the logs of the replicas
   */
  public Failover(KubernetesClient admin, Path folder, Replicas settings) {
    this.admin = admin;
    this.folder = folder;
    this.settings = settings;
  }

  /** The way in which the leader is stopped. */
  public enum Change {
    KILLED("kill -9"),
    RESTARTED("planned restart");

    private final String words;

    Change(String words) {
      this.words = words;
    }
  }

  /**
   * Measures both changes of leader, one after the other, and then removes everything from the
   * cluster.
   *
   * @param settle time that the replicas run before each signal
   * @param out receives each result
   */
  public void run(int nodes, int pods, Duration settle, Consumer<FailoverReport> out)
      throws IOException, InterruptedException {
    Files.createDirectories(folder);
    Checkout checkout = Checkout.find();
    Guest guest = new Guest(admin, checkout);
    guest.refuseInstalled("the measurement");
    List<BerthProcess> replicas = new ArrayList<>();
    Thread atExit = Thread.ofPlatform().unstarted(() -> end(replicas));
    Runtime.getRuntime().addShutdownHook(atExit);
    try {
      BerthInstallation.install(admin, checkout);
      for (String name : List.of("one", "two")) {
        replicas.add(start(name));
      }
      for (Change change : Change.values()) {
        out.accept(measure(change, replicas, nodes, pods, settle));
      }
    } finally {
      end(replicas);
      Runtime.getRuntime().removeShutdownHook(atExit);
      guest.remove();
    }
  }

  private BerthProcess start(String name) throws IOException {
    Path kubeconfig = BerthInstallation.writeKubeconfig(admin, folder);
    BerthProcess replica =
        new BerthProcess(
            new BerthProcess.Settings(
                name,
                kubeconfig,
                Installation.NAMESPACE,
                SCHEDULER,
                Stream.concat(Stream.of("--no-webhook"), settings.options().stream()).toList(),
                settings.jvmOptions(),
                BerthProcess.program(settings.jar()),
                folder.resolve(name + ".log")));
    replica.start();
    return replica;
  }

  private FailoverReport measure(
      Change change, List<BerthProcess> replicas, int nodes, int pods, Duration settle)
      throws IOException, InterruptedException {
    ClusterLoad load = new ClusterLoad(admin, "failover-" + Long.toString(clock.millis(), 36));
    load.createNamespace();
    try {
      load.createNodes(nodes);
      for (BerthProcess replica : replicas) {
        Patience.until(
            START_PATIENCE,
            LOOK,
            replica::isReady,
            replica.name() + " is not ready: see " + folder);
      }
      Patience.until(
          START_PATIENCE,
          LOOK,
          () -> !holder().isEmpty(),
          "no replica became leader: see " + folder);
      Thread.sleep(settle);
      String before = holder();
      BerthProcess leader =
          replicas.stream().filter(one -> one.name().equals(before)).findFirst().orElseThrow();
      try (BindingWatch watch = new BindingWatch(admin, load.namespace(), clock)) {
        Instant signalled = clock.instant();
        Thread ending = send(change, leader);
        Thread creating = Thread.ofVirtual().start(() -> load.createPods("pod", pods, SCHEDULER));
        Patience.until(
            BINDING_PATIENCE,
            LOOK,
            () -> !holder().isEmpty() && !holder().equals(before),
            "no other replica acquired the Lease: see " + folder);
        Instant taken = clock.instant();
        List<Instant> bound = watch.await(pods, BINDING_PATIENCE);
        creating.join();
        ending.join();
        if (bound.size() < pods) {
          throw new IOException("%d of %d pods were bound".formatted(bound.size(), pods));
        }
        Instant first =
            bound.stream().filter(at -> at.isAfter(taken)).findFirst().orElse(bound.getLast());
        if (change == Change.KILLED) {
          leader.revive();
        }
        return new FailoverReport(
            change.words,
            pods,
            Duration.between(signalled, taken),
            Duration.between(signalled, first),
            Duration.between(signalled, bound.getLast()));
      }
    } finally {
      load.remove();
    }
  }

  /** Sends the signal and returns a thread that waits until the process has ended. */
  private static Thread send(Change change, BerthProcess leader) {
    if (change == Change.KILLED) {
      leader.kill();
      return Thread.ofVirtual().start(() -> {});
    }
    return Thread.ofVirtual()
        .start(
            () -> {
              try {
                leader.restart();
              } catch (IOException e) {
                throw new IllegalStateException("the leader could not be restarted", e);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  private String holder() {
    Lease lease =
        admin.leases().inNamespace(Installation.NAMESPACE).withName(Installation.LEASE).get();
    String holder = lease == null ? null : lease.getSpec().getHolderIdentity();
    return holder == null ? "" : holder;
  }

  private static void end(List<BerthProcess> replicas) {
    replicas.forEach(BerthProcess::kill);
    replicas.forEach(BerthProcess::close);
  }
}
