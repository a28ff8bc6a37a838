package io.berth.operator.feed;

import io.berth.crds.Annotations;
import io.berth.crds.Installation;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingQueue;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.QueueDialect;
import io.berth.operator.api.LimitedLog;
import io.berth.operator.gpu.CardProtocols;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import io.fabric8.kubernetes.api.model.storage.CSINode;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All resources that Berth watches, with one reflector and one {@link KindCache} each. Every
 * replica fills its caches, so that a new leader already has the cluster's state in memory.
 */
public final class ClusterFeed implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ClusterFeed.class);
  private static final Set<Class<?>> VITAL = Set.of(Node.class, Pod.class, SchedulingPolicy.class);

  private static final String DEVICES = "resource.k8s.io";

  private final KubernetesClient client;
  private final WatchTimes times;
  private final Consumer<WatchFailure> onFailure;
  private final KubeEvents events;

  /** Limits what is logged about the queues of other projects. */
  private final LimitedLog reports = new LimitedLog(System::nanoTime);

  private final List<Reflector<?>> kinds = new ArrayList<>();
  private final List<KindCache<?, ?>> forEngine = new ArrayList<>();

  private final KindCache<Node, Node> nodes;
  private final KindCache<Namespace, Namespace> namespaces;
  private final ScaledWorkloads workloads;
  private final KindCache<PersistentVolume, PersistentVolume> volumes;
  private final KindCache<PersistentVolumeClaim, PersistentVolumeClaim> claims;
  private final KindCache<ResourceSlice, ResourceSlice> deviceSlices;
  private final KindCache<DeviceClass, DeviceClass> deviceClasses;
  private final KindCache<ResourceClaim, ResourceClaim> deviceClaims;
  private final PublishedPools publishedPools = new PublishedPools();
  private final DeviceHolders deviceHolders = new DeviceHolders(publishedPools);
  private final KindCache<Pod, FedPod> pods;
  private final KindCache<NodeSchedulerConfig, NodeSchedulerConfig> nodeConfigs;
  private final KindCache<PodSchedulerConfig, PodSchedulerConfig> podConfigs;
  private final KindCache<SchedulerConfigBinding, SchedulerConfigBinding> bindings;
  private final KindCache<SchedulingPolicy, SchedulingPolicy> policies;
  private final KindCache<SchedulingQueue, SchedulingQueue> queues;
  private final KindCache<ResourceQuota, ResourceQuota> quotas;
  private final KindCache<ConfigMap, ConfigMap> legacyPolicies;
  private final KindCache<Lease, Lease> lease;

  /** Not one of {@link #kinds}: leader election works without this watch, only more slowly. */
  private final Reflector<Lease> leaseWatch;

  private final Map<GroupDialect, GroupObjects> groups = new EnumMap<>(GroupDialect.class);

  /**
   * Creates a feed that includes legacy policies, the cards of HAMi, and the queues of others.
   *
   * @param client a client without retries
   * @param namespace the operator's namespace, which holds legacy policies and the lease
   * @param onFailure called for every failed attempt to list or watch
   */
  public ClusterFeed(
      KubernetesClient client,
      String namespace,
      WatchTimes times,
      Consumer<WatchFailure> onFailure) {
    this(client, namespace, times, onFailure, true, true, true);
  }

  /**
   * Creates a feed.
   *
   * @param client a client without retries
   * @param namespace the operator's namespace, which holds legacy policies and the lease
   * @param onFailure called for every failed attempt to list or watch
   * @param legacy whether to watch ConfigMaps with legacy policies
   * @param hami whether the engine is fed with the cards of HAMi's nodes
   * @param otherQueues whether to watch the queues of other projects
   */
  public ClusterFeed(
      KubernetesClient client,
      String namespace,
      WatchTimes times,
      Consumer<WatchFailure> onFailure,
      boolean legacy,
      boolean hami,
      boolean otherQueues) {
    this.events = new KubeEvents(new CardProtocols(hami));
    this.client = client;
    this.times = times;
    this.onFailure = onFailure;
    // Keeps the managed fields, which show when a namespace's labels were last changed.
    namespaces = KindCache.ofWholeObjects(events::upserted, events::removed);
    var _ = watch(KindPath.everywhere(Namespace.class), namespaces);
    forEngine.add(namespaces);
    nodes = engineKind(Node.class);
    engineKind(Service.class);
    workloads =
        new ScaledWorkloads(
            engineKind(ReplicationController.class),
            engineKind(ReplicaSet.class),
            engineKind(StatefulSet.class));
    engineKind(PodDisruptionBudget.class);
    engineKind(PriorityClass.class);
    // Keeps the managed fields, as other kinds of Berth.
    queues = KindCache.ofWholeObjects(events::upserted, events::removed);
    var _ = watch(KindPath.everywhere(SchedulingQueue.class), queues);
    forEngine.add(queues);
    engineKind(StorageClass.class);
    volumes = engineKind(PersistentVolume.class);
    claims = engineKind(PersistentVolumeClaim.class);
    engineKind(CSINode.class);
    engineKind(CSIDriver.class);
    engineKind(CSIStorageCapacity.class);
    engineKind(VolumeAttachment.class);
    // Clusters before 1.34 do not serve these.
    deviceSlices = engineKind(ResourceSlice.class);
    deviceSlices.follow(publishedPools);
    taintRules();
    deviceClasses = engineKind(DeviceClass.class);
    deviceClaims = engineKind(ResourceClaim.class).whenServed(new ClusterEvent.DevicesServed());
    deviceClaims.follow(deviceHolders);
    // Kubernetes 1.36 serves v1alpha2, and 1.37 serves v1beta1 instead.
    groups(GroupDialect.KUBERNETES, "scheduling.k8s.io", List.of("v1beta1", "v1alpha2"));
    groups(GroupDialect.SCHEDULER_PLUGINS, "scheduling.x-k8s.io", List.of("v1alpha1"));
    groups(GroupDialect.VOLCANO, "scheduling.volcano.sh", List.of("v1beta1"));
    if (otherQueues) {
      queues(QueueDialect.VOLCANO, "scheduling.volcano.sh", "v1beta1", "queues");
      queues(QueueDialect.KAI, "scheduling.run.ai", "v2", "queues");
      queues(QueueDialect.SCHEDULER_PLUGINS, "scheduling.x-k8s.io", "v1alpha1", "elasticquotas");
      queues(QueueDialect.KOORDINATOR, "scheduling.sigs.k8s.io", "v1alpha1", "elasticquotas");
    }
    pods = new KindCache<>(this::fedPod, FedPod::stub, FedPod::event, events::removed);
    forEngine.add(pods);
    var _ = watch(KindPath.everywhere(Pod.class), pods);
    nodeConfigs = ownKind(NodeSchedulerConfig.class);
    podConfigs = ownKind(PodSchedulerConfig.class);
    bindings = ownKind(SchedulerConfigBinding.class);
    policies = ownKind(SchedulingPolicy.class);
    ClusterEvent nothing = new ClusterEvent.Ignored("ResourceQuota");
    quotas = KindCache.ofObjects(o -> nothing, o -> nothing);
    var _ = watch(KindPath.everywhere(ResourceQuota.class), quotas);
    legacyPolicies =
        KindCache.ofWholeObjects(
            o -> new ClusterEvent.Ignored("ConfigMap"), o -> new ClusterEvent.Ignored("ConfigMap"));
    if (legacy) {
      var _ =
          watch(
              KindPath.in(namespace, ConfigMap.class, Annotations.LEGACY_POLICY_LABEL + "=true"),
              legacyPolicies);
    }
    ClusterEvent ofLease = new ClusterEvent.Ignored("Lease");
    lease = KindCache.ofObjects(o -> ofLease, o -> ofLease);
    // Watches do not show that the API server's data has gone back, lists do.
    leaseWatch =
        reflector(KindPath.one(namespace, Lease.class, Installation.LEASE), lease)
            .listingAfterEachWatch();
  }

  /**
   * Registers a receiver of the finding that the API server's data has gone back in time; call it
   * before {@link #start}.
   */
  public void onWentBack(Consumer<String> receiver) {
    leaseWatch.onWentBack(receiver);
    kinds.forEach(kind -> kind.onWentBack(receiver));
  }

  /**
   * Starts to watch every resource.
   *
   * @return a future that completes when every resource has been listed once; resources that the
   *     API server does not serve count as empty
   */
  public CompletableFuture<Void> start() {
    var _ = leaseWatch.start(); // not required for the start
    return CompletableFuture.allOf(
        kinds.stream().map(Reflector::start).toArray(CompletableFuture[]::new));
  }

  /**
   * Adds an object to the caches, as if the API server had sent it. Only for a feed that is not
   * started, and always from the same thread.
   */
  public void put(HasMetadata object) {
    kinds.forEach(kind -> kind.put(object));
  }

  /** Records that all resources are served. Only for a feed that is not started. */
  public void allServed() {
    kinds.forEach(Reflector::listed);
  }

  /** Removes an object that {@link #put} added. */
  public void remove(HasMetadata object) {
    kinds.forEach(kind -> kind.remove(object));
  }

  /**
   * Returns a message with the resources that are not listed yet, or cannot be watched; empty if
   * there are none.
   */
  public Optional<String> problem() {
    List<String> behind =
        kinds.stream()
            .map(Reflector::watchStatus)
            .filter(watchStatus -> !watchStatus.isClear())
            .map(WatchStatus::resource)
            .sorted()
            .toList();
    return behind.isEmpty()
        ? Optional.empty()
        : Optional.of("not watching " + String.join(", ", behind));
  }

  /**
   * Returns the resources whose watches are failing: first those on which scheduling depends, last
   * those that were never served, and the longest failure first.
   */
  public List<WatchOutage> watchOutages() {
    return kinds.stream()
        .map(kind -> kind.watchStatus().watchOutage())
        .flatMap(Optional::stream)
        .sorted(
            Comparator.comparing(WatchOutage::vital)
                .thenComparing(WatchOutage::served)
                .thenComparing(WatchOutage::lasting)
                .reversed())
        .toList();
  }

  /** The names of all watched resources, with their groups. */
  public List<String> resources() {
    return kinds.stream().map(kind -> kind.watchStatus().resource()).toList();
  }

  /**
   * Sends the engine's events for all existing objects to a new subscriber, then those for every
   * change.
   */
  public Subscription subscribe(Consumer<ClusterEvent> engine) {
    List<Subscription> kinds = new ArrayList<>();
    forEngine.forEach(cache -> kinds.add(cache.subscribe(engine)));
    return () -> kinds.forEach(Subscription::close);
  }

  /**
   * Sends events for all objects once. An object that changes meanwhile may be reported in either
   * state; the subscriber receives every later change.
   */
  public void replay(Consumer<ClusterEvent> engine) {
    forEngine.forEach(cache -> cache.replay(engine));
  }

  /** Sends the event for a cached pod to the subscribers again. */
  public void resendPod(String namespace, String name) {
    pods.resend(namespace, name);
  }

  public Stream<FedPod> pods() {
    return pods.stream();
  }

  /** A counter that increases whenever a pod is added, changed or removed. */
  public long podChanges() {
    return pods.changes();
  }

  public Optional<FedPod> pod(String namespace, String name) {
    return pods.find(namespace, name);
  }

  /** Returns the pod if it exists with this UID and is not bound to a node. */
  public Optional<FedPod> pendingPod(PodRef pod) {
    return pod(pod.namespace(), pod.name())
        .filter(fed -> fed.ref().uid().equals(pod.uid()) && fed.nodeName().isEmpty());
  }

  /** Returns whether the pod exists with this UID and is not bound to a node. */
  public boolean isPending(PodRef pod) {
    return pendingPod(pod).isPresent();
  }

  public Optional<ReplicaSet> replicaSet(String namespace, String name) {
    return workloads.replicaSets().find(namespace, name);
  }

  /**
   * Returns the number of pods that a ReplicationController, ReplicaSet or StatefulSet shall have;
   * empty if it does not exist, or the controller is of another kind.
   */
  public OptionalInt replicas(String namespace, OwnerReference controller) {
    return workloads.replicas(namespace, controller);
  }

  public Optional<PersistentVolume> volume(String name) {
    return volumes.find("", name);
  }

  public Optional<PersistentVolumeClaim> claim(String namespace, String name) {
    return claims.find(namespace, name);
  }

  /** Returns what drivers publish about their devices. */
  public List<ResourceSlice> deviceSlices() {
    return deviceSlices.all();
  }

  /** Returns all classes of devices. */
  public List<DeviceClass> deviceClasses() {
    return deviceClasses.all();
  }

  /** Returns all claims for devices. */
  public List<ResourceClaim> deviceClaims() {
    return deviceClaims.all();
  }

  /** Returns a claim for devices. */
  public Optional<ResourceClaim> deviceClaim(String namespace, String name) {
    return deviceClaims.find(namespace, name);
  }

  /**
   * Returns the resourceVersion of a claim for devices in the last event about it that all
   * subscribers have received; empty if there is no such claim.
   */
  public Optional<String> forwardedVersionOfDeviceClaim(String namespace, String name) {
    return deviceClaims
        .findForwarded(namespace, name)
        .map(claim -> claim.getMetadata().getResourceVersion());
  }

  /**
   * Returns which other claim has devices that it and this claim cannot both have, in words, after
   * all subscribers have received the events about both; empty if there is none.
   */
  public Optional<String> conflictOfDeviceClaim(String namespace, String name) {
    return deviceClaims.forwarded(
        () -> deviceClaims.find(namespace, name).flatMap(deviceHolders::conflictOf));
  }

  /** Returns the object that describes a group; empty for a group that pods describe. */
  public Optional<GenericKubernetesResource> groupObject(GroupRef group) {
    return Optional.ofNullable(groups.get(group.dialect())).flatMap(objects -> objects.find(group));
  }

  public List<Namespace> namespaces() {
    return namespaces.all();
  }

  public Optional<Node> node(String name) {
    return nodes.find("", name);
  }

  /** Returns the names of the nodes. */
  public Set<String> nodeNames() {
    return nodes.all().stream()
        .map(node -> node.getMetadata().getName())
        .collect(Collectors.toSet());
  }

  public int nodeCount() {
    return nodes.size();
  }

  public List<NodeSchedulerConfig> nodeConfigs() {
    return nodeConfigs.all();
  }

  public List<PodSchedulerConfig> podConfigs() {
    return podConfigs.all();
  }

  public List<SchedulerConfigBinding> bindings() {
    return bindings.all();
  }

  public List<SchedulingPolicy> policies() {
    return policies.all();
  }

  public List<SchedulingQueue> queues() {
    return queues.all();
  }

  public List<ConfigMap> legacyPolicies() {
    return legacyPolicies.all();
  }

  /** Sends all existing configuration objects to the follower, then every change. */
  public void follow(ConfigFollower follower) {
    follow(namespaces, follower);
    follow(nodeConfigs, follower);
    follow(podConfigs, follower);
    follow(bindings, follower);
    follow(policies, follower);
    follow(legacyPolicies, follower);
    follow(quotas, follower);
    follow(queues, follower);
  }

  /** Sends all existing pods to the follower, then every change, until {@link #unfollowPods}. */
  public void followPods(PodFollower follower) {
    pods.follow(new PodChanges(follower));
  }

  /** Sends the leader election's Lease and every change of it to the follower. */
  public void followLease(Consumer<Lease> follower) {
    lease.follow(
        new KindCache.Follower<>() {
          @Override
          public void put(Lease changed) {
            follower.accept(changed);
          }

          @Override
          public void removed(Lease gone) {
            // the next attempt to acquire the lease detects this
          }
        });
  }

  public void unfollowPods() {
    pods.unfollow();
  }

  private static <T extends HasMetadata> void follow(
      KindCache<T, T> cache, ConfigFollower follower) {
    cache.follow(
        new KindCache.Follower<>() {
          @Override
          public void put(T object) {
            follower.put(object);
          }

          @Override
          public void removed(T object) {
            follower.removed(object);
          }
        });
  }

  /**
   * Registers a callback that runs on a reflector's thread after a policy, legacy or not, has
   * changed.
   */
  public void onPolicyChange(Runnable listener) {
    policies.onChange(listener);
    legacyPolicies.onChange(listener);
  }

  @Override
  public void close() {
    leaseWatch.stop();
    kinds.forEach(Reflector::stop);
  }

  private <T extends HasMetadata> KindCache<T, T> engineKind(Class<T> type) {
    KindCache<T, T> cache = KindCache.ofObjects(events::upserted, events::removed);
    var _ = watch(KindPath.everywhere(type), cache);
    forEngine.add(cache);
    return cache;
  }

  /** Watches the PodGroups of a dialect. Clusters without the dialect do not serve the resource. */
  private void groups(GroupDialect dialect, String group, List<String> versions) {
    GroupObjects objects = new GroupObjects(dialect, events);
    for (String version : versions) {
      String resource =
          versions.size() == 1 ? "podgroups." + group : "podgroups." + version + "." + group;
      var cache = objects.addVersion();
      objects.addWatch(watch(KindPath.everywhere(group, version, "podgroups", resource), cache));
      forEngine.add(cache);
    }
    groups.put(dialect, objects);
  }

  /** Watches the rules that taint devices, in the versions of Kubernetes 1.37 and 1.36. */
  private void taintRules() {
    ObjectVersions objects =
        new ObjectVersions(events::taintRuleUpserted, events::taintRuleRemoved);
    for (String version : List.of("v1", "v1beta2")) {
      var cache = objects.addVersion();
      String resource = "devicetaintrules." + version + "." + DEVICES;
      var _ = watch(KindPath.everywhere(DEVICES, version, "devicetaintrules", resource), cache);
      forEngine.add(cache);
    }
  }

  /** Watches the queues of another project. Clusters without it do not serve the resource. */
  private void queues(QueueDialect dialect, String group, String version, String plural) {
    var cache =
        new OtherQueues(dialect, events, reports, LOG::warn, ClusterFeed::afterPauseOfLog).cache();
    String resource = plural + "." + group;
    var _ = watch(KindPath.everywhere(group, version, plural, resource), cache);
    forEngine.add(cache);
  }

  private static void afterPauseOfLog(Runnable task) {
    long seconds = LimitedLog.PAUSE.plusSeconds(1).toSeconds();
    CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS).execute(task);
  }

  private <T extends HasMetadata> KindCache<T, T> ownKind(Class<T> type) {
    ClusterEvent nothing = new ClusterEvent.Ignored(HasMetadata.getKind(type));
    // Keeps the managed fields, which show when a spec was last changed.
    KindCache<T, T> cache = KindCache.ofWholeObjects(o -> nothing, o -> nothing);
    var _ = watch(KindPath.everywhere(type), cache);
    return cache;
  }

  private <T extends HasMetadata> Reflector<T> watch(KindPath<T> kind, KindCache<T, ?> cache) {
    Reflector<T> reflector = reflector(kind, cache);
    kinds.add(reflector);
    return reflector;
  }

  /** Returns a pod as it is cached; the group that it names may be of a kind that is new. */
  private FedPod fedPod(Pod pod) {
    ClusterEvent event = events.upserted(pod);
    if (event instanceof ClusterEvent.PodUpserted upserted) {
      upserted
          .pod()
          .group()
          .flatMap(membership -> Optional.ofNullable(groups.get(membership.group().dialect())))
          .ifPresent(GroupObjects::named);
    }
    return FedPod.of(pod, event);
  }

  private <T extends HasMetadata> Reflector<T> reflector(KindPath<T> kind, KindCache<T, ?> cache) {
    boolean vital = VITAL.contains(kind.type());
    WatchStatus watchStatus = new WatchStatus(kind.resource(), vital, onFailure, System::nanoTime);
    return new Reflector<>(client, kind, cache, watchStatus, times);
  }
}
