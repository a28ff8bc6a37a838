package io.berth.engine.kube;

import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.StorageObject;
import io.berth.engine.quantity.ExactQuantity;
import io.berth.engine.volume.CsiDriver;
import io.berth.engine.volume.CsiMigration;
import io.berth.engine.volume.CsiNode;
import io.berth.engine.volume.StorageCapacity;
import io.berth.engine.volume.StorageClass;
import io.berth.engine.volume.Volume;
import io.berth.engine.volume.VolumeAttachment;
import io.berth.engine.volume.VolumeClaim;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimSpec;
import io.fabric8.kubernetes.api.model.PersistentVolumeSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.TopologySelectorTerm;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import io.fabric8.kubernetes.api.model.storage.CSINode;
import io.fabric8.kubernetes.api.model.storage.CSINodeDriver;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Compiles the objects that volume plugins read. */
final class StorageCompiler {
  private static final String STORAGE = "storage";
  private static final String BETA_STORAGE_CLASS = "volume.beta.kubernetes.io/storage-class";
  private static final String BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
  private static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";
  private static final String MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins";
  private static final String REQUIRED = "preventPodSchedulingIfMissing";
  private static final String FILESYSTEM = "Filesystem";

  private StorageCompiler() {}

  static StorageObject claim(PersistentVolumeClaim claim) {
    ObjectMeta metadata = claim.getMetadata();
    PersistentVolumeClaimSpec spec = claim.getSpec();
    if (spec == null) {
      throw new RefusedException("the claim has no spec");
    }
    Map<String, String> annotations = annotations(metadata);
    Map<String, ExactQuantity> requests =
        spec.getResources() == null
            ? Map.of()
            : Quantities.read(spec.getResources().getRequests(), "spec.resources.requests");
    return new VolumeClaim(
        Labels.requireName(metadata.getNamespace(), "metadata.namespace"),
        name(metadata),
        PodCompiler.orEmpty(metadata.getUid()),
        controllerUid(metadata),
        className(annotations, spec.getStorageClassName()),
        PodCompiler.orEmpty(spec.getVolumeName()),
        annotations.containsKey(BIND_COMPLETED),
        annotations.getOrDefault(SELECTED_NODE, ""),
        claim.getStatus() != null && "Lost".equals(claim.getStatus().getPhase()),
        metadata.getDeletionTimestamp() != null,
        Set.copyOf(spec.getAccessModes()),
        Optional.ofNullable(requests.get(STORAGE)),
        mode(spec.getVolumeMode()),
        Optional.ofNullable(spec.getSelector())
            .map(selector -> Selectors.labelSelector(selector, "spec.selector")),
        PodCompiler.orEmpty(spec.getVolumeAttributesClassName()));
  }

  static StorageObject volume(PersistentVolume volume) {
    ObjectMeta metadata = volume.getMetadata();
    PersistentVolumeSpec spec = volume.getSpec();
    if (spec == null) {
      throw new RefusedException("the volume has no spec");
    }
    Map<String, ExactQuantity> capacity = Quantities.read(spec.getCapacity(), "spec.capacity");
    VolumeSource source = VolumeSource.of(spec);
    Map<String, String> labels = Labels.read(metadata.getLabels(), "the volume");
    Optional<List<NodeTerm>> terms = nodeTerms(spec);
    return new Volume(
        name(metadata),
        labels,
        Optional.ofNullable(spec.getClaimRef()).map(StorageCompiler::claimRef),
        className(annotations(metadata), spec.getStorageClassName()),
        capacity.getOrDefault(STORAGE, ExactQuantity.ZERO),
        mode(spec.getVolumeMode()),
        Set.copyOf(spec.getAccessModes()),
        volume.getStatus() != null && "Available".equals(volume.getStatus().getPhase()),
        metadata.getDeletionTimestamp() != null,
        terms,
        CsiMigration.nodeTerms(source.driver(), labels, terms),
        source.driver(),
        CsiMigration.handle(source.driver(), source.handle(), labels),
        PodCompiler.orEmpty(spec.getVolumeAttributesClassName()));
  }

  static StorageObject storageClass(
      io.fabric8.kubernetes.api.model.storage.StorageClass storageClass) {
    List<List<Requirement>> topologies = new ArrayList<>();
    for (TopologySelectorTerm term : storageClass.getAllowedTopologies()) {
      topologies.add(
          term.getMatchLabelExpressions().stream()
              .map(
                  expression ->
                      Requirement.isOneOf(
                          Labels.requireName(expression.getKey(), "key of an allowed topology"),
                          expression.getValues().toArray(String[]::new)))
              .toList());
    }
    return new StorageClass(
        name(storageClass.getMetadata()),
        PodCompiler.orEmpty(storageClass.getProvisioner()),
        Optional.ofNullable(storageClass.getVolumeBindingMode())
            .map("WaitForFirstConsumer"::equals),
        topologies);
  }

