package io.berth.engine;

import io.berth.engine.volume.VolumeStep;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.TopologySelectorTermBuilder;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import io.fabric8.kubernetes.api.model.storage.CSIDriverBuilder;
import io.fabric8.kubernetes.api.model.storage.CSINode;
import io.fabric8.kubernetes.api.model.storage.CSINodeBuilder;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Random volumes that are created, bound and deleted: provisioned manually or by a driver with a
 * low limit per node, which is sometimes required on nodes, waiting for their first consumer or
 * bound immediately.
 */
final class RandomStorage {
  private static final String NAMESPACE = "team";
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final String DRIVER = "disk.example.com";
  private static final String BY_HAND = "by-hand";
  private static final String MADE = "made";

  private final Map<String, PersistentVolume> volumes = new LinkedHashMap<>();
  private final Map<String, PersistentVolumeClaim> claims = new LinkedHashMap<>();
  private final Map<String, CSINode> nodes = new LinkedHashMap<>();
  private final Consumer<HasMetadata> upserted;
  private final Consumer<HasMetadata> removed;
  private Optional<CSIDriver> driver = Optional.empty();
  private int names;

  RandomStorage(Consumer<HasMetadata> upserted, Consumer<HasMetadata> removed) {
    this.upserted = upserted;
    this.removed = removed;
    classes().forEach(upserted);
  }

  private static List<HasMetadata> classes() {
    return List.of(
        StorageObjects.storageClass(BY_HAND, "kubernetes.io/no-provisioner"),
        new StorageClassBuilder()
            .withNewMetadata()
            .withName(MADE)
            .endMetadata()
            .withProvisioner(DRIVER)
            .withVolumeBindingMode("WaitForFirstConsumer")
            .withAllowedTopologies(
                new TopologySelectorTermBuilder()
                    .addNewMatchLabelExpression()
                    .withKey(ZONE)
                    .withValues("a", "b")
                    .endMatchLabelExpression()
                    .build())
            .build());
  }

  /** Returns all current objects. */
  List<HasMetadata> objects() {
    List<HasMetadata> objects = new ArrayList<>(classes());
    objects.addAll(volumes.values());
    objects.addAll(claims.values());
    objects.addAll(nodes.values());
    driver.ifPresent(objects::add);
    return objects;
  }

  /** Makes a random change. */
  void step(Random random, String nodeName) {
    switch (random.nextInt(4)) {
      case 0 -> {
        String name = "volume-" + names++;
        put(volume(name, BY_HAND, List.of("a", "b", "c").get(random.nextInt(3)), random));
      }
      case 1 -> {
        String name = "claim-" + names++;
        put(
            new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(NAMESPACE)
                .withUid("uid-" + name)
                .endMetadata()
                .withNewSpec()
                .withAccessModes(random.nextInt(4) == 0 ? "ReadWriteOncePod" : "ReadWriteOnce")
                .withStorageClassName(random.nextBoolean() ? BY_HAND : MADE)
                .withNewResources()
                .addToRequests("storage", new Quantity(1 + random.nextInt(3) + "Gi"))
                .endResources()
                .endSpec()
                .build());
      }
      case 2 -> {
        CSINode node =
            new CSINodeBuilder()
                .withNewMetadata()
                .withName(nodeName)
                .endMetadata()
                .withNewSpec()
                .addNewDriver()
                .withName(DRIVER)
                .withNodeID(nodeName)
                .withNewAllocatable(1 + random.nextInt(3))
                .endDriver()
                .endSpec()
                .build();
        nodes.put(nodeName, node);
        upserted.accept(node);
        if (random.nextInt(3) == 0) {
          driver = Optional.of(driver(random.nextBoolean()));
          driver.ifPresent(upserted);
        }
      }
      default -> {
        if (!claims.isEmpty() && random.nextInt(3) == 0) {
          PersistentVolumeClaim gone = anyClaim(random);
          claims.remove(gone.getMetadata().getName());
          removed.accept(gone);
        }
      }
    }
  }

  private static CSIDriver driver(boolean requiredOnNodes) {
    CSIDriver driver =
        new CSIDriverBuilder()
            .withNewMetadata()
            .withName(DRIVER)
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .build();
    driver.getSpec().setAdditionalProperty("preventPodSchedulingIfMissing", requiredOnNodes);
    return driver;
  }

  private static PersistentVolume volume(
      String name, String storageClass, String zone, Random random) {
    return new PersistentVolumeBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withStorageClassName(storageClass)
        .withAccessModes("ReadWriteOnce", "ReadWriteOncePod")
        .addToCapacity("storage", new Quantity(1 + random.nextInt(4) + "Gi"))
        .withNewCsi()
        .withDriver(DRIVER)
        .withVolumeHandle("handle-" + name)
        .endCsi()
        .withNewNodeAffinity()
        .withNewRequired()
        .addNewNodeSelectorTerm()
        .addNewMatchExpression()
        .withKey(ZONE)
        .withOperator("In")
        .withValues(zone)
        .endMatchExpression()
        .endNodeSelectorTerm()
        .endRequired()
        .endNodeAffinity()
        .endSpec()
        .withNewStatus()
        .withPhase("Available")
        .endStatus()
        .build();
  }

  private void put(PersistentVolume volume) {
    volumes.put(volume.getMetadata().getName(), volume);
    upserted.accept(volume);
  }

  private void put(PersistentVolumeClaim claim) {
    claims.put(claim.getMetadata().getName(), claim);
    upserted.accept(claim);
  }

  boolean hasClaims() {
    return !claims.isEmpty();
  }

  /** Returns the name of some claim. */
  String anyClaimName(Random random) {
    return anyClaim(random).getMetadata().getName();
  }

  private PersistentVolumeClaim anyClaim(Random random) {
    List<PersistentVolumeClaim> all = List.copyOf(claims.values());
    return all.get(random.nextInt(all.size()));
  }

  /** Carries out a decision about the claims of a pod: they are bound. */
  void bind(List<VolumeStep> steps, String zone, Random random) {
    for (VolumeStep step : steps) {
      PersistentVolumeClaim claim = claims.get(step.claimName());
      if (claim == null) {
        continue;
      }
      PersistentVolume volume =
          switch (step) {
            case VolumeStep.Bind bind -> volumes.get(bind.volumeName());
            case VolumeStep.Provision provision -> volume("volume-" + names++, MADE, zone, random);
          };
      put(
          new PersistentVolumeBuilder(volume)
              .editSpec()
              .withNewClaimRef()
              .withNamespace(NAMESPACE)
              .withName(step.claimName())
              .withUid(claim.getMetadata().getUid())
              .endClaimRef()
              .endSpec()
              .withNewStatus()
              .withPhase("Bound")
              .endStatus()
              .build());
      put(
          new PersistentVolumeClaimBuilder(claim)
              .editMetadata()
              .addToAnnotations("pv.kubernetes.io/bind-completed", "yes")
              .endMetadata()
              .editSpec()
              .withVolumeName(volume.getMetadata().getName())
              .endSpec()
              .build());
    }
  }
}
