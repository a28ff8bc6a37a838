package io.berth.webhook.validation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.rollout.RolloutStep;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import java.util.ArrayList;
import java.util.List;

/** Checks of the steps in which changes of a policy or config take effect. */
final class RolloutRules {
  private static final ObjectMapper JSON = new ObjectMapper();

  private RolloutRules() {}

  /**
   * Returns the problems of {@code spec.rollout}; none if it is not set.
   *
   * @param spec the spec of a policy or config
   */
  static List<Problem> check(JsonNode spec) {
    JsonNode rollout = spec.path("rollout");
    if (rollout.isMissingNode() || rollout.isNull()) {
      return List.of();
    }
    List<RolloutStep> steps;
    try {
      steps = JSON.treeToValue(rollout, GradualRollout.class).steps();
    } catch (JsonProcessingException e) {
      return List.of(problem("", "cannot be read: " + e.getOriginalMessage()));
    }
    List<Problem> problems = new ArrayList<>();
    for (int i = 1; i < steps.size(); i++) {
      int before = steps.get(i - 1).percent();
      int percent = steps.get(i).percent();
      if (percent <= before) {
        problems.add(
            problem(
                ".steps[" + i + "].percent",
                "is %d, and the step before has %d: write the steps with ascending percentages"
                    .formatted(percent, before)));
      }
    }
    return problems;
  }

  /** Returns a warning if {@code spec.rollout} has no effect. */
  static List<Problem> warnings(JsonNode spec) {
    JsonNode rollout = spec.path("rollout");
    return rollout.isObject() && rollout.path("steps").isEmpty()
        ? List.of(problem("", "has no steps, so it has no effect: add steps, or remove it"))
        : List.of();
  }

  private static Problem problem(String place, String message) {
    return new Problem(ErrorCode.ROLLOUT_INVALID, "spec.rollout" + place, message);
  }
}
