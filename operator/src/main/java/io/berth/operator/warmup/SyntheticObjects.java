package io.berth.operator.warmup;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import java.util.HashMap;
import java.util.Map;

/**
 * Synthetic nodes, and pods of all shapes whose scheduling runs different code: topology spread,
 * affinity, GPU cards, provisioned volumes, and preemption.
 */
final class SyntheticObjects {
  static final String NAMESPACE = "berth-warm-up";

  private static final int ZONES = 4;
  private static final String HOSTNAME = "kubernetes.io/hostname";
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final String POOL = "pool";
  private static final String CROWDED = "crowded";
  private static final String APP = "app";
  private static final String APART = "apart";
  private static final String MADE_UP = "made-up";
  private static final String INVENTORY = "gpu.sched.cloud.ctrip.com/inventory";
  private static final String MILLI_GPU = "gpu.sched.cloud.ctrip.com/milli-gpu";
  private static final String TWO_CARDS =
      """
      [{"index": 0, "memory": 40960, "model": "made-up"}, {"index": 1, "memory": 40960, "model": "made-up"}]
      """;

  private final String scheduler;

  /**
   * @param scheduler the scheduler name of the pods
   */
  SyntheticObjects(String scheduler) {
    this.scheduler = scheduler;
  }

  /**
   * Returns a node with this number; nodes are spread over zones, and some have a taint or GPU
   * cards.
   */
  Node node(int i) {
    NodeBuilder node = node("made-up-" + i, "general", "16");
    node.editMetadata().addToLabels(ZONE, "zone-" + i % ZONES).endMetadata();
    if (i % 5 == 0) {
      node.editMetadata().addToAnnotations(INVENTORY, TWO_CARDS).endMetadata();
      node.editStatus()
          .addToAllocatable(MILLI_GPU, new Quantity("2000"))
          .addToCapacity(MILLI_GPU, new Quantity("2000"))
          .endStatus();
    }
    if (i % 7 == 0) {
      node.editSpec()
          .addNewTaint()
          .withKey("dedicated")
          .withValue("batch")
          .withEffect("NoSchedule")
          .endTaint()
          .endSpec();
    }
    return node.build();
  }

  /** Returns the node with room for one pod. */
  Node crowdedNode() {
    return node("made-up-crowded", CROWDED, "1")
        .editSpec()
        .addNewTaint()
        .withKey(CROWDED)
        .withEffect("NoSchedule")
        .endTaint()
        .endSpec()
        .build();
  }

  private static NodeBuilder node(String name, String pool, String cpu) {
    Map<String, Quantity> size =
        Map.of(
            "cpu", new Quantity(cpu),
            "memory", new Quantity("64Gi"),
            "pods", new Quantity("110"));
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .withUid(name)
        .withResourceVersion("1")
        .addToLabels(HOSTNAME, name)
        .addToLabels(POOL, pool)
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .withNewStatus()
        .withAllocatable(new HashMap<>(size))
        .withCapacity(new HashMap<>(size))
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .endCondition()
        .endStatus();
  }

  StorageClass storageClass() {
    return new StorageClassBuilder()
        .withNewMetadata()
        .withName(MADE_UP)
        .withUid(MADE_UP)
        .withResourceVersion("1")
        .endMetadata()
        .withProvisioner(MADE_UP)
        .withVolumeBindingMode("WaitForFirstConsumer")
        .build();
  }

  /** Returns an ordinary pod; the number selects its shape. */
  Pod ordinary(String name, int shape) {
    return switch (shape % 8) {
      case 0 -> spread(name, "DoNotSchedule", ZONE);
      case 1 -> spread(name, "ScheduleAnyway", HOSTNAME);
      case 2 -> withAffinity(name, MADE_UP, besideOthers());
      case 3 -> withAffinity(name, APART, apartFromOthers());
      case 4 -> withAffinity(name, MADE_UP, onGeneralNodes());
      case 5 -> withGpu(name);
      default -> pod(name, 0, "100m").build();
    };
  }

