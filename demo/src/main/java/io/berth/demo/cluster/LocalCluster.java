package io.berth.demo.cluster;

import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.berth.sandbox.SimulatedCluster;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Clock;
import java.util.Map;

/** An embedded cluster with an API server, controllers, and simulated nodes in three pools. */
public final class LocalCluster implements AutoCloseable {

  /**
   * The pools. The first ones get an additional node if the number of nodes is not divisible by
   * three.
   */
  private static final String[] POOLS = {"A", "B", "public"};

  private static final Map<String, String> NODE =
      Map.of("cpu", "4", "memory", "16Gi", "pods", "110", "ephemeral-storage", "100Gi");

  /**
   * API server and client share the CPUs, so a slow response on a busy machine is not a failure.
   */
  private static final int REQUEST_TIMEOUT_MILLIS = 60_000;

  private final Sandbox sandbox;
  private final SimulatedCluster cluster;
  private final KubernetesClient admin;

  private LocalCluster(Sandbox sandbox, SimulatedCluster cluster, KubernetesClient admin) {
    this.sandbox = sandbox;
    this.cluster = cluster;
    this.admin = admin;
  }

  /**
   * Starts a cluster.
   *
   * @param port port of the API server; 0 selects a free port
   * @param nodes number of nodes, distributed over the pools A, B, and public
   * @throws io.berth.sandbox.http.PortInUseException if another process listens on the port
   */
  public static LocalCluster start(int port, int nodes, KubeletOptions kubelets) {
    return start(SandboxOptions.defaults().withPort(port), nodes, kubelets);
  }

  /** Starts a cluster with these options for its API server. */
  public static LocalCluster start(SandboxOptions options, int nodes, KubeletOptions kubelets) {
    Sandbox sandbox = Sandbox.start(options);
    SimulatedCluster cluster = SimulatedCluster.start(sandbox.api(), kubelets, Clock.systemUTC());
    for (int i = 0; i < POOLS.length; i++) {
      int share = nodes / POOLS.length + (i < nodes % POOLS.length ? 1 : 0);
      cluster.addPool(POOLS[i], share, NODE);
    }
    return new LocalCluster(sandbox, cluster, admin(sandbox));
  }

  /** Returns an administrator client for an embedded API server. */
  public static KubernetesClient admin(Sandbox sandbox) {
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder(Config.fromKubeconfig(sandbox.kubeconfig()))
                .withRequestTimeout(REQUEST_TIMEOUT_MILLIS)
                .build())
        .build();
  }

  /** The API server. */
  public Sandbox sandbox() {
    return sandbox;
  }

  /** Returns the administrator client. */
  public KubernetesClient admin() {
    return admin;
  }

  @Override
  public void close() {
    admin.close();
    cluster.close();
    sandbox.close();
  }
}
