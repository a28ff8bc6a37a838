package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.selector.LabelSelector;
import java.util.HashMap;
import java.util.Map;

/** The requests that a webhook or an admission policy applies to: its rules and selectors. */
public final class MatchCriteria {
  private final JsonNode json;
  private final JsonNode rules;

  /**
   * Creates criteria.
   *
   * @param json the object with {@code matchPolicy}, {@code namespaceSelector}, {@code
   *     objectSelector}, and {@code excludeResourceRules}, all of which may be missing
   * @param rules the rules, one of which has to match; without any, all requests match
   */
  public MatchCriteria(JsonNode json, JsonNode rules) {
    this.json = json;
    this.rules = rules;
  }

  /**
   * Returns whether rules and selectors match a request.
   *
   * @param namespaceLabels the labels of the request's namespace
   */
  public boolean cover(AdmissionRequest request, Map<String, String> namespaceLabels) {
    return (rules.isEmpty() || anyMatches(rules, request))
        && !anyMatches(json.path("excludeResourceRules"), request)
        && namespaceMatches(request, namespaceLabels)
        && objectMatches(request);
  }

  private boolean anyMatches(JsonNode list, AdmissionRequest request) {
    for (JsonNode rule : list) {
      if (ruleMatches(rule, request)) {
        return true;
      }
    }
    return false;
  }

  private boolean ruleMatches(JsonNode rule, AdmissionRequest request) {
    // All versions of a resource share one stored object, so under Equivalent they match each
    // other.
    boolean anyVersion = json.path("matchPolicy").asText("Equivalent").equals("Equivalent");
    JsonNode names = rule.path("resourceNames");
    return lists(rule.path("operations"), request.operation().name())
        && lists(rule.path("apiGroups"), request.type().group())
        && (anyVersion || lists(rule.path("apiVersions"), request.type().version()))
        && resourceMatches(rule.path("resources"), request)
        && (names.isEmpty() || lists(names, request.name()))
        && scopeMatches(rule.path("scope").asText("*"), request);
  }

  private static boolean lists(JsonNode list, String value) {
    for (JsonNode one : list) {
      if (one.asText().equals("*") || one.asText().equals(value)) {
        return true;
      }
    }
    return false;
  }

  private static boolean resourceMatches(JsonNode resources, AdmissionRequest request) {
    for (JsonNode one : resources) {
      String[] parts = one.asText().split("/", 2);
      String subresource = parts.length > 1 ? parts[1] : "";
      boolean resource = parts[0].equals("*") || parts[0].equals(request.type().plural());
      boolean sub = subresource.equals("*") || subresource.equals(request.subresource());
      if (resource && sub) {
        return true;
      }
    }
    return false;
  }

  private static boolean scopeMatches(String scope, AdmissionRequest request) {
    boolean namespaced = request.type().namespaced();
    return switch (scope) {
      case "Cluster" -> !namespaced;
      case "Namespaced" -> namespaced;
      default -> true;
    };
  }

  private boolean namespaceMatches(AdmissionRequest request, Map<String, String> labels) {
    JsonNode selector = json.path("namespaceSelector");
    boolean inNamespace = request.type().namespaced() || request.type().is("", "namespaces");
    return !inNamespace || selector.isEmpty() || LabelSelector.ofObject(selector).matches(labels);
  }

  private boolean objectMatches(AdmissionRequest request) {
    JsonNode selector = json.path("objectSelector");
    return selector.isEmpty()
        || request.object().filter(each -> matches(selector, each)).isPresent()
        || request.oldObject().filter(each -> matches(selector, each)).isPresent();
  }

  private static boolean matches(JsonNode selector, JsonNode object) {
    return LabelSelector.ofObject(selector).matches(labels(object));
  }

  static Map<String, String> labels(JsonNode object) {
    Map<String, String> labels = new HashMap<>();
    object
        .path("metadata")
        .path("labels")
        .properties()
        .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
    return labels;
  }
}
