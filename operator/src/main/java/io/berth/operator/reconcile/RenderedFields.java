package io.berth.operator.reconcile;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.berth.crds.Annotations;
import io.berth.crds.binding.BindingField;
import io.berth.webhook.binding.BindingKey;
import java.util.Map;

/**
 * What the webhook wrote into a pod's annotation {@code applied}: which fields it rendered, and who
 * decided them. It tells what became of a pod, for counts and reports; nothing is rendered by it.
 */
final class RenderedFields {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final RenderedFields NONE = new RenderedFields(MissingNode.getInstance());

  private final JsonNode applied;

  private RenderedFields(JsonNode applied) {
    this.applied = applied;
  }

  /** Reads a pod's annotations; what is not JSON tells of nothing. */
  static RenderedFields of(Map<String, String> annotations) {
    String text = annotations.get(Annotations.APPLIED);
    if (text == null) {
      return NONE;
    }
    try {
      return new RenderedFields(JSON.readTree(text));
    } catch (JsonProcessingException e) {
      return NONE; // somebody else wrote it
    }
  }

  /** Whether the webhook rendered the field. */
  boolean has(BindingField field) {
    return applied.path(name(field)).isObject();
  }

  /** Whether a binding decided the field, rather than the pod's own annotations. */
  boolean byBinding(BindingField field) {
    return applied.path(name(field)).path("by").asText("").startsWith("binding ");
  }

  /** Whether this binding, in whatever state of it, decided a field. */
  boolean by(BindingKey binding) {
    String start = "binding " + binding + "@";
    for (JsonNode field : applied) {
      if (field.path("by").asText("").startsWith(start)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the webhook was not sure to know all that existed when the pod came. */
  boolean isInDoubt() {
    return applied.path("inDoubt").asBoolean();
  }

  private static String name(BindingField field) {
    return switch (field) {
      case NODE_CONFIGS -> "nodeConfigs";
      case POD_CONFIGS -> "podConfigs";
      case SCHEDULING_POLICY -> "schedulingPolicy";
    };
  }
}
