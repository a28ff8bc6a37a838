package io.berth.webhook.affinity;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.rules.PlacementRules;
import io.berth.rules.Violation;
import io.berth.webhook.error.Problem;
import java.util.List;
import java.util.Optional;

/**
 * Reports the errors that the API server would report for an affinity, tolerations, or topology
 * spread constraints, and errors that would make them useless. Values of the wrong type, which the
 * API server rejects when it decodes an object, are rejected here with messages of Berth. Stateless
 * and thread-safe.
 *
 * <p>Values that are {@link Undetermined} pass wherever their type does.
 */
public final class AffinityValidator {

  private static final PlacementRules RULES = PlacementRules.ofDraft(new TemplateKnowledge());

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
