package io.berth.sandbox.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The table format of pods, as in {@code kubectl get pods}. The status column follows the rules of
 * the real API server's printer.
 */
final class PodTable {
  private PodTable() {}

  static TableFormat format() {
    return new TableFormat(
        List.of(
            Column.named(),
            Column.text("Ready"),
            Column.text("Status"),
            Column.text("Restarts"),
            Column.age(),
            Column.wide("IP"),
            Column.wide("Node"),
            Column.wide("Nominated Node"),
            Column.wide("Readiness Gates")),
        PodTable::cells);
  }

  private static List<Object> cells(JsonNode pod, Instant now) {
    JsonNode status = pod.path("status");
    Counts counts = new Counts(pod);
    String restarts =
        counts.lastRestart.isEmpty() || counts.restarts == 0
            ? Integer.toString(counts.restarts)
            : counts.restarts + " (" + Ages.since(counts.lastRestart, now) + " ago)";
    return List.of(
        Cells.name(pod),
        counts.ready + "/" + counts.total,
        counts.reason,
        restarts,
        Ages.age(pod, now),
        Cells.orNone(status.path("podIP").asText()),
        Cells.orNone(pod.path("spec").path("nodeName").asText()),
        Cells.orNone(status.path("nominatedNodeName").asText()),
        readinessGates(pod));
  }

  private static String readinessGates(JsonNode pod) {
    JsonNode gates = pod.path("spec").path("readinessGates");
    if (gates.isEmpty()) {
      return Cells.NONE;
    }
    int met = 0;
    for (JsonNode gate : gates) {
      met +=
          condition(pod, gate.path("conditionType").asText()).filter("True"::equals).isPresent()
              ? 1
              : 0;
    }
    return met + "/" + gates.size();
  }

  private static Optional<String> condition(JsonNode pod, String type) {
    for (JsonNode condition : pod.path("status").path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return Optional.of(condition.path("status").asText());
      }
    }
    return Optional.empty();
  }

  /** The container counts, and the reason shown in the status column. */
  private static final class Counts {
    private int ready;
    private int total;
    private int restarts;
    private String lastRestart = "";
    private String reason;

    Counts(JsonNode pod) {
      JsonNode status = pod.path("status");
      total = pod.path("spec").path("containers").size();
      reason = status.path("phase").asText();
      if (!status.path("reason").asText().isEmpty()) {
        reason = status.path("reason").asText();
      }
      for (JsonNode condition : status.path("conditions")) {
        if (condition.path("type").asText().equals("PodScheduled")
            && condition.path("reason").asText().equals("SchedulingGated")) {
          reason = "SchedulingGated";
        }
      }
      if (!initializing(pod)) {
        containers(pod);
      }
      if (pod.path("metadata").has("deletionTimestamp")) {
        reason =
            status.path("reason").asText().equals("NodeLost")
                ? "Unknown"
                : finished(status) ? reason : "Terminating";
      }
    }

    private static boolean finished(JsonNode status) {
      String phase = status.path("phase").asText();
      return phase.equals("Succeeded") || phase.equals("Failed");
    }

    private boolean initializing(JsonNode pod) {
      JsonNode statuses = pod.path("status").path("initContainerStatuses");
      JsonNode specs = pod.path("spec").path("initContainers");
      for (int i = 0; i < statuses.size(); i++) {
        JsonNode container = statuses.get(i);
        boolean sidecar = specs.path(i).path("restartPolicy").asText().equals("Always");
        total += sidecar ? 1 : 0;
        addRestarts(container);
        JsonNode state = container.path("state");
        if (state.has("terminated") && state.path("terminated").path("exitCode").asInt() == 0) {
          continue;
        }
        if (sidecar && container.path("started").asBoolean()) {
          ready += container.path("ready").asBoolean() ? 1 : 0;
          continue;
        }
        reason = "Init:" + initReason(state, i, specs.size());
        return true;
      }
      return false;
    }

    private static String initReason(JsonNode state, int index, int count) {
      JsonNode terminated = state.path("terminated");
      if (!terminated.isMissingNode()) {
        String why = terminated.path("reason").asText();
        return why.isEmpty() ? "ExitCode:" + terminated.path("exitCode").asInt() : why;
      }
      String waiting = state.path("waiting").path("reason").asText();
      return waiting.isEmpty() || waiting.equals("PodInitializing") ? index + "/" + count : waiting;
    }

    private void containers(JsonNode pod) {
      boolean running = false;
      JsonNode statuses = pod.path("status").path("containerStatuses");
      for (int i = statuses.size() - 1; i >= 0; i--) {
        JsonNode container = statuses.get(i);
        addRestarts(container);
        JsonNode state = container.path("state");
        String waiting = state.path("waiting").path("reason").asText();
        JsonNode terminated = state.path("terminated");
        if (!waiting.isEmpty()) {
          reason = waiting;
        } else if (!terminated.isMissingNode()) {
          String why = terminated.path("reason").asText();
          reason = why.isEmpty() ? "ExitCode:" + terminated.path("exitCode").asInt() : why;
        } else if (container.path("ready").asBoolean() && state.has("running")) {
          running = true;
          ready++;
        }
      }
      if (reason.equals("Completed") && running) {
        reason =
            condition(pod, "Ready").filter("True"::equals).isPresent() ? "Running" : "NotReady";
      }
    }

    private void addRestarts(JsonNode container) {
      restarts += container.path("restartCount").asInt();
      String finished = container.path("lastState").path("terminated").path("finishedAt").asText();
      if (finished.compareTo(lastRestart) > 0) {
        lastRestart = finished;
      }
    }
  }
}
