package io.berth.operator.feed;

import io.berth.crds.Annotations;
import io.berth.crds.binding.BindingField;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.Timestamps;
import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.operator.gpu.CardProtocols;
import io.berth.operator.gpu.GpuPod;
import io.berth.webhook.binding.AppliedFields;
import io.berth.webhook.binding.PodSubject;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Volume;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The cached part of a pod: the engine's event about it, and the few fields that other components
 * read. The rest of the pod, with its environment, probes and managed fields, is discarded.
 *
 * @param event the engine's event
 * @param labels the pod's labels
 * @param annotations the annotations with Berth's own keys
 * @param controller the owner reference to its controller
 * @param nodeName the node that it is bound to; empty if it is not bound
 * @param phase the phase in its status; empty if there is none
 * @param failureReason the CamelCase reason why it failed; empty if it did not fail
 * @param failureMessage the message why it failed; empty if it did not fail
 * @param terminating whether it has a deletion timestamp
 * @param notScheduled its condition PodScheduled=False
 * @param nominatedNode the nominatedNodeName in its status; empty if there is none
 * @param claims the names of its PersistentVolumeClaims
 * @param mirror whether it is the mirror pod of a static pod
 * @param gpu the part that GPU agents' protocols read; empty if it requests no GPU cards
 */
