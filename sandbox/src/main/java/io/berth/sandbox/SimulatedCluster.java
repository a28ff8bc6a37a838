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
 * The parts of a cluster other than the API server: controllers, kubelets, nodes, and node metrics.
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

  /**
   * Starts the controllers and kubelets of an API server. Nodes created by clients run pods as
   * well.
   */
  public static SimulatedCluster start(ClusterApi api, KubeletOptions options, Clock clock) {
    return new SimulatedCluster(api, options, clock);
  }

  /**
   * Adds a pool of identical nodes, spread over three zones and named {@code node-<pool>-0}, {@code
   * node-<pool>-1}, and so on, with the pool name in lower case.
   *
   * @param resources capacity of each node by resource name: cpu, memory, pods, and any others
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
