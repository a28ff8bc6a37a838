package io.berth.webhook.binding;

import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingQueue;
import io.berth.crds.SchedulingQueueSpec;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.client.CustomResource;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The newest {@link ConfigCatalog}, updated by informer events. Thread-safe. A snapshot is built on
 * the first read after a change, so the many events at startup cost one snapshot.
 */
public final class LiveCatalog implements Supplier<ConfigCatalog> {
  private final String operatorNamespace;
  private final OwnerLookup owners;
  private final PolicyServing serving;

  private final Map<String, ServedConfig> nodeConfigs = new HashMap<>();
  private final Map<String, ServedConfig> podConfigs = new HashMap<>();
  private final Map<String, ServedPolicy> policies = new HashMap<>();
  private final Map<String, ServedPolicy> legacyPolicies = new HashMap<>();
  private final Map<BindingKey, BoundBinding> bindings = new HashMap<>();
  private final Map<String, Map<String, String>> namespaces = new HashMap<>();
  private final Map<String, Map<String, PriorityQuota>> quotas = new HashMap<>();
  private final Map<String, SchedulingQueueSpec> queues = new HashMap<>();

  private final RolledObjects<ServedConfig> rolledConfigs =
      new RolledObjects<>(ServedConfig.READING);
  private final RolledObjects<ServedPolicy> rolledPolicies;
  private final SeenVersions seen = new SeenVersions();

  private volatile ConfigCatalog snapshot;
  private volatile boolean changed;
  private volatile long corrections;

  /**
   * Creates an empty catalog that derives root owners from names and treats every policy as usable.
   */
  public LiveCatalog(String operatorNamespace) {
    this(operatorNamespace, OwnerLookup.byName(), PolicyServing.always());
  }

  /** Creates an empty catalog. */
  public LiveCatalog(String operatorNamespace, OwnerLookup owners, PolicyServing serving) {
    this.operatorNamespace = operatorNamespace;
    this.owners = owners;
    this.serving = serving;
    this.rolledPolicies = new RolledObjects<>(ServedPolicy.reading(serving));
    this.snapshot = build();
  }

  /**
   * Adds or updates an object. A resource without spec, which its schema does not allow, counts as
   * removed.
   *
   * @param resource a resource of Berth's kinds, a ConfigMap that contains a legacy policy, a
   *     Namespace, or a ResourceQuota
   */
  public void put(HasMetadata resource) {
    ObjectVersion version = ObjectVersion.of(resource);
    if (!isKnown(version) || hasMoved(resource)) {
      take(resource);
    }
    saw(version);
  }

  private void take(HasMetadata resource) {
    switch (resource) {
      case NodeSchedulerConfig config when config.getSpec() != null -> putConfig(config);
      case PodSchedulerConfig config when config.getSpec() != null -> putConfig(config);
      case SchedulingPolicy policy when policy.getSpec() != null -> putPolicy(policy);
      case SchedulerConfigBinding binding when binding.getSpec() != null ->
          put(BoundBinding.of(binding, operatorNamespace));
      case SchedulingQueue queue when queue.getSpec() != null -> put(queue);
      case ConfigMap legacy -> put(legacy);
      case Namespace namespace -> put(namespace);
      case ResourceQuota quota -> put(quota);
      default -> drop(resource);
    }
  }

  /**
   * Adds the last complete revisions of configs and policies, which a replica needs that has not
   * observed them: because it has just started, or because its watch had a gap.
   *
   * @param revisions the objects with the name and UID of the current ones, and the spec and
   *     generation of the revision
   */
  public synchronized void stored(Collection<? extends CustomResource<?, ?>> revisions) {
    for (CustomResource<?, ?> revision : revisions) {
      if (revision instanceof SchedulingPolicy) {
        rolledPolicies.stored(revision).ifPresent(this::putPolicy);
      } else {
        rolledConfigs.stored(revision).ifPresent(this::putConfig);
      }
    }
  }

  /**
   * Returns whether the last complete revision of an object whose change is rolled out is not
   * known, so that the stored ones have to be read.
   */
  public synchronized boolean lacksRevisions() {
    return rolledConfigs.lacksRevisions() || rolledPolicies.lacksRevisions();
  }

  /** Removes a deleted object. */
  public synchronized void remove(HasMetadata resource) {
    drop(resource);
    seen.remove(ObjectVersion.of(resource));
    notifyAll();
  }

