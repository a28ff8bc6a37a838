package io.berth.webhook.affinity;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.schema.LabelSyntax;
import java.util.List;

/** The API server's rules for tolerations. */
final class TolerationRules {

  private final FieldErrors errors;
  private final SelectorRules selectors;
  private final List<String> effects;

  TolerationRules(FieldErrors errors, SelectorRules selectors, List<String> effects) {
    this.errors = errors;
    this.selectors = selectors;
    this.effects = effects;
  }

  void check(JsonNode tolerations, String path) {
    for (int i = 0; i < tolerations.size(); i++) {
      toleration(tolerations.get(i), path + "[" + i + "]");
    }
  }

  private void toleration(JsonNode toleration, String path) {
    JsonNode key = toleration.path("key");
    JsonNode operator = toleration.path("operator");
    JsonNode effect = toleration.path("effect");
    boolean noKey = Tree.isKnown(key) && key.asText("").isEmpty();
    if (!noKey) {
      selectors.labelName(key, path + ".key");
    }
    if (noKey && Tree.isKnown(operator) && !operator.asText("").equals("Exists")) {
      errors.invalid(
          path + ".operator",
          operator.asText(""),
          "operator must be Exists when `key` is empty, which means \"match all values and all"
              + " keys\"");
    }
    JsonNode seconds = toleration.path("tolerationSeconds");
    boolean hasSeconds = !seconds.isMissingNode() && !seconds.isNull();
    if (hasSeconds && Tree.isKnown(effect) && !effect.asText("").equals("NoExecute")) {
      errors.invalid(
          path + ".effect",
          effect.asText(""),
          "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (Tree.isKnown(operator)) {
      value(toleration.path("value"), operator.asText(""), path);
    }
    if (Tree.isKnown(effect)
        && !effect.asText("").isEmpty()
        && !effects.contains(effect.asText())) {
      errors.unsupported(path + ".effect", effect.asText(), effects);
    }
  }

  private void value(JsonNode value, String operator, String path) {
    switch (operator) {
      case "", "Equal" -> {
        if (Tree.isKnown(value)) {
          String text = value.asText("");
          errors.invalid(path + ".operator", text, LabelSyntax.ofLabelValue(text));
        }
      }
      case "Exists" -> {
        if (Tree.isKnown(value) && !value.asText("").isEmpty()) {
          errors.invalid(
              path + ".operator",
              value.asText(),
              "value must be empty when `operator` is 'Exists'");
        }
      }
      case "Lt", "Gt" -> {
        if (Tree.isKnown(value) && !SelectorRules.isInteger(value.asText(""))) {
          errors.invalid(
              path + ".value",
              value.asText(""),
              "must be a 64-bit integer when `operator` is 'Lt' or 'Gt'");
        }
      }
      default -> errors.unsupported(path + ".operator", operator, List.of("Equal", "Exists"));
    }
  }
}
