package io.berth.operator.convert;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.quantity.ExactQuantity;
import io.berth.engine.quantity.QuantityFormatException;
import io.berth.webhook.error.ObjectNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Converts the queues of YuniKorn, from the file {@code queues.yaml} of its configuration. The
 * queue {@code root} is the whole cluster, so its parts have no parent here.
 */
final class YunikornQueues {
  private static final String ROOT = "root";
  private static final String DEFAULT = "default";
  private static final int LONGEST_LABEL = 63;

  private static final Set<String> OF_PARTITION =
      Set.of(
          "name",
          "queues",
          "placementrules",
          "limits",
          "preemption",
          "nodesortpolicy",
          "usergroupresolver");
  private static final Set<String> OF_QUEUE =
      Set.of("name", "parent", "resources", "queues", "submitacl", "adminacl");

  private final List<ConvertedObject> queues = new ArrayList<>();
  private final List<String> lost = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final Set<String> names = new LinkedHashSet<>();
  private boolean byNamespace;

  /** Converts the parsed file. */
  Conversion convert(JsonNode file) throws UnconvertibleFileException {
    JsonNode partitions = file.path("partitions");
    if (!partitions.isArray() || partitions.isEmpty()) {
      throw new UnconvertibleFileException("its field partitions is no list of partitions");
    }
    for (JsonNode partition : partitions) {
      String name = partition.path("name").asText("");
      if (name.equals(DEFAULT)) {
        read(partition);
      } else {
        lost.add(
            "partition %s: YuniKorn uses only the partition default on Kubernetes".formatted(name));
      }
    }
    if (!byNamespace && !queues.isEmpty()) {
      lost.add(
          "the file names no namespaces: add spec.namespaces to each queue, so that its pods may"
              + " name it");
    }
    return new Conversion(queues, lost, notes);
  }

  private void read(JsonNode partition) throws UnconvertibleFileException {
    readOtherFields(partition);
    JsonNode top = partition.path("queues");
    for (JsonNode queue : top) {
      if (nameOf(queue).equals(ROOT)) {
        reportFields(queue, ROOT);
        if (queue.path("resources").size() > 0) {
          lost.add("queue root, resources: they are those of the cluster");
        }
        readAll(queue.path("queues"), ROOT, "");
      } else {
        read(queue, ROOT, "");
      }
    }
  }

  private void readOtherFields(JsonNode partition) {
    int i = 0;
    for (JsonNode rule : partition.path("placementrules")) {
      readRule(rule, "placementrules[%d]".formatted(i++));
    }
    if (!partition.path("limits").isEmpty()) {
      lost.add("limits: Berth limits queues, not users or groups");
    }
    JsonNode preemption = partition.path("preemption");
    if (!preemption.isEmpty()) {
      lost.add("preemption: set spec.preemption of the SchedulingPolicy");
    }
    JsonNode nodes = partition.path("nodesortpolicy");
    if (!nodes.isEmpty()) {
      notes.add(
          "nodesortpolicy %s: the scores of the SchedulingPolicy choose nodes"
              .formatted(nodes.path("type").asText("")));
    }
    if (!partition.path("usergroupresolver").isEmpty()) {
      notes.add("usergroupresolver: Berth has no users and groups in queues");
    }
    for (Map.Entry<String, JsonNode> field : partition.properties()) {
      if (!OF_PARTITION.contains(field.getKey())) {
        lost.add(field.getKey() + ": unknown field");
      }
    }
  }

  /** Reads a rule that places applications; Berth knows the namespace and the label. */
  private void readRule(JsonNode rule, String path) {
    String name = rule.path("name").asText("").toLowerCase(Locale.ROOT);
    if (name.equals("tag") && rule.path("value").asText("").equals("namespace")) {
      byNamespace = true;
      if (rule.path("create").asBoolean()) {
        lost.add(
            path
                + ".create: Berth creates no queues; namespaces without one belong to the queue"
                + " default");
      }
      for (String field : List.of("parent", "filter")) {
        if (!rule.path(field).isEmpty()) {
          lost.add(path + "." + field + ": a namespace belongs to the queue of its name");
        }
      }
    } else if (name.equals("provided")) {
      notes.add(
          path
              + " provided: pods name their queue in the label sched.cloud.ctrip.com/queue, with"
              + " the names below");
    } else {
      lost.add("%s %s: Berth places pods by their namespace, or by a label".formatted(path, name));
    }
  }

  private void readAll(JsonNode parts, String path, String parent)
      throws UnconvertibleFileException {
    for (JsonNode part : parts) {
      read(part, path, parent);
    }
  }

