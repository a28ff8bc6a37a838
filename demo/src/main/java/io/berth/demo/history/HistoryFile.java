package io.berth.demo.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.history.ClusterChange.ClaimChange;
import io.berth.demo.history.ClusterChange.NodeChange;
import io.berth.demo.history.ClusterChange.PodChange;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A file of JSON lines that contains a history: one line for each change, each fault, and each
 * queue, and an end marker.
 */
public final class HistoryFile {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String KIND = "kind";

  private HistoryFile() {}

  /** Writes a history. */
  public static void write(History history, Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (ClusterChange change : history.changes()) {
        line(out, toJson(change));
      }
      for (FaultSpan fault : history.faults()) {
        line(
            out,
            JSON.createObjectNode()
                .put(KIND, "fault")
                .put("what", fault.what())
                .put("began", fault.began().toString())
                .put("ended", fault.ended().toString()));
      }
      for (TenantQueue queue : history.queues()) {
        ObjectNode json = JSON.createObjectNode().put(KIND, "queue").put("name", queue.name());
        json.set("guarantee", JSON.valueToTree(queue.guarantee().thousandths()));
        json.set("limit", JSON.valueToTree(queue.limit().thousandths()));
        line(out, json);
      }
      line(out, JSON.createObjectNode().put(KIND, "end").put("at", history.end().toString()));
    }
  }

  /**
   * Reads a history.
   *
   * @throws IOException if the file is not a history or is incomplete
   */
  public static History read(Path file) throws IOException {
    List<ClusterChange> changes = new ArrayList<>();
    List<FaultSpan> faults = new ArrayList<>();
    List<TenantQueue> queues = new ArrayList<>();
    Optional<Instant> end = Optional.empty();
    int number = 0;
    for (String line : Files.readAllLines(file)) {
      number++;
      try {
        JsonNode json = JSON.readTree(line);
        switch (json.path(KIND).asText()) {
          case "pod", "node", "claim" -> changes.add(change(json));
          case "fault" ->
              faults.add(
                  new FaultSpan(
                      json.required("what").asText(),
                      instant(json, "began"),
                      instant(json, "ended")));
          case "queue" ->
              queues.add(
                  new TenantQueue(
                      json.required("name").asText(),
                      amounts(json.required("guarantee")),
                      amounts(json.required("limit"))));
          case "end" -> end = Optional.of(instant(json, "at"));
          default -> throw new IllegalArgumentException("unknown kind");
        }
      } catch (JsonProcessingException | RuntimeException e) {
        throw new IOException(
            "%s, line %d is not part of a history: %s".formatted(file, number, e.getMessage()), e);
      }
    }
    return new History(
        changes,
        faults,
        end.orElseThrow(() -> new IOException(file + " is incomplete: its last line is missing")),
        queues);
  }

  private static void line(BufferedWriter out, JsonNode json) throws IOException {
    out.write(json.toString());
    out.newLine();
  }

  private static ObjectNode toJson(ClusterChange change) {
    ObjectNode json =
        JSON.createObjectNode()
            .put(KIND, kind(change))
            .put("version", change.version())
            .put("at", change.at().toString())
            .put("deleted", change.deleted());
    switch (change) {
      case PodChange seen -> put(json, seen.pod());
      case NodeChange seen -> put(json, seen.node());
      case ClaimChange seen -> put(json, seen.claim());
    }
    return json;
  }

  private static String kind(ClusterChange change) {
    return switch (change) {
      case PodChange pod -> "pod";
      case NodeChange node -> "node";
      case ClaimChange claim -> "claim";
    };
  }

  private static void put(ObjectNode json, PodState pod) {
    json.put("uid", pod.uid())
        .put("namespace", pod.namespace())
        .put("name", pod.name())
        .put("scheduler", pod.scheduler())
        .put("priority", pod.priority())
        .put("gated", pod.gated())
        .put("leaving", pod.leaving())
        .put("finished", pod.finished());
    json.set("requests", JSON.valueToTree(pod.requests().thousandths()));
    json.set("nodeSelector", JSON.valueToTree(pod.nodeSelector()));
    pod.node().ifPresent(node -> json.put("node", node));
    pod.evictedBy().ifPresent(scheduler -> json.put("evictedBy", scheduler));
    pod.queue().ifPresent(queue -> json.put("queue", queue));
  }

  private static void put(ObjectNode json, NodeState node) {
    json.put("name", node.name()).put("open", node.open());
    json.set("labels", JSON.valueToTree(node.labels()));
    json.set("allocatable", JSON.valueToTree(node.allocatable().thousandths()));
  }

  private static void put(ObjectNode json, ClaimState claim) {
    json.put("namespace", claim.namespace()).put("name", claim.name());
    json.set("devices", JSON.valueToTree(new TreeSet<>(claim.devices())));
    json.set("users", JSON.valueToTree(new TreeSet<>(claim.users())));
  }

  private static ClusterChange change(JsonNode json) {
    long version = json.required("version").longValue();
    Instant at = instant(json, "at");
    boolean deleted = json.required("deleted").booleanValue();
    return switch (json.path(KIND).asText()) {
      case "pod" -> new PodChange(version, at, deleted, pod(json));
      case "node" -> new NodeChange(version, at, deleted, node(json));
      default -> new ClaimChange(version, at, deleted, claim(json));
    };
  }

  private static PodState pod(JsonNode json) {
    return new PodState(
        json.required("uid").asText(),
        json.required("namespace").asText(),
        json.required("name").asText(),
        json.required("scheduler").asText(),
        json.required("priority").intValue(),
        amounts(json.required("requests")),
        texts(json.required("nodeSelector")),
        Optional.ofNullable(json.get("node")).map(JsonNode::asText),
        json.required("gated").booleanValue(),
        json.required("leaving").booleanValue(),
        json.required("finished").booleanValue(),
        Optional.ofNullable(json.get("evictedBy")).map(JsonNode::asText),
        Optional.ofNullable(json.get("queue")).map(JsonNode::asText));
  }

  private static NodeState node(JsonNode json) {
    return new NodeState(
        json.required("name").asText(),
        texts(json.required("labels")),
        amounts(json.required("allocatable")),
        json.required("open").booleanValue());
  }

  private static ClaimState claim(JsonNode json) {
    return new ClaimState(
        json.required("namespace").asText(),
        json.required("name").asText(),
        set(json.required("devices")),
        set(json.required("users")));
  }

  private static Set<String> set(JsonNode json) {
    return json.valueStream().map(JsonNode::asText).collect(Collectors.toSet());
  }

  private static Amounts amounts(JsonNode json) {
    SortedMap<String, Long> amounts = new TreeMap<>();
    json.properties().forEach(entry -> amounts.put(entry.getKey(), entry.getValue().longValue()));
    return new Amounts(amounts);
  }

  private static Map<String, String> texts(JsonNode json) {
    Map<String, String> texts = new TreeMap<>();
    json.properties().forEach(entry -> texts.put(entry.getKey(), entry.getValue().asText()));
    return texts;
  }

  private static Instant instant(JsonNode json, String field) {
    return Instant.parse(json.required(field).asText());
  }
}
