package io.berth.sandbox.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The table formats of Deployments, ReplicaSets, StatefulSets, DaemonSets, and Jobs. */
final class WorkloadTables {
  private WorkloadTables() {}

  private static final List<Column> POD_COLUMNS =
      List.of(Column.wide("Containers"), Column.wide("Images"), Column.wide("Selector"));

  private static List<Column> withPods(Column... columns) {
    List<Column> all = new ArrayList<>(List.of(columns));
    all.addAll(POD_COLUMNS);
    return List.copyOf(all);
  }

  private static List<Object> withPods(JsonNode object, Object... cells) {
    JsonNode spec = object.path("spec");
    JsonNode pod = spec.path("template").path("spec");
    List<Object> all = new ArrayList<>(List.of(cells));
    all.add(Cells.containers(pod, "name"));
    all.add(Cells.containers(pod, "image"));
    all.add(Cells.selector(spec.path("selector")));
    return all;
  }

  static TableFormat deployments() {
    return new TableFormat(
        withPods(
            Column.named(),
            Column.text("Ready"),
            Column.text("Up-to-date"),
            Column.text("Available"),
            Column.age()),
        (object, now) -> {
          JsonNode status = object.path("status");
          return withPods(
              object,
              Cells.name(object),
              status.path("readyReplicas").asInt()
                  + "/"
                  + object.path("spec").path("replicas").asInt(),
              status.path("updatedReplicas").asInt(),
              status.path("availableReplicas").asInt(),
              Ages.age(object, now));
        });
  }

  static TableFormat replicaSets() {
    return new TableFormat(
        withPods(
            Column.named(),
            Column.number("Desired"),
            Column.number("Current"),
            Column.number("Ready"),
            Column.age()),
        (object, now) -> {
          JsonNode status = object.path("status");
          return withPods(
              object,
              Cells.name(object),
              object.path("spec").path("replicas").asInt(),
              status.path("replicas").asInt(),
              status.path("readyReplicas").asInt(),
              Ages.age(object, now));
        });
  }

  static TableFormat statefulSets() {
    return new TableFormat(
        List.of(
            Column.named(),
            Column.text("Ready"),
            Column.age(),
            Column.wide("Containers"),
            Column.wide("Images")),
        (object, now) -> {
          JsonNode pod = object.path("spec").path("template").path("spec");
          return List.of(
              Cells.name(object),
              object.path("status").path("readyReplicas").asInt()
                  + "/"
                  + object.path("spec").path("replicas").asInt(),
              Ages.age(object, now),
              Cells.containers(pod, "name"),
              Cells.containers(pod, "image"));
        });
  }

  static TableFormat daemonSets() {
    return new TableFormat(
        withPods(
            Column.named(),
            Column.number("Desired"),
            Column.number("Current"),
            Column.number("Ready"),
            Column.number("Up-to-date"),
            Column.number("Available"),
            Column.text("Node Selector"),
            Column.age()),
        (object, now) -> {
          JsonNode status = object.path("status");
          return withPods(
              object,
              Cells.name(object),
              status.path("desiredNumberScheduled").asInt(),
              status.path("currentNumberScheduled").asInt(),
              status.path("numberReady").asInt(),
              status.path("updatedNumberScheduled").asInt(),
              status.path("numberAvailable").asInt(),
              Cells.labels(object.path("spec").path("template").path("spec").path("nodeSelector")),
              Ages.age(object, now));
        });
  }

  static TableFormat jobs() {
    return new TableFormat(
        withPods(
            Column.named(),
            Column.text("Status"),
            Column.text("Completions"),
            Column.text("Duration"),
            Column.age()),
        (object, now) ->
            withPods(
                object,
                Cells.name(object),
                jobStatus(object),
                completions(object),
                duration(object, now),
                Ages.age(object, now)));
  }

  private static String completions(JsonNode job) {
    int succeeded = job.path("status").path("succeeded").asInt();
    JsonNode spec = job.path("spec");
    if (spec.has("completions")) {
      return succeeded + "/" + spec.path("completions").asInt();
    }
    int parallelism = spec.path("parallelism").asInt();
    return parallelism > 1 ? succeeded + "/1 of " + parallelism : succeeded + "/1";
  }

  private static String jobStatus(JsonNode job) {
    if (holds(job, "Complete")) {
      return "Complete";
    }
    if (holds(job, "Failed")) {
      return "Failed";
    }
    if (job.path("metadata").has("deletionTimestamp")) {
      return "Terminating";
    }
    if (holds(job, "Suspended")) {
      return "Suspended";
    }
    if (holds(job, "FailureTarget")) {
      return "FailureTarget";
    }
    return holds(job, "SuccessCriteriaMet") ? "SuccessCriteriaMet" : "Running";
  }

  private static boolean holds(JsonNode job, String type) {
    for (JsonNode condition : job.path("status").path("conditions")) {
      if (condition.path("type").asText().equals(type)
          && condition.path("status").asText().equals("True")) {
        return true;
      }
    }
    return false;
  }

  private static String duration(JsonNode job, Instant now) {
    JsonNode status = job.path("status");
    if (!status.has("startTime")) {
      return "";
    }
    Instant start = Instant.parse(status.path("startTime").asText());
    Instant end =
        status.has("completionTime") ? Instant.parse(status.path("completionTime").asText()) : now;
    return Ages.human(Duration.between(start, end));
  }
}
