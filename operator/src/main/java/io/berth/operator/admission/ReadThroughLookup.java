package io.berth.operator.admission;

import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulingPolicy;
import io.berth.webhook.admission.ConfigLookup;
import io.berth.webhook.admission.LookupFailedException;
import io.berth.webhook.binding.PriorityQuota;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Looks up an object at the API server if the watch has not delivered it yet; times out after one
 * second.
 */
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

  @Override
  public boolean hasQuotaFor(String namespace, String priorityClass) {
    return ask(
        "ResourceQuotas of namespace " + namespace,
        () ->
            client.resourceQuotas().inNamespace(namespace).list().getItems().stream()
                .flatMap(quota -> PriorityQuota.of(quota).stream())
                .anyMatch(quota -> quota.covers(priorityClass)));
  }

  private <T extends HasMetadata> Optional<T> read(Class<T> type, String name) {
    return ask(
        HasMetadata.getKind(type) + " " + name,
        () -> Optional.ofNullable(client.resources(type).withName(name).get()));
  }

  private static <T> T ask(String what, Callable<T> question) {
    FutureTask<T> task = new FutureTask<>(question);
    Thread.ofVirtual().name("config-lookup").start(task);
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
