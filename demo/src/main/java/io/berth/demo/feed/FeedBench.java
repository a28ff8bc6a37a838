package io.berth.demo.feed;

import io.berth.crds.Installation;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.BerthProcess;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.LocalCluster;
import io.berth.demo.cluster.Patience;
import io.berth.demo.load.FullCluster;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A measurement of one replica in a separate process that starts on a full cluster. */
public final class FeedBench {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final Duration SETTLE = Duration.ofSeconds(10);
  private static final String WAITING = "waiting";
  private static final double MIB = 1 << 20;

  private final Path folder;
  private final List<String> jvmOptions;

  /**
   * @param folder folder for the log of the process
   * @param jvmOptions options for its JVM
   */
  public FeedBench(Path folder, List<String> jvmOptions) {
    this.folder = folder;
    this.jvmOptions = jvmOptions;
  }

  /** Creates the cluster, starts the replica, and measures it. */
  public FeedReport run(int nodes, int pods) throws IOException, InterruptedException {
    Files.createDirectories(folder);
    Sandbox sandbox = Sandbox.start(SandboxOptions.defaults());
    try (sandbox;
        KubernetesClient admin = LocalCluster.admin(sandbox)) {
      BerthInstallation.install(admin, Checkout.find());
      new FullCluster(sandbox.api()).create(nodes, pods);
      admin.resource(waiting()).create();
      Path kubeconfig = BerthInstallation.writeKubeconfig(admin, folder);
      BerthProcess replica =
          new BerthProcess(
              new BerthProcess.Settings(
                  "one",
                  kubeconfig,
                  Installation.NAMESPACE,
                  "berth",
                  List.of("--no-webhook", "--open-http"),
                  jvmOptions,
                  folder.resolve("one.log")));
      try (replica) {
        return measure(admin, replica, nodes, pods);
      }
    }
  }

  private FeedReport measure(KubernetesClient admin, BerthProcess replica, int nodes, int pods)
      throws IOException, InterruptedException {
    long began = System.nanoTime();
    replica.start();
    String otherwise = "see the log in " + folder;
    Patience.until(PATIENCE, LOOK, replica::isReady, "the replica is not ready: " + otherwise);
    double ready = secondsSince(began);
    Patience.until(
        PATIENCE,
        LOOK,
        () -> replica.gauge("berth_leading") > 0,
        "the replica did not become leader: " + otherwise);
    double leading = secondsSince(began);
    Patience.until(PATIENCE, LOOK, () -> isBound(admin), "no pod is bound: " + otherwise);
    double bound = secondsSince(began);
    Thread.sleep(SETTLE);
    replica.collectGarbage();
    return new FeedReport(
        nodes,
        pods,
        ready,
        leading,
        bound,
        replica.gauge("jvm_memory_used_bytes{area=\"heap\"") / MIB,
        replica.residentBytes() / MIB);
  }

  private static double secondsSince(long nanoTime) {
    return (System.nanoTime() - nanoTime) / 1e9;
  }

  private static boolean isBound(KubernetesClient admin) {
    Pod pod = admin.pods().inNamespace(FullCluster.NAMESPACE).withName(WAITING).require();
    return pod.getSpec().getNodeName() != null;
  }

  private static Pod waiting() {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(FullCluster.NAMESPACE)
        .withName(WAITING)
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .addNewContainer()
        .withName("main")
        .withImage("pause:3.10")
        .endContainer()
        .endSpec()
        .build();
  }
}
