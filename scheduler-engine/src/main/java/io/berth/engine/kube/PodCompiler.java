package io.berth.engine.kube;

import io.berth.crds.Annotations;
import io.berth.crds.schema.DurationText;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Refusal;
import io.berth.engine.decision.BoundedText;
import io.berth.engine.model.Controller;
import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.HostPort;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodImages;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PodRequests;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.model.RunTime;
import io.berth.engine.model.WorkloadHash;
import io.berth.engine.quantity.ExactQuantity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Volume;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Compiles pods. */
final class PodCompiler {
  private final Pod pod;
  private final ObjectMeta metadata;
  private final io.fabric8.kubernetes.api.model.PodSpec spec;
  private final PodStatus status;
  private final PodReading reading;
  private final CardReading cards;

  private PodCompiler(Pod pod, PodStatus status, boolean placed, CardReading cards) {
    this.cards = cards;
    this.pod = pod;
    this.metadata = pod.getMetadata();
    this.spec = pod.getSpec();
    this.status = status;
    this.reading = new PodReading(placed);
  }

  /** Returns the event for a pod; a pending pod is rejected if any part of it is invalid. */
  static ClusterEvent.PodUpserted compile(Pod pod, CardReading cards) {
    if (pod.getSpec() == null) {
      throw new RefusedException("the pod has no spec");
    }
    boolean placed = !orEmpty(pod.getSpec().getNodeName()).isEmpty();
    if (pod.getStatus() == null && !placed) {
      throw new RefusedException("the pod has no status");
    }
    if (pod.getSpec().getContainers().isEmpty() && !placed) {
      throw new RefusedException("the pod has no containers");
    }
    PodStatus status = pod.getStatus() == null ? new PodStatus() : pod.getStatus();
    PodCompiler compiler = new PodCompiler(pod, status, placed, cards);
    PodModel model = compiler.compile();
    return new ClusterEvent.PodUpserted(model, compiler.partly(model.ref()));
  }

