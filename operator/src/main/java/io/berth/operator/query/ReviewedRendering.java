package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.PodModel;
import io.berth.engine.whatif.PodChange;
import io.berth.operator.feed.FedPod;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.admission.PodVerdict;
import io.berth.webhook.binding.CatalogChange;
import io.berth.webhook.binding.PodSubject;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The pods as the webhook's code renders them before and after a change of a config or binding.
 * Pods with the same origin, labels, and node name are rendered once.
 */
final class ReviewedRendering {
  /** The tolerations that the DaemonSet controller adds for every pod, by the key of the taint. */
  private static final Map<String, String> OF_DAEMON_SETS =
      Map.of(
          "node.kubernetes.io/not-ready", "NoExecute",
          "node.kubernetes.io/unreachable", "NoExecute",
          "node.kubernetes.io/disk-pressure", "NoSchedule",
          "node.kubernetes.io/memory-pressure", "NoSchedule",
          "node.kubernetes.io/pid-pressure", "NoSchedule",
          "node.kubernetes.io/unschedulable", "NoSchedule");

  private final PodMutator mutator;
  private final KubeEvents events;
  private final CatalogChange change;
  private final Map<String, StoredPod> pods;
  private final PodOrigins.Origins origins;
  private final KubernetesSerialization serialization = new KubernetesSerialization();
  private final Map<Key, Rendering> known = new HashMap<>();

  /**
   * The properties that pods have in common if they are rendered alike.
   *
   * @param node the node of a DaemonSet's pod; empty for other pods
   */
  private record Key(PodOrigins.Source origin, PodSubject pod, String node) {}

  /**
   * A pod that the change may concern.
   *
   * @param asWritten the pod as its author wrote it, as far as bindings select by it
   */
  record StoredPod(FedPod pod, PodSubject asWritten) {}

  /** The effect of the change on pods that are rendered alike. */
  private sealed interface Rendering {
    /** The same for each of them. */
    record Same(PodChange change) implements Rendering {}

    /**
     * They would differ.
     *
     * @param before a pod as it would be rendered today; empty if it would be denied
     * @param after a pod as it would be rendered
     */
    record Differs(Optional<PodModel> before, PodModel after) implements Rendering {}
  }

  /** The result for a pod that a client creates. */
  private sealed interface Rendered {}

  private record Created(PodModel pod) implements Rendered {}

  private record Refused(String message) implements Rendered {}

  /**
   * @param pods the pods that the change may concern, by UID
   */
  ReviewedRendering(
      PodMutator mutator,
      KubeEvents events,
      CatalogChange change,
      Map<String, StoredPod> pods,
      PodOrigins.Origins origins) {
    this.mutator = mutator;
    this.events = events;
    this.change = change;
    this.pods = pods;
    this.origins = origins;
  }

  /**
   * Returns what the change means for a pod.
   *
   * @param expired returns whether the time has run out
   */
  PodChange of(PodModel model, BooleanSupplier expired) {
    StoredPod pod = pods.get(model.ref().uid());
    if (pod == null) {
      return new PodChange.NotConcerned();
    }
    return switch (origins.of(pod.pod())) {
      case PodOrigins.Origin.Unknown() -> new PodChange.UnknownOrigin();
      case PodOrigins.Origin.NotRead() -> new PodChange.NotFoundOut();
      case PodOrigins.Origin.Known origin -> of(model, pod, origin, expired);
    };
  }

  private PodChange of(
      PodModel model, StoredPod pod, PodOrigins.Origin.Known origin, BooleanSupplier expired) {
    String node = model.isOfDaemonSet() ? model.spec().nodes().pinnedNode().orElse("") : "";
    Key key = new Key(origin.source(), pod.asWritten(), node);
    Rendering rendering = known.get(key);
    if (rendering == null) {
      if (expired.getAsBoolean()) {
        return new PodChange.NotFoundOut();
      }
      rendering = render(pod, origin.pod(), node);
      known.put(key, rendering);
    }
    return switch (rendering) {
      case Rendering.Same(PodChange same) -> same;
      case Rendering.Differs(Optional<PodModel> before, PodModel after) ->
          before.isPresent()
              ? PodChange.Changed.rendered(model, before.get(), after)
              : PodChange.admitted(model, after);
    };
  }