  private void read(JsonNode queue, String above, String parent) throws UnconvertibleFileException {
    String own = nameOf(queue);
    String path = above + "." + own;
    JsonNode parts = queue.path("queues");
    boolean isLeaf = parts.isEmpty();
    String name = newName(path, isLeaf);
    reportFields(queue, path);
    if (isLeaf && queue.path("parent").asBoolean()) {
      lost.add("queue %s, parent: it has no parts, so pods can belong to it".formatted(path));
    }
    Map<String, String> guarantee = guaranteeOf(queue, path);
    Map<String, String> limit = amounts(queue.path("resources").path("max"), path, "resources.max");
    boolean ofNamespace = isLeaf && byNamespace && above.equals(ROOT) && ObjectNames.isValid(own);
    queues.add(
        new ConvertedQueue(path, name, parent, isLeaf, guarantee, limit, ofNamespace ? own : ""));
    readAll(parts, path, name);
  }

  private static String nameOf(JsonNode queue) throws UnconvertibleFileException {
    String name = queue.path("name").asText("");
    if (name.isEmpty()) {
      throw new UnconvertibleFileException("it has a queue without a name");
    }
    return name;
  }

  /** Returns a valid name for a queue: its path below the root, as far as possible. */
  private String newName(String path, boolean isLeaf) {
    String below = path.substring(ROOT.length() + 1);
    String valid =
        below
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^a-z0-9.-]", "-")
            .replaceAll("(^|\\.)-+", "$1")
            .replaceAll("-+(\\.|$)", "$1");
    String name = valid.isEmpty() || (valid.equals(DEFAULT) && !isLeaf) ? "root-" + valid : valid;
    String wanted = name;
    for (int i = 2; !names.add(name); i++) {
      name = wanted + "-" + i;
    }
    if (!name.equals(below)) {
      notes.add("queue %s is named %s".formatted(path, name));
    }
    if (name.length() > LONGEST_LABEL) {
      lost.add(
          "queue %s: its name is too long for a label, so pods cannot name it".formatted(path));
    }
    return name;
  }

  private void reportFields(JsonNode queue, String path) {
    for (Map.Entry<String, JsonNode> field : queue.properties()) {
      String key = field.getKey();
      if (OF_QUEUE.contains(key)) {
        continue;
      }
      String why =
          switch (key) {
            case "properties" ->
                "%s have no equivalent".formatted(String.join(", ", keysOf(field.getValue())));
            case "limits" -> "Berth limits queues, not users or groups";
            case "maxapplications" -> "Berth limits resources, also pods, but not applications";
            case "childtemplate" -> "Berth creates no queues";
            default -> "unknown field";
          };
      lost.add("queue %s, %s: %s".formatted(path, key, why));
    }
    if (queue.has("submitacl") && !queue.path("submitacl").asText("").strip().equals("*")) {
      lost.add(
          "queue %s, submitacl: spec.namespaces says whose pods may belong to a queue"
              .formatted(path));
    }
    if (queue.has("adminacl")) {
      notes.add("queue %s, adminacl: the rights to SchedulingQueues are RBAC".formatted(path));
    }
  }

  private static List<String> keysOf(JsonNode object) {
    List<String> keys = new ArrayList<>();
    object.properties().forEach(field -> keys.add(field.getKey()));
    return keys;
  }

  /**
   * Returns the guarantee of a queue: in Berth, it includes those of its parts, also of resources
   * that the queue itself does not name.
   */
  private Map<String, String> guaranteeOf(JsonNode queue, String path) {
    Map<String, String> own =
        new HashMap<>(
            amounts(queue.path("resources").path("guaranteed"), path, "resources.guaranteed"));
    Map<String, ExactQuantity> sums = new TreeMap<>();
    for (JsonNode part : queue.path("queues")) {
      new YunikornQueues()
          .guaranteeOf(part, path)
          .forEach(
              (resource, amount) ->
                  sums.merge(resource, ExactQuantity.parse(amount), ExactQuantity::plus));
    }
    sums.forEach((resource, sum) -> own.putIfAbsent(resource, text(sum)));
    return own;
  }

  private static String text(ExactQuantity sum) {
    return sum.nanos() == 0 ? String.valueOf(sum.whole()) : sum.millis() + "m";
  }

  private Map<String, String> amounts(JsonNode list, String path, String field) {
    Map<String, String> amounts = new TreeMap<>();
    for (Map.Entry<String, JsonNode> entry : list.properties()) {
      String resource = entry.getKey().equals("vcore") ? "cpu" : entry.getKey();
      String text = entry.getValue().asText("").replace(" ", "");
      try {
        ExactQuantity.parse(text);
        amounts.put(resource, text);
      } catch (QuantityFormatException e) {
        lost.add("queue %s, %s.%s: %s".formatted(path, field, entry.getKey(), e.getMessage()));
      }
    }
    return amounts;
  }
}
