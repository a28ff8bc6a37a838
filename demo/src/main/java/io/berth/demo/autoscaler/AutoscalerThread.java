package io.berth.demo.autoscaler;

import io.berth.demo.cluster.Repeated;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An {@link Autoscaler} that works on its own thread, with two node groups. */
public final class AutoscalerThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AutoscalerThread.class);
  private static final Duration INTERVAL = Duration.ofSeconds(2);
  private static final Duration DELAY = Duration.ofSeconds(10);
  private static final Duration UNNEEDED = Duration.ofMinutes(1);
  private static final Duration PATIENCE = Duration.ofMinutes(15);
  private static final int MAXIMUM = 20;

  private final Optional<Repeated> steps;

  private AutoscalerThread(Optional<Repeated> steps) {
    this.steps = steps;
  }

  /**
   * Starts an autoscaler.
   *
   * @param client an administrator of the cluster
   * @param rules the rules that it follows; empty for none
   */
  public static AutoscalerThread start(KubernetesClient client, Optional<Rules> rules) {
    return new AutoscalerThread(
        rules.map(
            followed -> {
              Autoscaler autoscaler =
                  new Autoscaler(
                      client,
                      new ClientCluster(client),
                      CapacityRequests.NONE,
                      followed,
                      List.of(group("small", "4", "16Gi"), group("large", "16", "64Gi")),
                      new Autoscaler.Times(UNNEEDED, PATIENCE),
                      line -> LOG.info("Autoscaler: {}", line));
              return new Repeated("autoscaler", INTERVAL, () -> step(autoscaler));
            }));
  }

  private static NodeGroup group(String name, String cpu, String memory) {
    return new NodeGroup(
        "autoscaled-" + name,
        Map.of(
            "cpu",
            new Quantity(cpu),
            "memory",
            new Quantity(memory),
            "pods",
            new Quantity("110"),
            "ephemeral-storage",
            new Quantity("100Gi")),
        Map.of("cloud.ctrip.com/pool", "autoscaled"),
        MAXIMUM,
        DELAY,
        List.of());
  }

  private static void step(Autoscaler autoscaler) {
    try {
      autoscaler.step(Instant.now());
    } catch (KubernetesClientException e) {
      LOG.warn("Autoscaler: {}; trying again", e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("Autoscaler: a step has failed because of a bug; trying again", e);
    }
  }

  @Override
  public void close() {
    steps.ifPresent(Repeated::close);
  }
}
