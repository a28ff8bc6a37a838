package io.berth.engine.kube;

import io.berth.crds.Annotations;
import io.berth.engine.PodRef;
import io.berth.engine.model.Controller;
import io.berth.engine.model.HostPort;
import io.berth.engine.model.PodImages;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRequests;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.quantity.ExactQuantity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodResourceClaim;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Volume;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Pods. */
final class PodCompiler {
  private final Pod pod;
  private final ObjectMeta metadata;
  private final io.fabric8.kubernetes.api.model.PodSpec spec;
  private final PodStatus status;

  private PodCompiler(
      Pod pod,
      ObjectMeta metadata,
      io.fabric8.kubernetes.api.model.PodSpec spec,
      PodStatus status) {
    this.pod = pod;
    this.metadata = metadata;
    this.spec = spec;
    this.status = status;
  }

  static PodModel compile(Pod pod) {
    if (pod.getSpec() == null) {
      throw new RefusedException("the pod has no spec");
    }
    if (pod.getStatus() == null) {
      throw new RefusedException("the pod has no status");
    }
    if (pod.getSpec().getContainers().isEmpty()) {
      throw new RefusedException("the pod has no containers");
    }
    return new PodCompiler(pod, pod.getMetadata(), pod.getSpec(), pod.getStatus()).compile();
  }

  static PodRef ref(ObjectMeta metadata) {
    return new PodRef(
        Labels.requireName(metadata.getNamespace(), "metadata.namespace"),
        Labels.requireName(metadata.getName(), "metadata.name"),
        Labels.requireName(metadata.getUid(), "metadata.uid"));
  }

  private PodModel compile() {
    PodRef ref = ref(metadata);
    Map<String, String> labels = Labels.read(metadata.getLabels(), "the pod");
    return new PodModel(
        ref,
        orEmpty(spec.getSchedulerName()),
        policy(),
        labels,
        spec(ref, labels),
        controller(),
        orEmpty(spec.getNodeName()),
        orEmpty(status.getNominatedNodeName()),
        isFinished(status),
        metadata.getDeletionTimestamp() != null,
        metadata.getDeletionTimestamp() != null && isEvictedByScheduler(),
        spec.getSchedulingGates().stream().map(PodSchedulingGate::getName).toList(),
        time(metadata.getCreationTimestamp(), "metadata.creationTimestamp").orElse(Instant.EPOCH),
        time(status.getStartTime(), "status.startTime"));
  }

  static boolean isFinished(@Nullable PodStatus status) {
    String phase = status == null ? null : status.getPhase();
    return "Succeeded".equals(phase) || "Failed".equals(phase);
  }

  private PodSpec spec(PodRef ref, Map<String, String> labels) {
    PlacementCompiler placement = new PlacementCompiler(spec, ref.namespace(), labels);
    return new PodSpec(
        spec.getPriority() == null ? 0 : spec.getPriority(),
        "Never".equals(spec.getPreemptionPolicy()),
        "",
        requests(),
        placement.nodes(),
        placement.tolerations(),
        placement.affinity(),
        placement.spread(),
        ports(),
        images(),
        VolumeCompiler.volumes(spec.getVolumes(), ref),
        spec.getResourceClaims().stream().map(PodResourceClaim::getName).toList());
  }

  private PodRequests requests() {
    EffectiveRequests effective = new EffectiveRequests(pod);
    Map<String, ExactQuantity> held = effective.held();
    Map<String, ExactQuantity> heldWithDefaults = effective.heldWithDefaults(held);
    Map<String, ExactQuantity> scored = effective.scoredWithDefaults();
    ResourceAmounts asked = Amounts.ofPod(effective.asked());
    return new PodRequests(
        asked,
        Amounts.ofPod(held),
        effective.hasPodLevelRequests() ? Amounts.ofPod(effective.scored()) : asked,
        milliCpu(scored),
        memoryBytes(scored),
        milliCpu(heldWithDefaults),
        memoryBytes(heldWithDefaults));
  }

  private static long milliCpu(Map<String, ExactQuantity> amounts) {
    return amounts.getOrDefault(ResourceAmounts.CPU, ExactQuantity.ZERO).millis();
  }

  private static long memoryBytes(Map<String, ExactQuantity> amounts) {
    return amounts.getOrDefault(ResourceAmounts.MEMORY, ExactQuantity.ZERO).units();
  }

  private String policy() {
    Map<String, String> annotations = metadata.getAnnotations();
    return annotations == null ? "" : orEmpty(annotations.get(Annotations.POLICY));
  }

  private Optional<Controller> controller() {
    for (OwnerReference owner : metadata.getOwnerReferences()) {
      if (Boolean.TRUE.equals(owner.getController())) {
        return Optional.of(
            new Controller(
                orEmpty(owner.getApiVersion()),
                orEmpty(owner.getKind()),
                orEmpty(owner.getName())));
      }
    }
    return Optional.empty();
  }

  private List<HostPort> ports() {
    List<HostPort> ports = new ArrayList<>();
    for (Container container : spec.getInitContainers()) {
      if (EffectiveRequests.restartsAlways(container)) {
        addPorts(ports, container);
      }
    }
    for (Container container : spec.getContainers()) {
      addPorts(ports, container);
    }
    return ports;
  }

  private static void addPorts(List<HostPort> ports, Container container) {
    for (ContainerPort port : container.getPorts()) {
      Integer hostPort = port.getHostPort();
      if (hostPort == null || hostPort <= 0) {
        continue;
      }
      String ip = orEmpty(port.getHostIP());
      String protocol = orEmpty(port.getProtocol());
      ports.add(
          new HostPort(
              ip.isEmpty() ? HostPort.ANY_IP : ip,
              protocol.isEmpty() ? "TCP" : protocol,
              hostPort));
    }
  }

  private PodImages images() {
    List<String> names = new ArrayList<>();
    for (Container container : spec.getInitContainers()) {
      names.add(withTag(orEmpty(container.getImage())));
    }
    for (Container container : spec.getContainers()) {
      names.add(withTag(orEmpty(container.getImage())));
    }
    int containers = names.size();
    for (Volume volume : spec.getVolumes()) {
      if (volume.getImage() != null) {
        names.add(withTag(orEmpty(volume.getImage().getReference())));
      }
    }
    return new PodImages(names, containers);
  }

  private static String withTag(String image) {
    return image.lastIndexOf(':') <= image.lastIndexOf('/') ? image + ":latest" : image;
  }

  static Optional<Instant> time(@Nullable String text, String where) {
    if (text == null || text.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeParseException e) {
      throw new RefusedException(where + " '" + text + "' is not a time", e);
    }
  }

  private boolean isEvictedByScheduler() {
    for (PodCondition condition : status.getConditions()) {
      if ("DisruptionTarget".equals(condition.getType())) {
        return "True".equals(condition.getStatus())
            && "PreemptionByScheduler".equals(condition.getReason());
      }
    }
    return false;
  }

  static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
