package io.berth.sandbox.selector;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.rules.label.LabelOperator;
import java.util.ArrayList;
import java.util.List;

/** Evaluation of nodeSelector and required node affinity on a node. */
public final class NodeTerms {
  private NodeTerms() {}

  /** Returns whether a node has what a pod spec requires of its labels and name. */
  public static boolean match(JsonNode spec, JsonNode node) {
    JsonNode labels = node.path("metadata").path("labels");
    for (var entry : spec.path("nodeSelector").properties()) {
      if (!entry.getValue().asText().equals(labels.path(entry.getKey()).asText(null))) {
        return false;
      }
    }
    JsonNode required =
        spec.path("affinity")
            .path("nodeAffinity")
            .path("requiredDuringSchedulingIgnoredDuringExecution");
    if (!required.isObject()) {
      return true;
    }
    for (JsonNode term : required.path("nodeSelectorTerms")) {
      if (termMatches(term, node, labels)) {
        return true;
      }
    }
    return false;
  }

  private static boolean termMatches(JsonNode term, JsonNode node, JsonNode labels) {
    JsonNode expressions = term.path("matchExpressions");
    JsonNode fields = term.path("matchFields");
    if (expressions.isEmpty() && fields.isEmpty()) {
      return false;
    }
    for (JsonNode expression : expressions) {
      JsonNode value = labels.path(expression.path("key").asText());
      if (!holds(expression, value)) {
        return false;
      }
    }
    for (JsonNode field : fields) {
      if (!field.path("key").asText().equals("metadata.name")
          || !holds(field, node.path("metadata").path("name"))) {
        return false;
      }
    }
    return true;
  }

  private static boolean holds(JsonNode expression, JsonNode value) {
    List<String> listed = new ArrayList<>();
    expression.path("values").forEach(each -> listed.add(each.asText()));
    return LabelOperator.ofNodeSelector(expression.path("operator").asText())
        .filter(operator -> operator.holds(value.isMissingNode() ? null : value.asText(), listed))
        .isPresent();
  }
}
