package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.List;

/**
 * Validation of updates to a pod's spec. The following may change: images, activeDeadlineSeconds,
 * terminationGracePeriodSeconds (from a negative value to 1), tolerations (additions only),
 * scheduling gates (removals only) and, while the pod has scheduling gates, its node selector
 * (additions only) and node affinity (required terms may only become stricter).
 */
final class PodUpdateRules {
  private static final String FORBIDDEN =
      "pod updates may not change fields other than"
          + " `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations`"
          + " (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow"
          + " it to be set to 1 if it was previously negative)";

  private PodUpdateRules() {}

  static List<FieldError> validate(ObjectNode pod, ObjectNode old) {
    List<FieldError> errors = new ArrayList<>();
    JsonNode oldSpec = old.path("spec");
    JsonNode newSpec = pod.path("spec");
    if (newSpec.equals(oldSpec)) {
      return errors;
    }
    boolean gated = !oldSpec.path("schedulingGates").isEmpty();
    gates(newSpec, oldSpec, errors);
    tolerations(newSpec, oldSpec, errors);
    images(newSpec, "spec.containers", "containers", errors);
    ObjectNode comparable = newSpec.deepCopy();
    for (String field : List.of("activeDeadlineSeconds", "tolerations", "schedulingGates")) {
      copy(oldSpec, comparable, field);
    }
    if (oldSpec.path("terminationGracePeriodSeconds").asLong() < 0
        && comparable.path("terminationGracePeriodSeconds").asLong() == 1) {
      copy(oldSpec, comparable, "terminationGracePeriodSeconds");
    }
    if (gated) {
      tighten(comparable, oldSpec, errors);
    }
    for (String list : List.of("containers", "initContainers")) {
      copyImages(oldSpec.path(list), comparable.path(list));
    }
    if (!comparable.equals(oldSpec)) {
      errors.add(FieldError.forbidden("spec", FORBIDDEN));
    }
    return errors;
  }

  private static void copy(JsonNode from, ObjectNode to, String field) {
    if (from.has(field)) {
      to.set(field, from.path(field));
    } else {
      to.remove(field);
    }
  }

  private static void copyImages(JsonNode from, JsonNode to) {
    for (int i = 0; i < Math.min(from.size(), to.size()); i++) {
      if (to.get(i) instanceof ObjectNode container) {
        copy(from.get(i), container, "image");
      }
    }
  }

  private static void images(JsonNode spec, String path, String list, List<FieldError> errors) {
    int i = 0;
    for (JsonNode container : spec.path(list)) {
      if (container.path("image").asText().isEmpty()) {
        errors.add(FieldError.required(path + "[" + i + "].image", ""));
      }
      i++;
    }
  }

  private static void gates(JsonNode newSpec, JsonNode oldSpec, List<FieldError> errors) {
    for (JsonNode gate : newSpec.path("schedulingGates")) {
      if (!contains(oldSpec.path("schedulingGates"), gate)) {
        errors.add(
            FieldError.forbidden(
                "spec.schedulingGates",
                "only deletion is allowed, but found new scheduling gate '"
                    + gate.path("name").asText()
                    + "'"));
      }
    }
  }

  private static void tolerations(JsonNode newSpec, JsonNode oldSpec, List<FieldError> errors) {
    for (JsonNode toleration : oldSpec.path("tolerations")) {
      if (!contains(newSpec.path("tolerations"), toleration)) {
        errors.add(
            FieldError.forbidden(
                "spec.tolerations",
                "existing toleration can not be modified except its tolerationSeconds"));
        return;
      }
    }
  }

  private static boolean contains(JsonNode list, JsonNode wanted) {
    for (JsonNode each : list) {
      ObjectNode a = each.deepCopy();
      ObjectNode b = wanted.deepCopy();
      a.remove("tolerationSeconds");
      b.remove("tolerationSeconds");
      if (a.equals(b)) {
        return true;
      }
    }
    return false;
  }

  private static void tighten(ObjectNode spec, JsonNode old, List<FieldError> errors) {
    boolean kept =
        old.path("nodeSelector").properties().stream()
            .allMatch(
                entry -> entry.getValue().equals(spec.path("nodeSelector").path(entry.getKey())));
    if (!kept) {
      errors.add(
          FieldError.invalid(
              "spec.nodeSelector",
              spec.path("nodeSelector"),
              "only additions are allowed (no mutations or deletions)"));
    }
    copy(old, spec, "nodeSelector");
    JsonNode affinity = spec.path("affinity").path("nodeAffinity");
    JsonNode before = old.path("affinity").path("nodeAffinity");
    JsonNode terms =
        affinity.path("requiredDuringSchedulingIgnoredDuringExecution").path("nodeSelectorTerms");
    JsonNode oldTerms =
        before.path("requiredDuringSchedulingIgnoredDuringExecution").path("nodeSelectorTerms");
    if (!oldTerms.isMissingNode() && !narrows(terms, oldTerms)) {
      errors.add(
          FieldError.invalid(
              "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
              terms,
              "nodeSelectorTerms must be the same length, with only additions to each term's"
                  + " requirements"));
    }
    if (before.isMissingNode()) {
      if (spec.path("affinity") instanceof ObjectNode holder) {
        holder.remove("nodeAffinity");
        if (holder.isEmpty() && !old.has("affinity")) {
          spec.remove("affinity");
        }
      }
    } else {
      spec.withObjectProperty("affinity").set("nodeAffinity", before);
    }
  }

  private static boolean narrows(JsonNode terms, JsonNode oldTerms) {
    if (terms.size() != oldTerms.size() || !(terms instanceof ArrayNode)) {
      return false;
    }
    for (int i = 0; i < terms.size(); i++) {
      for (String list : List.of("matchExpressions", "matchFields")) {
        for (JsonNode requirement : oldTerms.get(i).path(list)) {
          boolean found = false;
          for (JsonNode each : terms.get(i).path(list)) {
            found |= each.equals(requirement);
          }
          if (!found) {
            return false;
          }
        }
      }
    }
    return true;
  }
}
