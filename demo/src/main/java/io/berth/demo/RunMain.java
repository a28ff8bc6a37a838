package io.berth.demo;

import io.berth.demo.autoscaler.AutoscalerThread;
import io.berth.demo.autoscaler.Rules;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.GpuDriver;
import io.berth.demo.cluster.LocalCluster;
import io.berth.operator.BerthOptions;
import io.berth.operator.Feature;
import io.berth.operator.command.LogFormat;
import io.berth.operator.command.LogSetup;
import io.berth.sandbox.http.PortInUseException;
import io.berth.sandbox.kubelet.KubeletOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code make run}: runs an embedded cluster with Berth until Ctrl-C. */
@Command(
    name = "make run",
    description = "Runs an embedded Kubernetes cluster with Berth until Ctrl-C.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class RunMain implements Callable<Integer> {
  private static final int LARGEST_PORT = 65_535;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "9",
      description = "Number of nodes, distributed over the pools A, B, and public.")
  private int nodes;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "Port of the API server; 0 selects a free port.")
  private int port;

  @Option(
      names = "--http-port",
      paramLabel = "PORT",
      defaultValue = "0",
      description =
          "Port of Berth's health, metrics, and explain endpoints; 0 selects a free port.")
  private int httpPort;

  @Option(
      names = "--autoscaler",
      paramLabel = "KIND",
      description =
          "Buys nodes for pods without room, by the rules of the Cluster Autoscaler (cluster) or of"
              + " Karpenter (karpenter).")
  private @Nullable String autoscaler;

  @Option(
      names = "--gpus",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Number of simulated GPU cards of each node, which are allocated by resource claims.")
  private int gpus;

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      defaultValue = "build/kubeconfig",
      description = "File to which the kubeconfig of the cluster is written.")
  private Path kubeconfig = Path.of("build/kubeconfig");

  /** Exits with 2 if the arguments are invalid and 1 if the cluster cannot start. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new RunMain()).execute(arguments));
  }

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    if (nodes < 0 || port < 0 || port > LARGEST_PORT) {
      err.printf(
          "--nodes %d --port %d: nodes must not be negative, and the port must be from 0 to %d%n",
          nodes, port, LARGEST_PORT);
      return 2;
    }
    if (gpus < 0 || gpus > GpuDriver.MOST_CARDS) {
      err.printf(
          "--gpus %d: the number of cards of a node must be from 0 to %d%n",
          gpus, GpuDriver.MOST_CARDS);
      return 2;
    }
    Optional<Rules> rules;
    try {
      rules = Optional.ofNullable(autoscaler).map(Rules::named);
    } catch (IllegalArgumentException e) {
      err.printf("--autoscaler %s: the kinds are cluster and karpenter%n", autoscaler);
      return 2;
    }
    LogSetup.use(LogFormat.TEXT);
    AtomicBoolean started = new AtomicBoolean();
    CountDownLatch stopRequested = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform().unstarted(() -> stop(started, stopRequested, stopped)));
    try (KubeconfigOwner _ = KubeconfigOwner.take(kubeconfig);
        LocalCluster cluster = LocalCluster.start(port, nodes, KubeletOptions.lifelike());
        BerthInstallation berth =
            BerthInstallation.start(
                cluster.admin(),
                Checkout.find(),
                BerthOptions.local("make-run")
                    .withHttp(httpPort, true)
                    .withFeatures(Feature.QUERY_API));
        GpuDriver _ = gpus == 0 ? null : GpuDriver.start(cluster.admin(), gpus);
        AutoscalerThread _ = AutoscalerThread.start(cluster.admin(), rules)) {
      berth.leadQueriesHere(cluster.admin());
      cluster.sandbox().writeKubeconfig(kubeconfig);
      out.println(whatNext(cluster));
      out.flush();
      started.set(true);
      stopRequested.await();
      return 0;
    } catch (PortInUseException e) {
      err.println(e.getMessage() + ": make run PORT=0");
      return 1;
    } catch (KubeconfigOwner.OwnedException e) {
      err.println(e.getMessage());
      return 1;
    } catch (IOException e) {
      err.println("the cluster cannot start: " + e.getMessage());
      return 1;
    } finally {
      stopped.countDown();
    }
  }

  private String whatNext(LocalCluster cluster) {
    return """

    A Kubernetes cluster with Berth is running at %s, with %d nodes in the pools A, B, and public.

    In another terminal, run:

      export KUBECONFIG=%s
      kubectl get nodes -L cloud.ctrip.com/pool
      kubectl apply -f samples/resource-pool
      kubectl get sched
      kubectl get pods -o wide
      plugin/kubectl-berth why POD

    Press Ctrl-C to stop the cluster. All of its data will be lost.\
    """
        .formatted(cluster.sandbox().url(), nodes, kubeconfig.toAbsolutePath());
  }

  /**
   * The shutdown hook. The JVM exits when its hooks have finished, so this lets the main thread
   * close everything first. A cluster that is still starting exists only in this process, so there
   * is nothing to wait for.
   */
  private static void stop(
      AtomicBoolean started, CountDownLatch stopRequested, CountDownLatch stopped) {
    if (!started.get()) {
      return;
    }
    stopRequested.countDown();
    try {
      stopped.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
