package io.berth.sandbox;

import io.berth.sandbox.kubelet.KubeletOptions;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Clock;

/** An API server with controllers and simulated nodes for one test, and a client of it. */
final class RunningCluster implements AutoCloseable {
  final Sandbox sandbox = Sandbox.start(SandboxOptions.defaults());
  final SimulatedCluster nodes =
      SimulatedCluster.start(sandbox.api(), KubeletOptions.immediate(), Clock.systemUTC());
  final KubernetesClient client =
      new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(sandbox.kubeconfig())).build();

  @Override
  public void close() {
    client.close();
    nodes.close();
    sandbox.close();
  }
}
