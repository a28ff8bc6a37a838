package io.berth.webhook.binding;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.berth.crds.Annotations;
import io.berth.crds.binding.BindingField;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The content of a pod's annotation {@code applied}: the rendered fields, and the source of each
 * decision. It is used for counts and reports, for what bindings enforce on existing pods, and for
 * repair; never for rendering.
 */
public final class AppliedFields {

  private static final Pattern BINDING = Pattern.compile("binding ([^/]+)/([^/@]+)@\\d+");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final AppliedFields NONE = new AppliedFields(MissingNode.getInstance());

  private final JsonNode applied;

  private AppliedFields(JsonNode applied) {
    this.applied = applied;
  }

  /** Reads a pod's annotations; values that are not JSON are ignored. */
  public static AppliedFields of(Map<String, String> annotations) {
    String text = annotations.get(Annotations.APPLIED);
    if (text == null) {
      return NONE;
    }
    try {
      return new AppliedFields(JSON.readTree(text));
    } catch (JsonProcessingException e) {
      return NONE; // not written by Berth
    }
  }

  /** Returns the content as it is written; empty if the pod has none. */
  public Optional<JsonNode> json() {
    return Optional.of(applied).filter(JsonNode::isObject);
  }

  /** Returns whether the webhook rendered the field. */
  public boolean has(BindingField field) {
    return applied.path(name(field)).isObject();
  }

  /** Returns the revision of a config that was rendered; empty if none was. */
  public Optional<String> revision(BindingField field, String config) {
    return revision(field, "configs", config);
  }

  /**
   * Returns the newer revision of a config that was to be rendered and refused the pod; empty if
   * there was none.
   */
  public Optional<String> refusedRevision(BindingField field, String config) {
    return revision(field, "refused", config);
  }

  private Optional<String> revision(BindingField field, String list, String config) {
    for (JsonNode reference : applied.path(name(field)).path(list)) {
      String text = reference.asText("");
      if (text.startsWith(config + "@")) {
        return Optional.of(text.substring(config.length() + 1));
      }
    }
    return Optional.empty();
  }

  /** Returns whether a binding decided the field, rather than the pod's own annotations. */
  public boolean byBinding(BindingField field) {
    return applied.path(name(field)).path("by").asText("").startsWith("binding ");
  }

  /** Returns whether any generation of this binding decided a field. */
  public boolean by(BindingKey binding) {
    String start = "binding " + binding + "@";
    for (JsonNode field : applied) {
      if (field.path("by").asText("").startsWith(start)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the binding that decided the field according to the annotation, which any client may
   * have written.
   */
  public Optional<BindingKey> by(BindingField field) {
    Matcher binding = BINDING.matcher(applied.path(name(field)).path("by").asText(""));
    return binding.matches()
        ? Optional.of(new BindingKey(binding.group(1), binding.group(2)))
        : Optional.empty();
  }

  /** Returns whether the webhook's catalog may have been out of date when the pod was admitted. */
  public boolean isInDoubt() {
    return applied.path("inDoubt").asBoolean();
  }

  private static String name(BindingField field) {
    return switch (field) {
      case NODE_CONFIGS -> "nodeConfigs";
      case POD_CONFIGS -> "podConfigs";
      case SCHEDULING_POLICY -> "schedulingPolicy";
      case GROUP -> "group";
      case QUEUE -> "queue";
    };
  }
}