  static StorageObject csiNode(CSINode node) {
    Map<String, Integer> limits = new HashMap<>();
    Set<String> drivers = new HashSet<>();
    if (node.getSpec() != null) {
      for (CSINodeDriver driver : node.getSpec().getDrivers()) {
        drivers.add(PodCompiler.orEmpty(driver.getName()));
        if (driver.getAllocatable() != null && driver.getAllocatable().getCount() != null) {
          limits.put(
              Labels.requireName(driver.getName(), "name of a driver"),
              driver.getAllocatable().getCount());
        }
      }
    }
    String migrated = annotations(node.getMetadata()).getOrDefault(MIGRATED_PLUGINS, "");
    return new CsiNode(
        name(node.getMetadata()), drivers, limits, new TreeSet<>(List.of(migrated.split(",", -1))));
  }

  static StorageObject csiDriver(CSIDriver driver) {
    return new CsiDriver(
        name(driver.getMetadata()),
        driver.getSpec() != null && Boolean.TRUE.equals(driver.getSpec().getStorageCapacity()),
        driver.getSpec() != null
            && Boolean.TRUE.equals(driver.getSpec().getAdditionalProperties().get(REQUIRED)));
  }

  static StorageObject capacity(CSIStorageCapacity capacity) {
    Quantity largest =
        capacity.getMaximumVolumeSize() != null
            ? capacity.getMaximumVolumeSize()
            : capacity.getCapacity();
    return new StorageCapacity(
        PodCompiler.orEmpty(capacity.getMetadata().getNamespace()),
        name(capacity.getMetadata()),
        PodCompiler.orEmpty(capacity.getStorageClassName()),
        Selectors.labelSelector(capacity.getNodeTopology(), "nodeTopology"),
        Optional.ofNullable(largest).map(size -> Quantities.read(size, "capacity")),
        Optional.ofNullable(capacity.getCapacity()).map(size -> Quantities.read(size, "capacity")));
  }

  static StorageObject attachment(
      io.fabric8.kubernetes.api.model.storage.VolumeAttachment attachment) {
    if (attachment.getSpec() == null) {
      throw new RefusedException("the attachment has no spec");
    }
    String volume =
        attachment.getSpec().getSource() == null
            ? ""
            : PodCompiler.orEmpty(attachment.getSpec().getSource().getPersistentVolumeName());
    return new VolumeAttachment(
        name(attachment.getMetadata()),
        PodCompiler.orEmpty(attachment.getSpec().getAttacher()),
        volume,
        PodCompiler.orEmpty(attachment.getSpec().getNodeName()));
  }

  private static Optional<List<NodeTerm>> nodeTerms(PersistentVolumeSpec spec) {
    if (spec.getNodeAffinity() == null || spec.getNodeAffinity().getRequired() == null) {
      return Optional.empty();
    }
    List<NodeTerm> terms = new ArrayList<>();
    for (NodeSelectorTerm term : spec.getNodeAffinity().getRequired().getNodeSelectorTerms()) {
      terms.add(Selectors.nodeTerm(term, "spec.nodeAffinity.required"));
    }
    return Optional.of(terms);
  }

  private static Volume.ClaimRef claimRef(ObjectReference reference) {
    return new Volume.ClaimRef(
        PodCompiler.orEmpty(reference.getNamespace()),
        PodCompiler.orEmpty(reference.getName()),
        PodCompiler.orEmpty(reference.getUid()));
  }

  private static String controllerUid(ObjectMeta metadata) {
    for (OwnerReference owner : metadata.getOwnerReferences()) {
      if (Boolean.TRUE.equals(owner.getController())) {
        return PodCompiler.orEmpty(owner.getUid());
      }
    }
    return "";
  }

  private static String className(Map<String, String> annotations, @Nullable String name) {
    String old = annotations.get(BETA_STORAGE_CLASS);
    return old == null ? PodCompiler.orEmpty(name) : old;
  }

  private static String mode(@Nullable String mode) {
    return mode == null || mode.isEmpty() ? FILESYSTEM : mode;
  }

  private static String name(ObjectMeta metadata) {
    return Labels.requireName(metadata.getName(), "metadata.name");
  }

  private static Map<String, String> annotations(ObjectMeta metadata) {
    return metadata.getAnnotations() == null ? Map.of() : metadata.getAnnotations();
  }
}
