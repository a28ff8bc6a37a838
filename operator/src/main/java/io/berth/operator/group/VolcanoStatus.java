package io.berth.operator.group;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.GroupState;
import io.berth.engine.model.GroupModel;
import io.berth.operator.group.PodPhases.Counts;
import io.berth.operator.group.StatusChange.News;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;

/**
 * The status of {@code scheduling.volcano.sh/v1beta1}, as Volcano's scheduler writes it: the phase,
 * for which Volcano's controllers wait, and either the condition Unschedulable or the condition
 * Scheduled.
 *
 * <p>Groups are admitted (phase Inqueue) as soon as the limits of their queue allow it, even if
 * their {@code minResources} are not available: a group without pods could neither preempt others
 * nor reserve capacity, so on a full cluster its controller might never create them. The engine
 * checks {@code minResources} once the pods exist.
 */
final class VolcanoStatus implements GroupStatus {
  private static final String UNSCHEDULABLE = "Unschedulable";
  private static final String SCHEDULED = "Scheduled";
  private static final String PENDING = "Pending";
  private static final Set<String> CONDITIONS = Set.of(UNSCHEDULABLE, SCHEDULED);

  @Override
  public Optional<StatusChange> change(
      StatusView object, GroupState group, PodPhases phases, Instant now) {
    Counts counts = phases.of(group.group());
    boolean scheduled = GroupStatus.isScheduled(group);
    boolean heldBack = isHeldBack(object, group);
    String reason = reason(object, group);
    ObjectNode fields = JsonNodeFactory.instance.objectNode();
    String phase = heldBack ? PENDING : phase(group, counts);
    boolean urgent = !object.status().path("phase").asText().equals(phase);
    if (urgent) {
      fields.put("phase", phase);
    }
    count("running", counts.running(), object, fields);
    count("succeeded", counts.succeeded(), object, fields);
    count("failed", counts.failed(), object, fields);
    Optional<News> news = Optional.empty();
    if (scheduled || !reason.isEmpty()) {
      ObjectNode condition = condition(group, scheduled, reason);
      Optional<JsonNode> before = object.condition(condition.path("type").asText());
      boolean alone =
          CONDITIONS.stream().filter(type -> object.condition(type).isPresent()).count() == 1;
      boolean turned = before.isEmpty() || !alone;
      if (turned || !saysTheSame(before.get(), condition)) {
        condition.put(
            "lastTransitionTime",
            turned
                ? now.truncatedTo(ChronoUnit.SECONDS).toString()
                : before.get().path("lastTransitionTime").asText());
        fields.set("conditions", object.conditions(condition, CONDITIONS::contains));
        urgent |= turned;
        news = turned ? Optional.of(news(scheduled, reason)) : Optional.empty();
      }
    }
    return fields.isEmpty()
        ? Optional.empty()
        : Optional.of(new StatusChange(fields, urgent, news));
  }

  /**
   * Returns whether the queue of a group has to admit it first. A group that the object shows as
   * admitted stays so: the report may be older.
   */
  private static boolean isHeldBack(StatusView object, GroupState group) {
    String phase = object.status().path("phase").asText();
    return group.heldBack().isPresent() && (phase.isEmpty() || phase.equals(PENDING));
  }

  /**
   * Returns the reason why a group waits; empty if it does not, or if its pods have no reason yet.
   * If its condition has a reason already, it is replaced when the queue has admitted the group.
   */
  private static String reason(StatusView object, GroupState group) {
    if (isHeldBack(object, group)) {
      return group.heldBack().orElseThrow();
    }
    String reason = GroupStatus.reason(group);
    return reason.isEmpty()
            && group.phase() == GroupState.Phase.INCOMPLETE
            && object.condition(UNSCHEDULABLE).isPresent()
        ? group.message()
        : reason;
  }

  private static String phase(GroupState group, Counts counts) {
    int scheduled = group.placed() + group.succeeded() + counts.failed();
    if (scheduled > 0 && scheduled >= minMember(group)) {
      return scheduled == counts.completed() ? "Completed" : "Running";
    }
    return counts.running() > 0 && !GroupStatus.reason(group).isEmpty() ? "Unknown" : "Inqueue";
  }

  private static int minMember(GroupState group) {
    return group.model().map(GroupModel::minMember).orElse(0);
  }

  private static ObjectNode condition(GroupState group, boolean scheduled, String reason) {
    ObjectNode condition = JsonNodeFactory.instance.objectNode();
    condition.put("type", scheduled ? SCHEDULED : UNSCHEDULABLE);
    condition.put("status", "True");
    if (scheduled) {
      return condition.put("reason", "tasks in gang are ready to be scheduled");
    }
    condition.put(
        "reason",
        group.phase() != GroupState.Phase.INCOMPLETE || group.heldBack().isPresent()
            ? "NotEnoughResources"
            : group.existing() < minMember(group) ? "NotEnoughTasks" : "NotEnoughPodsOfTask");
    return condition.put("message", reason);
  }

  private static boolean saysTheSame(JsonNode before, ObjectNode condition) {
    return before.path("status").equals(condition.path("status"))
        && before.path("reason").equals(condition.path("reason"))
        && before.path("message").asText().equals(condition.path("message").asText());
  }

  private static News news(boolean scheduled, String reason) {
    return scheduled
        ? new News(false, SCHEDULED, "pod group is ready")
        : new News(true, UNSCHEDULABLE, reason);
  }

  private static void count(String field, int value, StatusView object, ObjectNode fields) {
    if (object.status().path(field).asInt() != value) {
      fields.put(field, value);
    }
  }
}
