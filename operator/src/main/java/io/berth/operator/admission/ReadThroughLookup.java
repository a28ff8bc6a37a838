package io.berth.operator.admission;

import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulingPolicy;
import io.berth.webhook.admission.ConfigLookup;
import io.berth.webhook.admission.LookupFailedException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks the API server for a name that the watch has not shown yet; gives up after a second. */
final class ReadThroughLookup implements ConfigLookup {

  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final KubernetesClient client;

  ReadThroughLookup(KubernetesClient client) {
    this.client = client;
  }

  @Override
  public Optional<NodeSchedulerConfig> nodeConfig(String name) {
    return read(NodeSchedulerConfig.class, name);
  }

  @Override
  public Optional<PodSchedulerConfig> podConfig(String name) {
    return read(PodSchedulerConfig.class, name);
  }

  @Override
  public Optional<SchedulingPolicy> policy(String name) {
    return read(SchedulingPolicy.class, name);
  }

  private <T extends HasMetadata> Optional<T> read(Class<T> type, String name) {
    FutureTask<Optional<T>> task =
        new FutureTask<>(() -> Optional.ofNullable(client.resources(type).withName(name).get()));
    Thread.ofVirtual().name("config-lookup").start(task);
    String what = HasMetadata.getKind(type) + " " + name;
    try {
      return task.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      task.cancel(true);
      throw new LookupFailedException(what + ": no answer within a second", e);
    } catch (ExecutionException e) {
      throw new LookupFailedException(what + ": " + e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LookupFailedException(what + ": interrupted", e);
    }
  }
}
