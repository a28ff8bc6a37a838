package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.berth.operator.query.ApiTable.Column;
import java.time.Instant;
import java.util.List;

/** The tables of the kinds that can be listed. */
final class ApiTables {
  private static final ApiTable DECISIONS =
      new ApiTable(
          List.of(
              new Column("Name", "string", 0, "The name of the pod"),
              new Column("Result", "string", 0, "The last decision about it"),
              new Column("Node", "string", 0, "The node that was selected"),
              new Column("Policy", "string", 0, "The SchedulingPolicy"),
              new Column("Attempts", "integer", 0, "The number of decisions about the pod"),
              new Column("Age", "string", 0, "The time since the decision"),
              new Column("Message", "string", ApiTable.WIDE, "The reason")),
          ApiTables::decision);

  private static final ApiTable POOLS =
      new ApiTable(
          List.of(
              new Column("Name", "string", 0, "The value of the label"),
              new Column("Nodes", "integer", 0, "The number of nodes"),
              new Column("Pods", "string", 0, "The number of pods on them"),
              new Column("CPU", "string", 0, "The CPUs that pods request"),
              new Column("CPU%", "string", 0, "The share of the allocatable CPUs"),
              new Column("Memory", "string", 0, "The memory that pods request"),
              new Column("Memory%", "string", 0, "The share of the allocatable memory"),
              new Column("Largest-CPU", "string", 0, "The CPUs of the largest shape that fits"),
              new Column("Largest-Memory", "string", 0, "The memory of that shape"),
              new Column("Free-Cards", "string", 0, "The GPU cards that no pod holds"),
              new Column("Unschedulable", "integer", ApiTable.WIDE, "The cordoned nodes"),
              new Column("Label", "string", ApiTable.WIDE, "The label that groups the nodes")),
          ApiTables::pool);

  private static final ApiTable PENDING_REASONS =
      new ApiTable(
          List.of(
              new Column("Name", "string", 0, "The reason as a name"),
              new Column("Code", "string", 0, "The reason of the condition PodScheduled"),
              new Column("Pods", "integer", 0, "The number of pods that wait"),
              new Column("Namespaces", "integer", 0, "The number of their namespaces"),
              new Column("Oldest", "string", 0, "The age of the oldest of them"),
              new Column("Reason", "string", ApiTable.WIDE, "The reason in words")),
          ApiTables::pendingReason);

  private ApiTables() {}

  /** Returns the table of a resource that can be listed. */
  static ApiTable of(QueryResource resource) {
    return switch (resource) {
      case DECISIONS -> DECISIONS;
      case POOLS -> POOLS;
      case PENDING_REASONS -> PENDING_REASONS;
      case PLACEMENT_REVIEWS, POLICY_REVIEWS, LOCAL_POLICY_REVIEWS ->
          throw new IllegalArgumentException(resource + " cannot be listed");
    };
  }

  private static ArrayNode decision(JsonNode decision, Instant now) {
    JsonNode status = decision.path("status");
    return row(decision)
        .add(status.path("result").asText())
        .add(status.path("node").asText(""))
        .add(status.at("/policy/name").asText())
        .add(status.path("attempts").asInt())
        .add(ApiTable.age(decision.at("/metadata/creationTimestamp").asText(), now))
        .add(status.path("message").asText());
  }

  private static ArrayNode pool(JsonNode pool, Instant now) {
    JsonNode status = pool.path("status");
    JsonNode cpu = resource(status, "cpu");
    JsonNode memory = resource(status, "memory");
    return row(pool)
        .add(status.path("nodes").asInt())
        .add(resource(status, "pods").path("requested").asText("0"))
        .add(cpu.path("requested").asText("0"))
        .add(percent(cpu))
        .add(memory.path("requested").asText("0"))
        .add(percent(memory))
        .add(status.at("/largestShape/cpu").asText(""))
        .add(status.at("/largestShape/memory").asText(""))
        .add(status.at("/cards/free").asText(""))
        .add(status.path("unschedulableNodes").asInt())
        .add(status.path("label").asText());
  }

  private static JsonNode resource(JsonNode status, String name) {
    for (JsonNode resource : status.path("resources")) {
      if (resource.path("name").asText().equals(name)) {
        return resource;
      }
    }
    return JsonNodeFactory.instance.missingNode();
  }

  private static String percent(JsonNode resource) {
    return resource.has("requestedPercent") ? resource.path("requestedPercent").asText() + "%" : "";
  }

  private static ArrayNode pendingReason(JsonNode reason, Instant now) {
    JsonNode status = reason.path("status");
    return row(reason)
        .add(status.path("code").asText())
        .add(status.path("pods").asInt())
        .add(status.path("namespaces").asInt())
        .add(ApiTable.age(status.path("oldest").asText(), now))
        .add(status.path("reason").asText());
  }

  /** Returns cells with the name. */
  private static ArrayNode row(JsonNode object) {
    return JsonNodeFactory.instance.arrayNode().add(object.at("/metadata/name").asText());
  }
}
