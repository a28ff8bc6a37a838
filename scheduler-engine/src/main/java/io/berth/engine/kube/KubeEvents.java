package io.berth.engine.kube;

import io.berth.crds.SchedulingQueue;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Refusal;
import io.berth.engine.devices.DeviceClaim;
import io.berth.engine.devices.DeviceSlice;
import io.berth.engine.devices.TaintRule;
import io.berth.engine.model.DisruptionBudget;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueRef;
import io.berth.engine.model.StorageObject;
import io.berth.engine.model.WorkloadSelector;
import io.berth.engine.volume.CsiDriver;
import io.berth.engine.volume.CsiNode;
import io.berth.engine.volume.StorageCapacity;
import io.berth.engine.volume.StorageClass;
import io.berth.engine.volume.Volume;
import io.berth.engine.volume.VolumeAttachment;
import io.berth.engine.volume.VolumeClaim;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import io.fabric8.kubernetes.api.model.storage.CSINode;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacity;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Converts Kubernetes objects into events for the engine.
 *
 * <p>Objects that no valid API server would send (no status, an invalid quantity, an unknown
 * operator, ten thousand labels) become {@link ClusterEvent.Malformed} events with the reason; of a
 * bound pod, only the requests have to be valid, see {@link PodReading}. Kinds that scheduling does
 * not depend on become {@link ClusterEvent.Ignored}. It never throws, regardless of the object's
 * content. Stateless and thread-safe.
 */
public final class KubeEvents {
  private final CardReading cards;

  /** Creates a converter for which GPU cards are only counted. */
  public KubeEvents() {
    this(CardReading.none());
  }

  /** The kinds of objects that can be refused. */
  public static final Set<String> KINDS =
      Set.of(
          "Pod",
          "Node",
          "Namespace",
          "Service",
          "ReplicationController",
          "ReplicaSet",
          "StatefulSet",
          "PodDisruptionBudget",
          "PriorityClass",
          "PersistentVolumeClaim",
          "PersistentVolume",
          "StorageClass",
          "CSINode",
          "CSIDriver",
          "CSIStorageCapacity",
          "VolumeAttachment",
          "ResourceSlice",
          "DeviceTaintRule",
          "DeviceClass",
          "ResourceClaim",
          "PodGroup",
          "Queue",
          "ElasticQuota",
          "SchedulingQueue");

  /**
   * Creates a converter that reads the data of GPU agents.
   *
   * @param cards the parser for this data
   */
  public KubeEvents(CardReading cards) {
    this.cards = cards;
  }

  /** Returns the event for an object that was created or changed. */
  public ClusterEvent upserted(HasMetadata object) {
    return guarded(object, () -> compile(object));
  }

  /** Returns the event for an object that was deleted. */
  public ClusterEvent removed(HasMetadata object) {
    return guarded(object, () -> removal(object, metadata(object)));
  }

  /** Returns the event for a group object of a dialect that was created or changed. */
  public ClusterEvent groupUpserted(GroupDialect dialect, GenericKubernetesResource object) {
    return guarded(
        object, () -> new ClusterEvent.PodGroupUpserted(GroupCompiler.compile(dialect, object)));
  }

  /** Returns the event for a group object of a dialect that was deleted. */
  public ClusterEvent groupRemoved(GroupDialect dialect, GenericKubernetesResource object) {
    return guarded(
        object, () -> new ClusterEvent.PodGroupRemoved(GroupCompiler.ref(dialect, object)));
  }

  /**
   * Returns the event for a queue object of another dialect that was created or changed. It reports
   * fields that have no equivalent.
   */
  public ClusterEvent queueUpserted(QueueDialect dialect, GenericKubernetesResource object) {
    return guarded(object, () -> queue(dialect, object));
  }

  private static ClusterEvent queue(QueueDialect dialect, GenericKubernetesResource object) {
    QueueRef ref = QueueFields.ref(dialect, object);
    QueueFields fields = new QueueFields(ref, object);
    switch (dialect) {
      case VOLCANO -> VolcanoQueues.read(ref.name(), fields);
      case KAI -> KaiQueues.read(fields);
      case KOORDINATOR ->
          ElasticQuotas.readKoordinator(namespace(object.getMetadata()), ref.name(), fields);
      case SCHEDULER_PLUGINS ->
          ElasticQuotas.readOfNamespace(namespace(object.getMetadata()), fields);
      case BERTH -> throw new IllegalArgumentException("SchedulingQueues have a type of their own");
    }
    return fields.event();
  }

  /** Returns the event for a queue object of another dialect that was deleted. */
  public ClusterEvent queueRemoved(QueueDialect dialect, GenericKubernetesResource object) {
    return guarded(
        object, () -> new ClusterEvent.QueueRemoved(QueueFields.ref(dialect, object).key()));
  }

  /** Returns the event for a DeviceTaintRule that was created or changed. */
  public ClusterEvent taintRuleUpserted(GenericKubernetesResource object) {
    return guarded(
        object, () -> new ClusterEvent.DevicesUpserted(TaintRuleCompiler.compile(object)));
  }

