package io.berth.engine.kube;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.Annotations;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.quantity.ExactQuantity;
import java.util.HashMap;
import java.util.Map;

/** Parses the annotation with a pod's expected usage. */
final class VirtualRequests {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String WHERE = "annotation " + Annotations.VIRTUAL_REQUEST;

  private VirtualRequests() {}

  /**
   * Parses the annotation.
   *
   * @throws RefusedException if it is invalid, with the problem
   */
  static ResourceAmounts read(String text) {
    JsonNode object = parse(text);
    PodLimit.RESOURCES.check(object.size(), WHERE);
    Map<String, ExactQuantity> amounts = new HashMap<>();
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      String where = WHERE + ", " + entry.getKey();
      if (!entry.getValue().isTextual() && !entry.getValue().isNumber()) {
        throw new RefusedException(where + ": give a quantity, such as \"500m\"");
      }
      if (!Amounts.isCounted(entry.getKey())) {
        throw new RefusedException(where + ": no node has such a resource");
      }
      amounts.put(entry.getKey(), Quantities.read(entry.getValue().asText(), where));
    }
    return Amounts.ofPod(amounts);
  }

  private static JsonNode parse(String text) {
    try {
      JsonNode value = JSON.readTree(text);
      if (value.isObject()) {
        return value;
      }
    } catch (JsonProcessingException e) {
      throw new RefusedException(example(), e);
    }
    throw new RefusedException(example());
  }

  private static String example() {
    return WHERE + ": give a JSON object of quantities, such as {\"cpu\": \"500m\"}";
  }
}