  private Rendering render(StoredPod pod, ObjectNode origin, String node) {
    ObjectNode created = created(pod, origin, node);
    PodSubject subject = PodSubject.of(pod.asWritten().namespace(), created);
    if (!change.concerns(subject)) {
      return new Rendering.Same(new PodChange.NotConcerned());
    }
    Rendered today = rendered(created, mutator.mutate(subject, created, change.before()));
    Rendered then = rendered(created, mutator.mutate(subject, created, change.after()));
    if (today.equals(then) || (today instanceof Refused && then instanceof Refused)) {
      return new Rendering.Same(new PodChange.Unchanged());
    }
    return switch (then) {
      case Refused(String message) -> new Rendering.Same(new PodChange.Denied(message));
      case Created(PodModel after) ->
          new Rendering.Differs(
              today instanceof Created(PodModel before) ? Optional.of(before) : Optional.empty(),
              after);
    };
  }

  /** Returns the pod as a client creates it, as far as rendering and placement read it. */
  private static ObjectNode created(StoredPod stored, ObjectNode origin, String node) {
    FedPod pod = stored.pod();
    ObjectNode created = origin.deepCopy();
    ObjectNode metadata = created.withObject("/metadata");
    metadata.put("namespace", pod.ref().namespace());
    metadata.put("name", pod.ref().name()).put("uid", pod.ref().uid());
    metadata.put("creationTimestamp", pod.createdAt().toString());
    if (!pod.generateName().isEmpty()) {
      metadata.put("generateName", pod.generateName());
    }
    JsonNode queue = metadata.path("labels").path(Annotations.QUEUE_LABEL);
    ObjectNode labels = metadata.putObject("labels");
    stored.asWritten().labels().forEach(labels::put);
    if (!queue.isMissingNode()) {
      labels.set(Annotations.QUEUE_LABEL, queue);
    }
    pod.controller()
        .ifPresent(
            owner ->
                metadata
                    .putArray("ownerReferences")
                    .addObject()
                    .put("apiVersion", owner.getApiVersion())
                    .put("kind", owner.getKind())
                    .put("name", owner.getName())
                    .put("uid", owner.getUid())
                    .put("controller", true));
    if (!node.isEmpty()) {
      asOfDaemonSet(created.withObject("/spec"), node);
    }
    return created;
  }

  /** Completes the spec of a pod as the DaemonSet controller does. */
  private static void asOfDaemonSet(ObjectNode spec, String node) {
    ObjectNode required =
        spec.withObject("/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution");
    ObjectNode field =
        required.putArray("nodeSelectorTerms").addObject().putArray("matchFields").addObject();
    field.put("key", "metadata.name").put("operator", "In").putArray("values").add(node);
    ArrayNode tolerations = spec.withArray("tolerations");
    OF_DAEMON_SETS.forEach(
        (key, effect) ->
            tolerations
                .addObject()
                .put("key", key)
                .put("operator", "Exists")
                .put("effect", effect));
  }

  private Rendered rendered(ObjectNode created, PodVerdict verdict) {
    return switch (verdict) {
      case PodVerdict.Denied denied -> new Refused(denied.message());
      case PodVerdict.Admitted admitted -> patched(created, admitted.patch());
    };
  }

  private Rendered patched(ObjectNode created, ArrayNode patch) {
    Pod pod = serialization.convertValue(ReviewedPod.created(created, patch), Pod.class);
    ClusterEvent event = events.upserted(pod);
    return switch (event) {
      case ClusterEvent.PodUpserted upserted -> new Created(upserted.pod());
      case ClusterEvent.Malformed malformed ->
          new Refused("it would be invalid: " + malformed.refusal().reason());
      default -> throw new IllegalStateException("no event about a pod: " + event);
    };
  }
}
