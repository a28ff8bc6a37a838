package io.berth.operator.group;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.GroupState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The condition of PodGroups of {@code scheduling.k8s.io}, as kube-scheduler writes it: once True,
 * it remains True whatever happens to the pods. It is PodGroupScheduled in v1alpha2, and
 * PodGroupInitiallyScheduled in later versions. PodGroups without a pod that Berth places are left
 * to other schedulers.
 */
final class KubernetesStatus implements GroupStatus {
  private static final String ALPHA = "scheduling.k8s.io/v1alpha2";
  private static final String TYPE_OF_ALPHA = "PodGroupScheduled";
  private static final String TYPE = "PodGroupInitiallyScheduled";
  private static final int LONGEST_MESSAGE = 32_768;

  @Override
  public Optional<StatusChange> change(
      StatusView object, GroupState group, PodPhases phases, Instant now) {
    String type = object.apiVersion().equals(ALPHA) ? TYPE_OF_ALPHA : TYPE;
    Optional<JsonNode> before = object.condition(type);
    boolean wasTrue = before.filter(it -> it.path("status").asText().equals("True")).isPresent();
    boolean scheduled = GroupStatus.isScheduled(group);
    String reason = GroupStatus.reason(group);
    if (!group.pods().ofThisScheduler() || wasTrue || (!scheduled && reason.isEmpty())) {
      return Optional.empty();
    }
    String status = scheduled ? "True" : "False";
    String message = scheduled ? "" : reason;
    ObjectNode condition = JsonNodeFactory.instance.objectNode();
    condition.put("type", type);
    condition.put("status", status);
    condition.put(
        "reason",
        scheduled
            ? "Scheduled"
            : group.pods().attemptFailed() ? "SchedulerError" : "Unschedulable");
    condition.put("message", message.substring(0, Math.min(message.length(), LONGEST_MESSAGE)));
    object.generation().ifPresent(at -> condition.put("observedGeneration", at));
    boolean flips = before.filter(it -> it.path("status").asText().equals(status)).isEmpty();
    condition.put(
        "lastTransitionTime",
        flips
            ? now.truncatedTo(ChronoUnit.SECONDS).toString()
            : before.orElseThrow().path("lastTransitionTime").asText());
    if (before.filter(it -> saysTheSame(it, condition)).isPresent()) {
      return Optional.empty();
    }
    boolean otherReason =
        before.filter(it -> it.path("reason").equals(condition.path("reason"))).isEmpty();
    ObjectNode fields = JsonNodeFactory.instance.objectNode();
    fields.set("conditions", object.conditions(condition, type::equals));
    return Optional.of(new StatusChange(fields, flips || otherReason, Optional.empty()));
  }

  private static boolean saysTheSame(JsonNode before, ObjectNode condition) {
    return Stream.of("status", "reason", "message", "observedGeneration")
        .allMatch(field -> before.path(field).asText().equals(condition.path(field).asText()));
  }
}