  /** Returns a report of the ignored parts of a pod. */
  private Optional<Refusal> partly(PodRef ref) {
    List<String> leftOut = reading.leftOut();
    return leftOut.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Refusal(
                "Pod",
                ref.namespace() + "/" + ref.name(),
                (orEmpty(spec.getNodeName()).isEmpty() ? "it is placed" : "it counts on its node")
                    + ", but without the parts that cannot be parsed: "
                    + BoundedText.list(leftOut)));
  }

  static PodRef ref(ObjectMeta metadata) {
    return new PodRef(
        Labels.requireName(metadata.getNamespace(), "metadata.namespace"),
        Labels.requireName(metadata.getName(), "metadata.name"),
        Labels.requireName(metadata.getUid(), "metadata.uid"));
  }

  private PodModel compile() {
    PodRef ref = ref(metadata);
    Map<String, String> labels = reading.labels(metadata.getLabels());
    reading.checkSize(
        spec.getContainers().size() + spec.getInitContainers().size(),
        PodLimit.CONTAINERS,
        "spec.containers with spec.initContainers");
    PodCards demand = cards.demand(pod);
    Optional<Controller> controller = controller();
    Optional<GroupMembership> group = reading.part(() -> GroupReading.of(pod), Optional.empty());
    return new PodModel(
        ref,
        orEmpty(spec.getSchedulerName()),
        policy(),
        labels,
        spec(ref, labels, demand),
        controller,
        group,
        reading.part(() -> QueueReading.of(metadata), QueueReading.named(metadata)),
        orEmpty(spec.getNodeName()),
        orEmpty(status.getNominatedNodeName()),
        isFinished(status),
        "Succeeded".equals(status.getPhase()),
        metadata.getDeletionTimestamp() != null,
        metadata.getDeletionTimestamp() != null && isEvictedByScheduler(),
        isMirror(),
        reading.each(
            spec.getSchedulingGates(),
            PodLimit.GATES,
            "spec.schedulingGates",
            PodSchedulingGate::getName),
        time(metadata.getCreationTimestamp(), "metadata.creationTimestamp").orElse(Instant.EPOCH),
        time(status.getStartTime(), "status.startTime"),
        reading.part(this::runTime, RunTime.endless()),
        cards.assignment(pod, demand),
        cards.awaitsCards(pod, demand),
        WorkloadHash.of(ref, labels, controller, group));
  }

  private RunTime runTime() {
    Map<String, String> annotations = metadata.getAnnotations();
    String text = annotations == null ? null : annotations.get(Annotations.EXPECTED_DURATION);
    if (text != null) {
      return DurationText.read(text)
          .map(RunTime::of)
          .orElseThrow(
              () ->
                  GroupReading.wrong(Annotations.EXPECTED_DURATION, text, "a duration such as 2h"));
    }
    String restarts = orEmpty(spec.getRestartPolicy());
    return restarts.equals("Never") || restarts.equals("OnFailure")
        ? RunTime.toCompletion()
        : RunTime.endless();
  }

  static boolean isFinished(@Nullable PodStatus status) {
    String phase = status == null ? null : status.getPhase();
    return "Succeeded".equals(phase) || "Failed".equals(phase);
  }

  private PodSpec spec(PodRef ref, Map<String, String> labels, PodCards demand) {
    reading.checkSize(spec.getVolumes().size(), PodLimit.VOLUMES, "spec.volumes");
    PlacementCompiler placement = new PlacementCompiler(spec, ref.namespace(), labels, reading);
    return new PodSpec(
        spec.getPriority() == null ? 0 : spec.getPriority(),
        orEmpty(spec.getPriorityClassName()),
        "Never".equals(spec.getPreemptionPolicy()),
        "",
        requests(),
        placement.nodes(),
        placement.tolerations(),
        placement.affinity(),
        placement.spread(),
        ports(),
        reading.part(this::images, new PodImages(List.of(), 0)),
        VolumeCompiler.volumes(spec.getVolumes(), ref),
        Features.required(spec),
        new PodDevicesCompiler(pod, ref, reading, cards).compile(),
        demand.requests().isEmpty() ? demand : demand.requesting(sums()),
        reading.refinement(this::virtualRequest, ResourceAmounts.none()));
  }

  private ResourceAmounts virtualRequest() {
    Map<String, String> annotations = metadata.getAnnotations();
    String declared = annotations == null ? null : annotations.get(Annotations.VIRTUAL_REQUEST);
    return declared == null ? ResourceAmounts.none() : VirtualRequests.read(declared);
  }

  private PodRequests requests() {
    EffectiveRequests effective = new EffectiveRequests(pod);
    ResourceAmounts asked = amounts(effective.asked());
    Map<String, ExactQuantity> scored = effective.scoredWithDefaults();
    ResourceAmounts held = asked;
    Map<String, ExactQuantity> heldWithDefaults = scored;
    if (!effective.isAsInSpec()) {
      Map<String, ExactQuantity> now = effective.held();
      held = amounts(now);
      heldWithDefaults = effective.heldWithDefaults(now);
    }
    reading.checkSize(asked.size(), PodLimit.RESOURCES, "what the pod's containers request");
    return new PodRequests(
        asked,
        held,
        effective.hasPodLevelRequests() ? amounts(effective.scored()) : asked,
        milliCpu(scored),
        memoryBytes(scored),
        milliCpu(heldWithDefaults),
        memoryBytes(heldWithDefaults));
  }

  /**
   * Returns the resources that are compared with nodes, without those of GPU cards, which are
   * chosen card by card.
   */
  private ResourceAmounts amounts(Map<String, ExactQuantity> requests) {
    if (requests.keySet().stream().noneMatch(cards::measuresCards)) {
      return Amounts.ofPod(requests);
    }
    Map<String, ExactQuantity> compared = new HashMap<>(requests);
    compared.keySet().removeIf(cards::measuresCards);
    return Amounts.ofPod(compared);
  }

  /** Returns the requests of resources that measure cards. */
  private ResourceAmounts sums() {
    Map<String, ExactQuantity> measures = new HashMap<>(new EffectiveRequests(pod).asked());
    measures.keySet().removeIf(resource -> !cards.measuresCards(resource));
    return Amounts.ofPod(measures);
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
    reading.checkSize(ports.size(), PodLimit.HOST_PORTS, "the list of host ports");
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

  private Optional<Instant> time(@Nullable String text, String where) {
    return text == null || text.isEmpty()
        ? Optional.empty()
        : reading.part(() -> Optional.of(instant(text, where)), Optional.empty());
  }

  private static Instant instant(String text, String where) {
    try {
      return Timestamps.parse(text);
    } catch (DateTimeParseException e) {
      throw new RefusedException(where + " '" + text + "' is not a time", e);
    }
  }

  /**
   * Returns whether the pod mirrors a static pod. The API server accepts the annotation only in new
   * pods with a node, and their kubelet deletes those that mirror nothing, so that it protects no
   * other pod.
   */
  private boolean isMirror() {
    Map<String, String> annotations = metadata.getAnnotations();
    return annotations != null && annotations.containsKey(Annotations.MIRROR_POD);
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