  private Pod spread(String name, String whenUnsatisfiable, String key) {
    return pod(name, 0, "100m")
        .editSpec()
        .addNewTopologySpreadConstraint()
        .withMaxSkew(1)
        .withTopologyKey(key)
        .withWhenUnsatisfiable(whenUnsatisfiable)
        .withLabelSelector(others())
        .endTopologySpreadConstraint()
        .endSpec()
        .build();
  }

  private Pod withAffinity(String name, String app, Affinity affinity) {
    return pod(name, 0, "100m")
        .editMetadata()
        .addToLabels(APP, app)
        .endMetadata()
        .editSpec()
        .withAffinity(affinity)
        .addNewToleration()
        .withKey("dedicated")
        .withOperator("Exists")
        .endToleration()
        .endSpec()
        .build();
  }

  private static Affinity besideOthers() {
    return new AffinityBuilder()
        .withNewPodAffinity()
        .addNewPreferredDuringSchedulingIgnoredDuringExecution()
        .withWeight(10)
        .withNewPodAffinityTerm()
        .withTopologyKey(ZONE)
        .withLabelSelector(others())
        .endPodAffinityTerm()
        .endPreferredDuringSchedulingIgnoredDuringExecution()
        .endPodAffinity()
        .build();
  }

  private static Affinity apartFromOthers() {
    return new AffinityBuilder()
        .withNewPodAntiAffinity()
        .addNewRequiredDuringSchedulingIgnoredDuringExecution()
        .withTopologyKey(HOSTNAME)
        .withLabelSelector(new LabelSelectorBuilder().addToMatchLabels(APP, APART).build())
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endPodAntiAffinity()
        .build();
  }

  private static Affinity onGeneralNodes() {
    return new AffinityBuilder()
        .withNewNodeAffinity()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .addNewNodeSelectorTerm()
        .addNewMatchExpression()
        .withKey(POOL)
        .withOperator("In")
        .withValues("general")
        .endMatchExpression()
        .endNodeSelectorTerm()
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .build();
  }

  private Pod withGpu(String name) {
    return pod(name, 0, "100m")
        .editSpec()
        .editFirstContainer()
        .editResources()
        .addToLimits(MILLI_GPU, new Quantity("250"))
        .addToRequests(MILLI_GPU, new Quantity("250"))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  /**
   * Returns a pod that fills the crowded node; one with a higher priority preempts one with a
   * lower.
   */
  Pod onCrowdedNode(String name, int priority) {
    return pod(name, priority, "900m")
        .editSpec()
        .addToNodeSelector(POOL, CROWDED)
        .addNewToleration()
        .withKey(CROWDED)
        .withOperator("Exists")
        .endToleration()
        .endSpec()
        .build();
  }

  /** Returns a pod that fits on no node. */
  Pod tooLarge(String name) {
    return pod(name, 0, "500").build();
  }

  /** Returns a pod that uses a claim. */
  Pod withClaim(String name, String claim) {
    return pod(name, 0, "100m")
        .editSpec()
        .addNewVolume()
        .withName("data")
        .withNewPersistentVolumeClaim()
        .withClaimName(claim)
        .endPersistentVolumeClaim()
        .endVolume()
        .endSpec()
        .build();
  }

  /** Returns a claim whose volume is provisioned for the node of its pod. */
  PersistentVolumeClaim claim(String name) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withNamespace(NAMESPACE)
        .withName(name)
        .withUid(name)
        .withResourceVersion("1")
        .endMetadata()
        .withNewSpec()
        .withAccessModes("ReadWriteOnce")
        .withStorageClassName(MADE_UP)
        .withNewResources()
        .addToRequests("storage", new Quantity("1Gi"))
        .endResources()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  private PodBuilder pod(String name, int priority, String cpu) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(NAMESPACE)
        .withName(name)
        .withUid(name)
        .withResourceVersion("1")
        .addToLabels(APP, MADE_UP)
        .endMetadata()
        .withNewSpec()
        .withSchedulerName(scheduler)
        .withPriority(priority)
        .addNewContainer()
        .withName("main")
        .withImage(MADE_UP)
        .withNewResources()
        .addToRequests("cpu", new Quantity(cpu))
        .addToRequests("memory", new Quantity("64Mi"))
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus();
  }

  private static LabelSelector others() {
    return new LabelSelectorBuilder().addToMatchLabels(APP, MADE_UP).build();
  }
}
