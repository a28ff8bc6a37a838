package io.berth.sandbox;

import io.berth.sandbox.controller.Controllers;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.berth.sandbox.kubelet.Kubelets;
import io.berth.sandbox.kubelet.SimulatedNode;
import io.berth.sandbox.loop.ObjectWriter;
import io.berth.sandbox.metrics.ResourceMetrics;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.ClusterApi;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Everything of a cluster beside its API server: controllers, kubelets, nodes and their metrics.
 */
public final class SimulatedCluster implements AutoCloseable {
  private static final List<String> ZONES = List.of("zone-1", "zone-2", "zone-3");

  private final ClusterApi api;
  private final Controllers controllers;
  private final Kubelets kubelets;

  private SimulatedCluster(ClusterApi api, KubeletOptions options, Clock clock) {
    this.api = api;
    ResourceMetrics.register(api.store(), api.registry(), clock);
    this.controllers = Controllers.start(api, clock, options.patience());
    this.kubelets = Kubelets.start(api, options, clock);
  }

  /** Brings an API server's cluster to life. Nodes that clients create run pods, too. */
  public static SimulatedCluster start(ClusterApi api, KubeletOptions options, Clock clock) {
    return new SimulatedCluster(api, options, clock);
  }

  /**
   * Adds a pool of equal nodes, named {@code node-<pool>-0} and so on in lower case, spread over
   * three zones.
   *
   * @param resources capacity of each: cpu, memory, pods and what else there is
   */
  public void addPool(String pool, int count, Map<String, String> resources) {
    ResourceType nodes = api.registry().builtIn("", "nodes");
    ObjectWriter writer = new ObjectWriter(api, "kubelet");
    List<String> created = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String name = "node-" + pool.toLowerCase(Locale.ROOT) + "-" + i;
      String zone = ZONES.get(i % ZONES.size());
      created.add(
          writer
              .create(
                  nodes,
                  "",
                  SimulatedNode.of(new SimulatedNode.Shape(name, pool, zone, resources, Map.of())))
              .key()
              .name());
    }
    System.getLogger(SimulatedCluster.class.getName())
        .log(System.Logger.Level.DEBUG, "pool {0}: {1}", pool, created);
  }

  @Override
  public void close() {
    kubelets.close();
    controllers.close();
  }
}
