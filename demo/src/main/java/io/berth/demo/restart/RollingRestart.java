package io.berth.demo.restart;

import io.berth.crds.Installation;
import io.berth.demo.cluster.Balancer;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.BerthProcess;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Guest;
import io.berth.demo.cluster.NamespacePolicy;
import io.berth.demo.cluster.Patience;
import io.berth.demo.story.PoolNodes;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A rolling restart of two replicas behind one address, under a stream of pods that match a binding
 * with {@code podOverrides: Deny}. The replicas are processes with the permissions of Berth's
 * ServiceAccount.
 */
public final class RollingRestart {
  private static final Duration START_PATIENCE = Duration.ofMinutes(4);
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final int NODES = 2;
  private static final Map<String, Quantity> SIZE =
      Map.of(
          "cpu", new Quantity("64"), "memory", new Quantity("256Gi"), "pods", new Quantity("20k"));

  private final KubernetesClient admin;
  private final RestartOptions options;
  private final Consumer<String> out;
  private final String id = Long.toString(System.nanoTime(), 36);
  private final String namespace = "restart-" + id;

  /**
   * @param admin administrator client
   * @param out receives progress lines
   */
  public RollingRestart(KubernetesClient admin, RestartOptions options, Consumer<String> out) {
    this.admin = admin;
    this.options = options;
    this.out = out;
  }

  /** Runs the restarts and then removes everything from the cluster. */
  public RestartReport run() throws IOException, InterruptedException {
    Files.createDirectories(options.folder());
    Checkout checkout = Checkout.find();
    Guest guest = new Guest(admin, checkout);
    guest.refuseInstalled("the restart");
    List<BerthProcess> replicas = new ArrayList<>();
    Thread atExit = Thread.ofPlatform().unstarted(() -> end(replicas));
    Runtime.getRuntime().addShutdownHook(atExit);
    try (Balancer balancer = new Balancer(options.probeEvery())) {
      BerthInstallation.install(admin, checkout);
      guest.createNamespace(namespace);
      for (int i = 0; i < NODES; i++) {
        guest.add(PoolNodes.add(admin, namespace + "-" + i, "A", SIZE));
      }
      startReplicas(balancer, replicas);
      bind(guest);
      return restart(balancer, replicas);
    } finally {
      end(replicas);
      Runtime.getRuntime().removeShutdownHook(atExit);
      guest.remove();
    }
  }

  private static void end(List<BerthProcess> replicas) {
    replicas.forEach(BerthProcess::kill);
    replicas.forEach(BerthProcess::close);
  }

  private void startReplicas(Balancer balancer, List<BerthProcess> replicas)
      throws IOException, InterruptedException {
    Path kubeconfig = BerthInstallation.writeKubeconfig(admin, options.folder());
    List<String> berthOptions =
        List.of(
            "--webhook-url=https://127.0.0.1:" + balancer.port(),
            "--shutdown-grace=" + options.grace(),
            "--open-http");
    for (String name : List.of("one", "two")) {
      BerthProcess replica =
          new BerthProcess(
              new BerthProcess.Settings(
                  name,
                  kubeconfig,
                  Installation.NAMESPACE,
                  "berth",
                  berthOptions,
                  options.jvmOptions(),
                  options.folder().resolve(name + ".log")));
      replicas.add(replica);
      replica.start();
      balancer.add(replica);
    }
    for (BerthProcess replica : replicas) {
      awaitEndpoint(balancer, replica);
    }
    Patience.until(
        START_PATIENCE,
        LOOK,
        () -> isRegistered(balancer),
        "the webhook was not registered; see the logs in " + options.folder());
    out.accept("Two replicas are running; their logs are in " + options.folder());
  }

  private void awaitEndpoint(Balancer balancer, BerthProcess replica) throws InterruptedException {
    Patience.until(
        START_PATIENCE,
        LOOK,
        () -> balancer.sendsTo(replica),
        replica.name() + " did not become ready; see its log in " + options.folder());
  }

  private boolean isRegistered(Balancer balancer) {
    return configuration().getWebhooks().stream()
        .allMatch(
            hook ->
                String.valueOf(hook.getClientConfig().getUrl())
                    .startsWith("https://127.0.0.1:" + balancer.port() + "/"));
  }

  private MutatingWebhookConfiguration configuration() {
    return admin
        .resources(MutatingWebhookConfiguration.class)
        .withName(Installation.WEBHOOK_CONFIGURATION)
        .require();
  }

  /**
   * Assigns a policy to all pods of the namespace, without overrides by pods, and waits until it
   * takes effect.
   */
  private void bind(Guest guest) throws InterruptedException {
    NamespacePolicy policy = new NamespacePolicy(admin, namespace);
    for (HasMetadata object : policy.objects("Deny")) {
      guest.create(object);
    }
    Patience.until(
        START_PATIENCE,
        LOOK,
        () ->
            policy.isReported()
                && PodStream.isRendered(
                    PodStream.create(admin, namespace, "first-" + System.nanoTime())),
        "no pod was rendered; see the logs in " + options.folder());
  }

  private RestartReport restart(Balancer balancer, List<BerthProcess> replicas)
      throws IOException, InterruptedException {
    int restarts = 0;
    PodStream stream = new PodStream(admin, namespace, options.podsPerSecond());
    HeapWatch heap = new HeapWatch(replicas);
    List<SlowUploadProcess> slow = new ArrayList<>();
    SlowUploadProcess.Sent uploads = SlowUploadProcess.Sent.NOTHING;
    try (stream;
        heap) {
      if (options.slowUploads() > 0) {
        Thread.sleep(options.beforeSlowUploads());
        slow.add(
            new SlowUploadProcess(
                options.slowUploads(),
                replicas.getFirst().port("--webhook-port"),
                authorities(),
                options.folder()));
      }
      for (int round = 0; round < options.rounds(); round++) {
        for (BerthProcess replica : replicas) {
          int before = stream.created();
          replica.restart();
          Patience.until(
              START_PATIENCE,
              LOOK,
              () -> !balancer.sendsTo(replica),
              replica.name() + " restarted without a failed readiness probe");
          awaitEndpoint(balancer, replica);
          restarts++;
          out.accept(
              "Restarted %s: %d pods during the restart, %d unrendered so far"
                  .formatted(
                      replica.name(), stream.created() - before, stream.unrendered().size()));
        }
      }
      Duration left = options.atLeast().minus(stream.length());
      if (left.isPositive()) {
        Thread.sleep(left);
      }
      for (SlowUploadProcess each : slow) {
        uploads = uploads.plus(each.stop());
      }
    } finally {
      slow.forEach(SlowUploadProcess::close);
    }
    return RestartReport.of(
        stream,
        restarts,
        replicas.stream().mapToInt(BerthProcess::starts).sum(),
        heap.mostBytes(),
        uploads);
  }

  private String authorities() {
    return new String(
        Base64.getMimeDecoder()
            .decode(configuration().getWebhooks().getFirst().getClientConfig().getCaBundle()),
        StandardCharsets.US_ASCII);
  }
}
