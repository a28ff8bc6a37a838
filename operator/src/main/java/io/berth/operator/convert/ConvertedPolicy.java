package io.berth.operator.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import io.berth.crds.SchedulerNames;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.AlgorithmNames;
import io.berth.crds.policy.Preemption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A SchedulingPolicy that results from a conversion.
 *
 * @param name the policy's name
 * @param spec the policy's spec
 */
public record ConvertedPolicy(String name, SchedulingPolicySpec spec) implements ConvertedObject {

  private static final ObjectMapper JSON = new ObjectMapper();

  @Override
  public String use() {
    return "For pods with schedulerName %s and the annotation %s: %s"
        .formatted(SchedulerNames.BERTH, Annotations.POLICY, name);
  }

  /** Returns the object without the fields and list entries that equal the defaults. */
  @Override
  public ObjectNode manifest() {
    ObjectNode object = JSON.createObjectNode();
    object.put("apiVersion", "sched.cloud.ctrip.com/v1").put("kind", "SchedulingPolicy");
    object.putObject("metadata").put("name", name);
    ObjectNode brief = object.putObject("spec");
    JsonNode defaults = JSON.valueToTree(SchedulingPolicySpec.defaults());
    JsonNode full = JSON.valueToTree(spec);
    for (Map.Entry<String, JsonNode> field : full.properties()) {
      JsonNode value =
          switch (field.getKey()) {
            case "predicates", "priorities" -> brief(field.getKey(), field.getValue());
            case "extenders" -> withoutAbsent(field.getValue());
            case "preemption" -> changed(field.getValue(), Preemption.defaults());
            default -> field.getValue();
          };
      boolean empty = value.isArray() && value.isEmpty();
      if (!value.isNull() && !empty && !value.equals(defaults.path(field.getKey()))) {
        brief.set(field.getKey(), value);
      }
    }
    return object;
  }

  private JsonNode brief(String list, JsonNode entries) {
    boolean scores = list.equals("priorities");
    ArrayNode kept = JSON.createArrayNode();
    for (JsonNode entry : entries) {
      String name = entry.path("name").asText();
      boolean enabled = entry.path("enabled").asBoolean(true);
      ObjectNode brief = JSON.createObjectNode().put("name", name);
      int defaultWeight = AlgorithmNames.DEFAULT_WEIGHTS.getOrDefault(name, 1);
      if (scores && enabled && entry.path("weight").asInt(defaultWeight) != defaultWeight) {
        brief.set("weight", entry.path("weight"));
      }
      if (!enabled) {
        brief.put("enabled", false);
      }
      if (!entry.path("args").isEmpty()) {
        brief.set("args", entry.path("args"));
      }
      boolean isDefault =
          spec.inheritDefaults()
              && brief.size() == 1
              && (scores ? AlgorithmNames.DEFAULT_WEIGHTS.keySet() : AlgorithmNames.DEFAULT_FILTERS)
                  .contains(name);
      if (!isDefault) {
        kept.add(brief);
      }
    }
    return kept;
  }

  /** Returns the fields of an object that differ from the defaults; null if none does. */
  private static JsonNode changed(JsonNode object, Object defaults) {
    JsonNode usual = JSON.valueToTree(defaults);
    ObjectNode changed = JSON.createObjectNode();
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      if (!field.getValue().equals(usual.path(field.getKey()))) {
        changed.set(field.getKey(), field.getValue());
      }
    }
    return changed.isEmpty() ? JSON.nullNode() : changed;
  }

  private static JsonNode withoutAbsent(JsonNode list) {
    ArrayNode kept = list.deepCopy();
    kept.forEach(entry -> removeAbsent((ObjectNode) entry));
    return kept;
  }

  private static void removeAbsent(ObjectNode entry) {
    List<String> absent = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : entry.properties()) {
      JsonNode value = field.getValue();
      if (value instanceof ObjectNode object) {
        removeAbsent(object);
      }
      boolean nothing = value.isContainerNode() && value.isEmpty();
      if (value.isNull() || nothing || (value.isBoolean() && !value.booleanValue())) {
        absent.add(field.getKey());
      }
    }
    entry.remove(absent);
  }
}
