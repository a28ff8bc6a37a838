package io.berth.webhook.affinity;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.schema.LabelSyntax;
import io.berth.webhook.error.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Says what the API server would say of an affinity, of tolerations or of topology spread
 * constraints. The rules and the wording are those of Kubernetes 1.36 ({@code
 * pkg/apis/core/validation}) for a new pod; what is of the wrong type, which the API server refuses
 * when it decodes, is refused here in words of our own. Stateless and thread-safe.
 *
 * <p>Values that are {@link Undetermined} pass wherever their type does.
 */
public final class AffinityValidator {

  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
  private static final List<String> ACTIONS = List.of("DoNotSchedule", "ScheduleAnyway");
  private static final List<String> POLICIES = List.of("Honor", "Ignore");
  private static final List<String> EFFECTS =
      List.of("NoSchedule", "PreferNoSchedule", "NoExecute");

  /**
   * Checks one field.
   *
   * @param field nodeAffinity, podAffinity, podAntiAffinity, topologySpreadConstraints or
   *     tolerations
   * @param value what it holds
   * @param path where it is, for problems
   * @return what is wrong; empty if the API server accepts it
   */
  public List<Problem> check(String field, JsonNode value, String path) {
    FieldErrors errors = new FieldErrors();
    Optional<Shape> shape = AffinityShapes.of(field);
    if (shape.isEmpty()) {
      throw new IllegalArgumentException("no affinity, constraints or tolerations: " + field);
    }
    if (!new ShapeCheck(errors).check(value, shape.get(), path)) {
      return errors.problems();
    }
    SelectorRules selectors = new SelectorRules(errors);
    switch (field) {
      case "nodeAffinity" -> nodeAffinity(value, path, selectors, errors);
      case "podAffinity", "podAntiAffinity" -> podAffinity(value, path, selectors, errors);
      case "tolerations" -> new TolerationRules(errors, selectors, EFFECTS).check(value, path);
      default -> spread(value, path, selectors, errors);
    }
    return errors.problems();
  }

  private static void nodeAffinity(
      JsonNode affinity, String path, SelectorRules selectors, FieldErrors errors) {
    JsonNode required = affinity.path(REQUIRED);
    if (required.isObject()) {
      String at = path + "." + REQUIRED + ".nodeSelectorTerms";
      JsonNode terms = required.path("nodeSelectorTerms");
      if (terms.isEmpty()) {
        errors.required(at, "must have at least one node selector term");
      }
      for (int i = 0; i < terms.size(); i++) {
        selectors.nodeTerm(terms.get(i), true, at + "[" + i + "]");
      }
    }
    JsonNode preferred = affinity.path(PREFERRED);
    for (int i = 0; i < preferred.size(); i++) {
      String at = path + "." + PREFERRED + "[" + i + "]";
      weight(preferred.get(i).path("weight"), at + ".weight", errors);
      selectors.nodeTerm(preferred.get(i).path("preference"), false, at + ".preference");
    }
  }

  private static void podAffinity(
      JsonNode affinity, String path, SelectorRules selectors, FieldErrors errors) {
    JsonNode required = affinity.path(REQUIRED);
    for (int i = 0; i < required.size(); i++) {
      podTerm(required.get(i), path + "." + REQUIRED + "[" + i + "]", selectors, errors);
    }
    JsonNode preferred = affinity.path(PREFERRED);
    for (int i = 0; i < preferred.size(); i++) {
      String at = path + "." + PREFERRED + "[" + i + "]";
      weight(preferred.get(i).path("weight"), at + ".weight", errors);
      podTerm(preferred.get(i).path("podAffinityTerm"), at + ".podAffinityTerm", selectors, errors);
    }
  }

  private static void podTerm(
      JsonNode term, String path, SelectorRules selectors, FieldErrors errors) {
    selectors.labelSelector(term.path("labelSelector"), path + ".labelSelector");
    selectors.labelSelector(term.path("namespaceSelector"), path + ".namespaceSelector");
    JsonNode namespaces = term.path("namespaces");
    for (int i = 0; i < namespaces.size(); i++) {
      if (Tree.isKnown(namespaces.get(i))) {
        String name = namespaces.get(i).asText();
        errors.invalid(path + ".namespaces[" + i + "]", name, LabelSyntax.ofDnsLabel(name));
      }
    }
    selectors.matchLabelKeys(term, path);
    if (topologyKey(term, path, errors)) {
      selectors.labelName(term.path("topologyKey"), path + ".topologyKey");
    }
  }

  private static void spread(
      JsonNode constraints, String path, SelectorRules selectors, FieldErrors errors) {
    List<String> pairs = new ArrayList<>();
    for (int i = 0; i < constraints.size(); i++) {
      JsonNode constraint = constraints.get(i);
      String at = path + "[" + i + "]";
      positive(constraint.path("maxSkew"), at + ".maxSkew", errors);
      topologyKey(constraint, at, errors);
      JsonNode action = constraint.path("whenUnsatisfiable");
      oneOf(action, ACTIONS, at + ".whenUnsatisfiable", errors);
      JsonNode minDomains = constraint.path("minDomains");
      positive(minDomains, at + ".minDomains", errors);
      if (!minDomains.isMissingNode()
          && !minDomains.isNull()
          && Tree.isKnown(action)
          && !action.asText().equals("DoNotSchedule")) {
        errors.invalid(
            at + ".minDomains",
            Tree.isKnown(minDomains) ? minDomains.asText() : "...",
            "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " + action.asText());
      }
      policy(constraint.path("nodeAffinityPolicy"), at + ".nodeAffinityPolicy", errors);
      policy(constraint.path("nodeTaintsPolicy"), at + ".nodeTaintsPolicy", errors);
      selectors.matchLabelKeys(constraint, at);
      selectors.labelSelector(constraint.path("labelSelector"), at + ".labelSelector");
      if (Tree.isKnown(constraint.path("topologyKey"))
          && Tree.isKnown(action)
          && !Tree.isConditional(constraint)) {
        String pair = "{" + Tree.text(constraint, "topologyKey") + ", " + action.asText() + "}";
        if (pairs.contains(pair)) {
          errors.duplicate(at + ".{topologyKey, whenUnsatisfiable}", pair);
        }
        pairs.add(pair);
      }
    }
  }

  private static void weight(JsonNode weight, String path, FieldErrors errors) {
    if (Tree.isKnown(weight) && (weight.intValue() < 1 || weight.intValue() > 100)) {
      errors.invalid(path, weight.intValue(), "must be in the range 1-100");
    }
  }

  private static void positive(JsonNode number, String path, FieldErrors errors) {
    if (number.isNumber() && number.longValue() <= 0) {
      errors.invalid(path, number.longValue(), "must be greater than zero");
    }
  }

  private static boolean topologyKey(JsonNode term, String path, FieldErrors errors) {
    JsonNode key = term.path("topologyKey");
    if (Tree.isKnown(key) && key.asText("").isEmpty()) {
      errors.required(path + ".topologyKey", "can not be empty");
      return false;
    }
    return true;
  }

  private static void policy(JsonNode policy, String path, FieldErrors errors) {
    if (!policy.isMissingNode() && !policy.isNull()) {
      oneOf(policy, POLICIES, path, errors);
    }
  }

  private static void oneOf(
      JsonNode value, List<String> supported, String path, FieldErrors errors) {
    if (Tree.isKnown(value) && !supported.contains(value.asText(""))) {
      errors.unsupported(path, value.asText(""), supported);
    }
  }
}