  /** Returns the event for a DeviceTaintRule that was deleted. */
  public ClusterEvent taintRuleRemoved(GenericKubernetesResource object) {
    return guarded(
        object,
        () -> new ClusterEvent.DevicesRemoved(TaintRule.KIND, "", TaintRuleCompiler.name(object)));
  }

  private static ClusterEvent guarded(HasMetadata object, Supplier<ClusterEvent> compilation) {
    try {
      return compilation.get();
    } catch (RefusedException e) {
      return refused(object, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      // For example, a null where the API never has one: in any case, the object is invalid.
      return refused(object, "it is malformed (" + e + ")");
    }
  }

  private static ClusterEvent refused(HasMetadata object, String reason) {
    ObjectMeta metadata = object.getMetadata();
    String name = metadata == null ? "" : PodCompiler.orEmpty(metadata.getName());
    String namespace = metadata == null ? "" : PodCompiler.orEmpty(metadata.getNamespace());
    return new ClusterEvent.Malformed(
        new Refusal(
            PodCompiler.orEmpty(object.getKind()),
            namespace.isEmpty() ? name : namespace + "/" + name,
            reason),
        object instanceof Pod pod ? unreadable(pod) : Optional.empty());
  }

  private static Optional<ClusterEvent.UnreadablePod> unreadable(Pod pod) {
    ObjectMeta metadata = pod.getMetadata();
    if (metadata == null
        || metadata.getUid() == null
        || pod.getSpec() == null
        || PodCompiler.isFinished(pod.getStatus())) {
      return Optional.empty();
    }
    return Optional.of(
        new ClusterEvent.UnreadablePod(
            new PodRef(
                PodCompiler.orEmpty(metadata.getNamespace()),
                PodCompiler.orEmpty(metadata.getName()),
                metadata.getUid()),
            PodCompiler.orEmpty(pod.getSpec().getSchedulerName()),
            PodCompiler.orEmpty(pod.getSpec().getNodeName())));
  }

  private static ObjectMeta metadata(HasMetadata object) {
    ObjectMeta metadata = object.getMetadata();
    if (metadata == null) {
      throw new RefusedException("the object has no metadata");
    }
    return metadata;
  }

  private ClusterEvent compile(HasMetadata object) {
    ObjectMeta metadata = metadata(object);
    return switch (object) {
      case Pod pod -> PodCompiler.compile(pod, cards);
      case Node node -> node(node);
      case Namespace namespace ->
          new ClusterEvent.NamespaceUpserted(
              name(metadata), Labels.read(metadata.getLabels(), "the namespace"));
      case Service service ->
          group(
              WorkloadSelector.Kind.SERVICE,
              metadata,
              pairs(service.getSpec() == null ? null : service.getSpec().getSelector()));
      case ReplicationController controller ->
          group(
              WorkloadSelector.Kind.REPLICATION_CONTROLLER,
              metadata,
              pairs(controller.getSpec() == null ? null : controller.getSpec().getSelector()));
      case ReplicaSet set ->
          group(
              WorkloadSelector.Kind.REPLICA_SET,
              metadata,
              selector(set.getSpec() == null ? null : set.getSpec().getSelector()));
      case StatefulSet set ->
          group(
              WorkloadSelector.Kind.STATEFUL_SET,
              metadata,
              selector(set.getSpec() == null ? null : set.getSpec().getSelector()));
      case PodDisruptionBudget budget -> new ClusterEvent.BudgetUpserted(budget(metadata, budget));
      case PriorityClass priorityClass -> PriorityClassCompiler.compile(priorityClass);
      case SchedulingQueue queue ->
          new ClusterEvent.QueueUpserted(QueueCompiler.compile(name(metadata), queue));
      case PersistentVolumeClaim claim -> storage(StorageCompiler.claim(claim), claim);
      case PersistentVolume volume -> storage(StorageCompiler.volume(volume), volume);
      case io.fabric8.kubernetes.api.model.storage.StorageClass storageClass ->
          storage(StorageCompiler.storageClass(storageClass), storageClass);
      case CSINode node -> storage(StorageCompiler.csiNode(node), node);
      case CSIDriver driver -> storage(StorageCompiler.csiDriver(driver), driver);
      case CSIStorageCapacity capacity -> storage(StorageCompiler.capacity(capacity), capacity);
      case io.fabric8.kubernetes.api.model.storage.VolumeAttachment attachment ->
          storage(StorageCompiler.attachment(attachment), attachment);
      case ResourceSlice slice -> new ClusterEvent.DevicesUpserted(SliceCompiler.slice(slice));
      case DeviceClass deviceClass ->
          new ClusterEvent.DevicesUpserted(DeviceCompiler.deviceClass(deviceClass));
      case ResourceClaim claim -> new ClusterEvent.DevicesUpserted(ClaimCompiler.claim(claim));
      default -> new ClusterEvent.Ignored(object.getKind());
    };
  }

  private ClusterEvent node(Node node) {
    NodeModel model = NodeCompiler.compile(node, cards);
    return new ClusterEvent.NodeUpserted(
        model, model.cards().problem().map(why -> new Refusal("Node", model.name(), why)));
  }

  private static ClusterEvent removal(HasMetadata object, ObjectMeta metadata) {
    String name = name(metadata);
    String namespace = PodCompiler.orEmpty(metadata.getNamespace());
    return switch (object) {
      case Pod pod -> new ClusterEvent.PodRemoved(PodCompiler.ref(metadata));
      case Node node -> new ClusterEvent.NodeRemoved(name);
      case Namespace gone -> new ClusterEvent.NamespaceRemoved(name);
      case Service service ->
          new ClusterEvent.WorkloadSelectorRemoved(WorkloadSelector.Kind.SERVICE, namespace, name);
      case ReplicationController controller ->
          new ClusterEvent.WorkloadSelectorRemoved(
              WorkloadSelector.Kind.REPLICATION_CONTROLLER, namespace, name);
      case ReplicaSet set ->
          new ClusterEvent.WorkloadSelectorRemoved(
              WorkloadSelector.Kind.REPLICA_SET, namespace, name);
      case StatefulSet set ->
          new ClusterEvent.WorkloadSelectorRemoved(
              WorkloadSelector.Kind.STATEFUL_SET, namespace, name);
      case PodDisruptionBudget budget -> new ClusterEvent.BudgetRemoved(namespace, name);
      case PriorityClass priorityClass -> new ClusterEvent.PriorityClassRemoved(name);
      case SchedulingQueue queue -> new ClusterEvent.QueueRemoved(name);
      case PersistentVolumeClaim claim ->
          new ClusterEvent.StorageRemoved(VolumeClaim.KIND, namespace, name);
      case PersistentVolume volume -> new ClusterEvent.StorageRemoved(Volume.KIND, "", name);
      case io.fabric8.kubernetes.api.model.storage.StorageClass storageClass ->
          new ClusterEvent.StorageRemoved(StorageClass.KIND, "", name);
      case CSINode node -> new ClusterEvent.StorageRemoved(CsiNode.KIND, "", name);
      case CSIDriver driver -> new ClusterEvent.StorageRemoved(CsiDriver.KIND, "", name);
      case CSIStorageCapacity capacity ->
          new ClusterEvent.StorageRemoved(StorageCapacity.KIND, namespace, name);
      case io.fabric8.kubernetes.api.model.storage.VolumeAttachment attachment ->
          new ClusterEvent.StorageRemoved(VolumeAttachment.KIND, "", name);
      case ResourceSlice slice -> new ClusterEvent.DevicesRemoved(DeviceSlice.KIND, "", name);
      case DeviceClass deviceClass ->
          new ClusterEvent.DevicesRemoved(io.berth.engine.devices.DeviceClass.KIND, "", name);
      case ResourceClaim claim ->
          new ClusterEvent.DevicesRemoved(DeviceClaim.KIND, namespace, name);
      default -> new ClusterEvent.Ignored(object.getKind());
    };
  }

  private static ClusterEvent group(
      WorkloadSelector.Kind kind, ObjectMeta metadata, LabelSelector selector) {
    return new ClusterEvent.WorkloadSelectorUpserted(
        new WorkloadSelector(kind, namespace(metadata), name(metadata), selector));
  }

  private static ClusterEvent storage(StorageObject compiled, HasMetadata object) {
    String version = object.getMetadata().getResourceVersion();
    return new ClusterEvent.StorageUpserted(compiled, version == null ? "" : version);
  }

  /**
   * Returns the selector of a Service or ReplicationController: only pairs, and an absent one
   * selects nothing.
   */
  private static LabelSelector pairs(@Nullable Map<String, String> selector) {
    return selector == null || selector.isEmpty()
        ? LabelSelector.nothing()
        : LabelSelector.of(Selectors.pairs(selector));
  }

  private static LabelSelector selector(
      io.fabric8.kubernetes.api.model.@Nullable LabelSelector selector) {
    return Selectors.labelSelector(selector, "spec.selector");
  }

  private static DisruptionBudget budget(ObjectMeta metadata, PodDisruptionBudget budget) {
    LabelSelector selector =
        selector(budget.getSpec() == null ? null : budget.getSpec().getSelector());
    if (budget.getStatus() == null) {
      return new DisruptionBudget(namespace(metadata), name(metadata), selector, 0, Set.of());
    }
    Integer allowed = budget.getStatus().getDisruptionsAllowed();
    Map<String, String> disrupted = budget.getStatus().getDisruptedPods();
    return new DisruptionBudget(
        namespace(metadata),
        name(metadata),
        selector,
        allowed == null ? 0 : allowed,
        disrupted == null ? Set.of() : disrupted.keySet());
  }

  private static String name(ObjectMeta metadata) {
    return Labels.requireName(metadata.getName(), "metadata.name");
  }

  private static String namespace(ObjectMeta metadata) {
    return Labels.requireName(metadata.getNamespace(), "metadata.namespace");
  }
}
