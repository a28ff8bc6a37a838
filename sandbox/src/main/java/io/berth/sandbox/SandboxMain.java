package io.berth.sandbox;

import io.berth.sandbox.http.PortInUseException;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.berth.sandbox.release.KubernetesVersion;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/**
 * Runs a sandbox with simulated nodes until it is interrupted: {@code SandboxMain [--host HOST]
 * [--port PORT] [--nodes COUNT] [--kubeconfig FILE] [--kubernetes VERSION]}. {@code COUNT} is the
 * number of nodes in each of the pools A, B, and public.
 */
public final class SandboxMain {
  private static final String USAGE =
      "usage: SandboxMain [--host HOST] [--port PORT] [--nodes COUNT] [--kubeconfig FILE]"
          + " [--kubernetes VERSION]";

  private static final int DEFAULT_NODES = 3;
  private static final List<String> POOLS = List.of("A", "B", "public");
  private static final Map<String, String> NODE =
      Map.of("cpu", "8", "memory", "32Gi", "ephemeral-storage", "100Gi", "pods", "110");

  private SandboxMain() {}

  /** Exits with status 2 if the arguments are invalid and 1 if the sandbox cannot start. */
  public static void main(String[] arguments) throws InterruptedException {
    int code = run(arguments, System.out, System.err, new CountDownLatch(1));
    if (code != 0) {
      System.exit(code);
    }
  }

  /** Runs until the latch is released, and returns the exit code. */
  static int run(String[] arguments, PrintStream out, PrintStream err, CountDownLatch stop)
      throws InterruptedException {
    SandboxOptions options = SandboxOptions.defaults();
    Path kubeconfig = Path.of("kubeconfig");
    int nodes = DEFAULT_NODES;
    for (int i = 0; i < arguments.length; i += 2) {
      if (i + 1 == arguments.length) {
        err.println(arguments[i] + " needs a value; " + USAGE);
        return 2;
      }
      String value = arguments[i + 1];
      switch (arguments[i]) {
        case "--host" -> options = options.withHost(value);
        case "--kubeconfig" -> kubeconfig = Path.of(value);
        case "--nodes" -> {
          if (!value.matches("\\d{1,4}")) {
            err.println("--nodes needs a number from 0 to 9999, not " + value + "; " + USAGE);
            return 2;
          }
          nodes = Integer.parseInt(value);
        }
        case "--port" -> {
          if (!value.matches("\\d{1,5}")) {
            err.println("--port needs a number from 0 to 65535, not " + value + "; " + USAGE);
            return 2;
          }
          options = options.withPort(Integer.parseInt(value));
        }
        case "--kubernetes" -> {
          Optional<KubernetesVersion> version = KubernetesVersion.parse(value);
          if (version.isEmpty()) {
            err.println(
                "--kubernetes needs a version from 1.30 to 1.37, not " + value + "; " + USAGE);
            return 2;
          }
          options = options.withVersion(version.get());
        }
        default -> {
          err.println("unknown argument " + arguments[i] + "; " + USAGE);
          return 2;
        }
      }
    }
    try (Sandbox sandbox = Sandbox.start(options);
        SimulatedCluster cluster =
            SimulatedCluster.start(sandbox.api(), KubeletOptions.lifelike(), options.clock())) {
      for (String pool : POOLS) {
        cluster.addPool(pool, nodes, NODE);
      }
      sandbox.writeKubeconfig(kubeconfig);
      out.println("The sandbox is listening on " + sandbox.url() + ".");
      out.println("export KUBECONFIG=" + kubeconfig.toAbsolutePath());
      stop.await();
      return 0;
    } catch (IOException e) {
      err.println("the kubeconfig cannot be written to " + kubeconfig + ": " + e.getMessage());
      return 1;
    } catch (PortInUseException e) {
      err.println(e.getMessage());
      return 1;
    }
  }
}
