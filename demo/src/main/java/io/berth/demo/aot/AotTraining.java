package io.berth.demo.aot;

import io.berth.crds.Installation;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.BerthProcess;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.LocalCluster;
import io.berth.demo.cluster.NamespacePolicy;
import io.berth.demo.cluster.Patience;
import io.berth.demo.load.BindingWatch;
import io.berth.demo.load.ClusterLoad;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/**
 * A training run of Berth that the JVM records: it watches an embedded cluster, becomes leader,
 * renders and places pods, and exits. From the recording, the JVM creates its ahead-of-time cache,
 * which contains loaded and linked classes and the profiles of hot methods.
 */
public final class AotTraining {
  private static final Duration START_PATIENCE = Duration.ofMinutes(2);
  private static final Duration BINDING_PATIENCE = Duration.ofMinutes(4);
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final int ROUNDS = 3;
  private static final String NAME = "training";

  private final Path java;
  private final List<String> program;
  private final Path cache;
  private final Path folder;

  /**
   * @param java the {@code java} command of the JVM that will use the cache
   * @param program the JVM options that start Berth, such as {@code -jar berth.jar}
   * @param cache the cache file to create
   * @param folder folder for the log of the run
   */
  public AotTraining(Path java, List<String> program, Path cache, Path folder) {
    this.java = java;
    this.program = program;
    this.cache = cache;
    this.folder = folder;
  }

  /**
   * Runs the training.
   *
   * @param nodes number of nodes
   * @param pods number of pods in each of four rounds; in the last one, each pod claims a device
   * @throws IOException if not all pods were bound, or if the JVM did not create the cache
   */
  public void run(int nodes, int pods) throws IOException, InterruptedException {
    int devicesPerNode = Math.ceilDiv(pods, nodes);
    Files.createDirectories(folder);
    Files.deleteIfExists(cache);
    Path log = folder.resolve("training.log");
    Files.deleteIfExists(log);
    try (LocalCluster cluster = LocalCluster.start(0, 0, KubeletOptions.immediate())) {
      KubernetesClient admin = cluster.admin();
      BerthInstallation.install(admin, Checkout.find());
      Path kubeconfig = BerthInstallation.writeKubeconfig(admin, folder);
      BerthProcess berth =
          new BerthProcess(
              new BerthProcess.Settings(
                  "training",
                  kubeconfig,
                  Installation.NAMESPACE,
                  "berth",
                  List.of(
                      "--shutdown-grace=PT0S", "--webhook-url=https://127.0.0.1:{--webhook-port}"),
                  java,
                  List.of("-XX:AOTCacheOutput=" + cache),
                  program,
                  log));
      try (berth) {
        berth.start();
        Patience.until(
            START_PATIENCE, LOOK, berth::isReady, "Berth did not become ready: see " + log);
        for (int round = 0; round < ROUNDS; round++) {
          place(new ClusterLoad(admin, NAME + "-" + round), admin, nodes, pods);
        }
        place(new ClusterLoad(admin, NAME + "-claims", devicesPerNode), admin, nodes, pods);
      }
    }
    if (!Files.isRegularFile(cache)) {
      throw new IOException("the JVM did not create the cache " + cache + ": see " + log);
    }
  }

  private static void place(ClusterLoad load, KubernetesClient admin, int nodes, int pods)
      throws IOException, InterruptedException {
    String name = load.namespace();
    load.createNamespace();
    try {
      NamespacePolicy policy = new NamespacePolicy(admin, name);
      policy.objects("Allow").forEach(object -> admin.resource(object).create());
      Patience.until(
          START_PATIENCE, LOOK, policy::isReported, "the binding of " + name + " has no status");
      try (BindingWatch watch = new BindingWatch(admin, name, InstantSource.system())) {
        load.createNodes(nodes);
        load.createClaims("pod", pods);
        load.createPods("pod", pods, "berth");
        int bound = watch.await(pods, BINDING_PATIENCE).size();
        if (bound < pods) {
          throw new IOException("%d of %d pods of %s were bound".formatted(bound, pods, name));
        }
      }
    } finally {
      load.remove();
    }
  }
}
