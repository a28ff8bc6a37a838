package io.berth.sandbox.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** The table format of nodes, as in {@code kubectl get nodes}. */
final class NodeTable {
  private static final String ROLE_PREFIX = "node-role.kubernetes.io/";

  private NodeTable() {}

  static TableFormat format() {
    return new TableFormat(
        List.of(
            Column.named(),
            Column.text("Status"),
            Column.text("Roles"),
            Column.age(),
            Column.text("Version"),
            Column.wide("Internal-IP"),
            Column.wide("External-IP"),
            Column.wide("OS-Image"),
            Column.wide("Kernel-Version"),
            Column.wide("Container-Runtime")),
        NodeTable::cells);
  }

  private static List<Object> cells(JsonNode node, Instant now) {
    JsonNode info = node.path("status").path("nodeInfo");
    return List.of(
        Cells.name(node),
        status(node),
        roles(node),
        Ages.age(node, now),
        info.path("kubeletVersion").asText(),
        address(node, "InternalIP"),
        address(node, "ExternalIP"),
        orUnknown(info.path("osImage").asText()),
        orUnknown(info.path("kernelVersion").asText()),
        orUnknown(info.path("containerRuntimeVersion").asText()));
  }

  private static String status(JsonNode node) {
    List<String> words = new ArrayList<>();
    for (JsonNode condition : node.path("status").path("conditions")) {
      if (condition.path("type").asText().equals("Ready")) {
        words.add(condition.path("status").asText().equals("True") ? "Ready" : "NotReady");
      }
    }
    if (words.isEmpty()) {
      words.add("Unknown");
    }
    if (node.path("spec").path("unschedulable").asBoolean()) {
      words.add("SchedulingDisabled");
    }
    return String.join(",", words);
  }

  private static String roles(JsonNode node) {
    TreeSet<String> roles = new TreeSet<>();
    node.path("metadata")
        .path("labels")
        .properties()
        .forEach(
            label -> {
              if (label.getKey().startsWith(ROLE_PREFIX)
                  && label.getKey().length() > ROLE_PREFIX.length()) {
                roles.add(label.getKey().substring(ROLE_PREFIX.length()));
              } else if (label.getKey().equals("kubernetes.io/role")
                  && !label.getValue().asText().isEmpty()) {
                roles.add(label.getValue().asText());
              }
            });
    return Cells.orNone(String.join(",", roles));
  }

  private static String address(JsonNode node, String type) {
    for (JsonNode address : node.path("status").path("addresses")) {
      if (address.path("type").asText().equals(type)) {
        return address.path("address").asText();
      }
    }
    return Cells.NONE;
  }

  private static String orUnknown(String text) {
    return text.isEmpty() ? Ages.UNKNOWN : text;
  }
}