  /**
   * Waits until the catalog reflects these lists: it contains all listed objects, and none that had
   * been deleted when they were listed.
   *
   * @param patience the maximum time to wait
   * @return true if the catalog reflects the lists; false if the time ran out
   */
  public synchronized boolean awaitAll(Collection<ListedState> listed, Duration patience)
      throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    while (!listed.stream().allMatch(seen::reaches)) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  private synchronized void drop(HasMetadata resource) {
    String name = resource.getMetadata().getName();
    switch (resource) {
      case NodeSchedulerConfig config -> {
        nodeConfigs.remove(name);
        rolledConfigs.remove(config);
      }
      case PodSchedulerConfig config -> {
        podConfigs.remove(name);
        rolledConfigs.remove(config);
      }
      case SchedulingPolicy policy -> {
        policies.remove(name);
        rolledPolicies.remove(policy);
      }
      case SchedulerConfigBinding binding ->
          bindings.remove(new BindingKey(binding.getMetadata().getNamespace(), name));
      case SchedulingQueue queue -> queues.remove(name);
      case ConfigMap legacy -> legacyPolicies.remove(name);
      case Namespace namespace -> namespaces.remove(name);
      case ResourceQuota quota -> {
        drop(quota);
        return;
      }
      default ->
          throw new IllegalArgumentException(
              "the catalog does not hold objects of kind " + resource.getKind());
    }
    changed = true;
  }

  /**
   * Returns the catalog as of the last event. A new instance is also returned after the owner
   * look-up has corrected a root owner, so that callers that compare catalogs resolve their pods
   * again.
   */
  @Override
  public ConfigCatalog get() {
    if (isOutdated()) {
      synchronized (this) {
        if (isOutdated()) {
          corrections = owners.corrections();
          snapshot = build();
          changed = false;
        }
      }
    }
    return snapshot;
  }

  private boolean isOutdated() {
    return changed || corrections != owners.corrections();
  }

  private synchronized boolean hasMoved(HasMetadata resource) {
    return switch (resource) {
      case NodeSchedulerConfig config -> rolledConfigs.hasMoved(config);
      case PodSchedulerConfig config -> rolledConfigs.hasMoved(config);
      case SchedulingPolicy policy -> rolledPolicies.hasMoved(policy);
      default -> false;
    };
  }

  private synchronized boolean isKnown(ObjectVersion version) {
    return seen.knows(version);
  }

  /**
   * Records a version. Called after its content is stored, because waiting threads read the catalog
   * next.
   */
  private synchronized void saw(ObjectVersion version) {
    seen.put(version);
    notifyAll();
  }

  private synchronized void putConfig(CustomResource<?, ?> resource) {
    ServedConfig config = rolledConfigs.entry(resource);
    (config.kind() == TemplateKind.NODE ? nodeConfigs : podConfigs).put(config.name(), config);
    changed = true;
  }

  private synchronized void putPolicy(CustomResource<?, ?> resource) {
    ServedPolicy policy = rolledPolicies.entry(resource);
    policies.put(policy.name(), policy);
    changed = true;
  }

  /** Stores a legacy policy; its name is known even if the object cannot be parsed. */
  private void put(ConfigMap legacy) {
    putLegacy(CatalogEntries.of(legacy, serving));
  }

  private synchronized void putLegacy(ServedPolicy policy) {
    changed |= !policy.equals(legacyPolicies.put(policy.name(), policy));
  }

  private synchronized void put(BoundBinding binding) {
    bindings.put(binding.key(), binding);
    changed = true;
  }

  private synchronized void put(SchedulingQueue queue) {
    SchedulingQueueSpec spec = queue.getSpec();
    changed |= !spec.equals(queues.put(queue.getMetadata().getName(), spec));
  }

  private synchronized void put(Namespace namespace) {
    Map<String, String> labels = namespace.getMetadata().getLabels();
    Map<String, String> known =
        namespaces.put(
            namespace.getMetadata().getName(), labels == null ? Map.of() : Map.copyOf(labels));
    changed |= labels == null || !labels.equals(known);
  }

  private synchronized void put(ResourceQuota quota) {
    Optional<PriorityQuota> scoped = PriorityQuota.of(quota);
    if (scoped.isEmpty()) {
      drop(quota);
      return;
    }
    Map<String, PriorityQuota> inNamespace =
        quotas.computeIfAbsent(scoped.get().namespace(), namespace -> new HashMap<>());
    changed |= !scoped.get().equals(inNamespace.put(scoped.get().name(), scoped.get()));
  }

  private synchronized void drop(ResourceQuota quota) {
    ObjectMeta metadata = quota.getMetadata();
    Map<String, PriorityQuota> inNamespace = quotas.get(metadata.getNamespace());
    if (inNamespace != null && inNamespace.remove(metadata.getName()) != null) {
      changed = true;
      if (inNamespace.isEmpty()) {
        quotas.remove(metadata.getNamespace());
      }
    }
  }

  private ConfigCatalog build() {
    Map<String, ServedPolicy> allPolicies = new HashMap<>(legacyPolicies);
    allPolicies.putAll(policies);
    return new ConfigCatalog(
        operatorNamespace,
        owners,
        serving,
        Map.copyOf(nodeConfigs),
        Map.copyOf(podConfigs),
        Map.copyOf(allPolicies),
        Map.copyOf(bindings),
        Map.copyOf(namespaces),
        quotas.entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    Map.Entry::getKey, entry -> List.copyOf(entry.getValue().values()))),
        Map.copyOf(queues));
  }
}
