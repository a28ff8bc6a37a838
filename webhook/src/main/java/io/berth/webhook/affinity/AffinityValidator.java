package io.berth.webhook.affinity;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.rules.PlacementRules;
import io.berth.rules.Violation;
import io.berth.webhook.error.Problem;
import java.util.List;
import java.util.Optional;

/**
 * Reports the errors that the API server would report for an affinity, tolerations, or topology
 * spread constraints, and errors because of which they would never match. Values of the wrong type,
 * which the API server rejects when it decodes an object, are reported with Berth's own messages.
 * Stateless and thread-safe.
 *
 * <p>{@link Undetermined} values are accepted wherever their type is.
 */
public final class AffinityValidator {

  private static final PlacementRules RULES = PlacementRules.ofDraft(new TemplateKnowledge());

  /**
   * Checks one field.
   *
   * @param field nodeAffinity, podAffinity, podAntiAffinity, topologySpreadConstraints or
   *     tolerations
   * @param value the content of the field
   * @param path the path of the field, for problems
   * @return the problems; empty if the field is valid
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
    errors.add(violations(field, value, path));
    if (field.equals("nodeAffinity")) {
      new NodeComparisons(errors).check(value, path);
    }
    return errors.problems();
  }

  private static List<Violation> violations(String field, JsonNode value, String path) {
    return switch (field) {
      case "nodeAffinity" -> RULES.nodeAffinity(value, path);
      case "podAffinity", "podAntiAffinity" -> RULES.podAffinity(value, path);
      case "tolerations" -> RULES.tolerations(value, path);
      default -> RULES.spreadConstraints(value, path);
    };
  }
}
