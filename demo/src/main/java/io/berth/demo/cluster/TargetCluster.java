package io.berth.demo.cluster;

import io.berth.sandbox.kubelet.KubeletOptions;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;

/** The cluster to measure: the one in KUBECONFIG, or else an embedded one. */
public final class TargetCluster implements AutoCloseable {
  private final KubernetesClient admin;
  private final Runnable end;

  private TargetCluster(KubernetesClient admin, Runnable end) {
    this.admin = admin;
    this.end = end;
  }

  /**
   * Connects to the cluster, or starts it.
   *
   * @param out receives a line that names the cluster
   */
  public static TargetCluster open(PrintWriter out) {
    Optional<String> kubeconfig =
        Optional.ofNullable(System.getenv("KUBECONFIG")).filter(file -> !file.isBlank());
    if (kubeconfig.isEmpty()) {
      out.println("Using an embedded API server; set KUBECONFIG to use another");
      LocalCluster cluster = LocalCluster.start(0, 0, KubeletOptions.immediate());
      return new TargetCluster(cluster.admin(), cluster::close);
    }
    Config config = Config.fromKubeconfig(Path.of(kubeconfig.get()).toFile());
    KubernetesClient admin = new KubernetesClientBuilder().withConfig(config).build();
    out.println("Using the cluster in KUBECONFIG, at " + admin.getMasterUrl());
    return new TargetCluster(admin, admin::close);
  }

  /** Returns the administrator client. */
  public KubernetesClient admin() {
    return admin;
  }

  @Override
  public void close() {
    end.run();
  }
}