public record FedPod(
    PodRef ref,
    String resourceVersion,
    ClusterEvent event,
    Map<String, String> labels,
    Map<String, String> annotations,
    Optional<OwnerReference> controller,
    String generateName,
    String schedulerName,
    String nodeName,
    String phase,
    String failureReason,
    String failureMessage,
    boolean terminating,
    NotScheduled notScheduled,
    String nominatedNode,
    List<String> claims,
    boolean mirror,
    Optional<GpuPod> gpu,
    Instant createdAt) {

  /**
   * The condition PodScheduled=False.
   *
   * @param reason its reason, such as Unschedulable; empty without this condition
   * @param message its message
   */
  public record NotScheduled(String reason, String message) {
    static final NotScheduled NONE = new NotScheduled("", "");

    private static NotScheduled of(PodStatus status) {
      return Objects.requireNonNullElse(status.getConditions(), List.<PodCondition>of()).stream()
          .filter(c -> "PodScheduled".equals(c.getType()) && "False".equals(c.getStatus()))
          .findFirst()
          .map(c -> new NotScheduled(text(c.getReason()), text(c.getMessage())))
          .orElse(NONE);
    }
  }

  /** Returns the names of its claims for devices that exist, or existed. */
  public List<String> deviceClaims() {
    if (!(event instanceof ClusterEvent.PodUpserted upserted)) {
      return List.of();
    }
    return upserted.pod().spec().devices().claims().stream()
        .map(PodClaim::claimName)
        .filter(name -> !name.isEmpty())
        .toList();
  }

  static FedPod of(Pod pod, ClusterEvent event) {
    var metadata = pod.getMetadata();
    PodSpec spec = Objects.requireNonNullElseGet(pod.getSpec(), PodSpec::new);
    PodStatus status = Objects.requireNonNullElseGet(pod.getStatus(), PodStatus::new);
    Map<String, String> all = Objects.requireNonNullElse(metadata.getAnnotations(), Map.of());
    return new FedPod(
        new PodRef(
            text(metadata.getNamespace()), text(metadata.getName()), text(metadata.getUid())),
        text(metadata.getResourceVersion()),
        event,
        withoutNulls(metadata.getLabels()),
        ours(all),
        controllerOf(metadata.getOwnerReferences()),
        text(metadata.getGenerateName()),
        text(spec.getSchedulerName()),
        text(spec.getNodeName()),
        text(status.getPhase()),
        "Failed".equals(status.getPhase()) ? text(status.getReason()) : "",
        "Failed".equals(status.getPhase()) ? text(status.getMessage()) : "",
        metadata.getDeletionTimestamp() != null,
        NotScheduled.of(status),
        text(status.getNominatedNodeName()),
        claims(text(metadata.getName()), spec),
        all.containsKey(Annotations.MIRROR_POD),
        CardProtocols.podOf(pod),
        event instanceof ClusterEvent.PodUpserted(PodModel model, var _)
            ? model.createdAt()
            : instant(metadata.getCreationTimestamp()));
  }

  /** Returns a pod with only the metadata that the reflector reads. */
  Pod stub() {
    ObjectMeta metadata = new ObjectMeta();
    metadata.setNamespace(ref.namespace());
    metadata.setName(ref.name());
    metadata.setUid(ref.uid());
    metadata.setResourceVersion(resourceVersion);
    Pod pod = new Pod();
    pod.setMetadata(metadata);
    return pod;
  }

  private static Map<String, String> ours(Map<String, String> all) {
    Map<String, String> ours = new HashMap<>();
    all.forEach(
        (key, value) -> {
          if (value != null && key.contains("sched.cloud.ctrip.com/")) {
            ours.put(key, value);
          }
        });
    return Map.copyOf(ours);
  }

  private static Map<String, String> withoutNulls(@Nullable Map<String, String> labels) {
    if (labels == null) {
      return Map.of();
    }
    Map<String, String> clean = new HashMap<>(labels);
    clean.values().removeIf(Objects::isNull);
    return Map.copyOf(clean);
  }

  private static Optional<OwnerReference> controllerOf(@Nullable List<OwnerReference> owners) {
    return owners == null
        ? Optional.empty()
        : owners.stream().filter(o -> Boolean.TRUE.equals(o.getController())).findFirst();
  }

  private static List<String> claims(String podName, PodSpec spec) {
    if (spec.getVolumes() == null) {
      return List.of();
    }
    List<String> claims = new ArrayList<>();
    for (Volume volume : spec.getVolumes()) {
      if (volume.getPersistentVolumeClaim() != null) {
        claims.add(text(volume.getPersistentVolumeClaim().getClaimName()));
      } else if (volume.getEphemeral() != null) {
        claims.add(podName + "-" + volume.getName());
      }
    }
    return List.copyOf(claims);
  }

  private static Instant instant(@Nullable String timestamp) {
    if (timestamp == null) {
      return Instant.EPOCH;
    }
    try {
      return Timestamps.parse(timestamp);
    } catch (DateTimeParseException e) {
      return Instant.EPOCH; // the engine's pod compiler rejects the pod with a reason
    }
  }

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }

  /** Returns whether the pod has succeeded or failed. */
  public boolean finished() {
    return phase.equals("Succeeded") || phase.equals("Failed");
  }

  /** The pod's generateName, or its name if it has none. */
  public String baseName() {
    return generateName.isEmpty() ? ref.name() : generateName;
  }

  /** Returns the pod's properties that bindings select by. */
  public PodSubject subject() {
    return subject(annotations);
  }

  /** Returns the pod's properties that bindings select by, as if it had these annotations. */
  public PodSubject subject(Map<String, String> annotations) {
    return new PodSubject(
        ref.namespace(),
        baseName(),
        labels,
        annotations,
        controller.map(PodSubject::controller),
        schedulerName,
        event instanceof ClusterEvent.PodUpserted(PodModel pod, var _) && pod.isOfDaemonSet());
  }

  /**
   * Returns the properties that bindings select by of the pod as its author wrote it: without the
   * annotation for the policy and the label for the queue that the webhook added for a binding,
   * which are not the pod's own choice.
   */
  public PodSubject asWritten() {
    AppliedFields applied = AppliedFields.of(annotations);
    Map<String, String> written = annotations;
    if (applied.byBinding(BindingField.SCHEDULING_POLICY)) {
      written = new HashMap<>(annotations);
      written.remove(Annotations.POLICY);
    }
    PodSubject subject = subject(written);
    return applied.byBinding(BindingField.QUEUE)
        ? subject.withoutLabel(Annotations.QUEUE_LABEL)
        : subject;
  }

  /** The policy that the pod's annotation names; empty if there is none. */
  public String policy() {
    return annotations.getOrDefault(Annotations.POLICY, "");
  }
}
