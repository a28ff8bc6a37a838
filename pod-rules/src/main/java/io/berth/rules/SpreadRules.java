package io.berth.rules;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** The rules for topology spread constraints. */
final class SpreadRules {
  private static final List<String> ACTIONS = List.of("DoNotSchedule", "ScheduleAnyway");
  private static final List<String> POLICIES = List.of("Honor", "Ignore");

  private final Checks checks;
  private final LabelKeyRules keys;

  SpreadRules(Checks checks, boolean merged) {
    this.checks = checks;
    this.keys = new LabelKeyRules(checks, merged);
  }

  void check(JsonNode constraints, String path) {
    for (int i = 0; i < constraints.size(); i++) {
      JsonNode constraint = constraints.get(i);
      String at = path + "[" + i + "]";
      checks.positive(constraint.path("maxSkew"), at + ".maxSkew");
      JsonNode topologyKey = constraint.path("topologyKey");
      if (checks.isKnown(topologyKey) && Checks.text(topologyKey).isEmpty()) {
        checks.add(Violation.required(at + ".topologyKey", "can not be empty"));
      }
      JsonNode action = constraint.path("whenUnsatisfiable");
      checks.oneOf(action, ACTIONS, at + ".whenUnsatisfiable");
      if (isRepeated(constraints, i)) {
        checks.add(
            Violation.duplicate(
                at + ".{topologyKey, whenUnsatisfiable}",
                "{" + Checks.text(topologyKey) + ", " + Checks.text(action) + "}"));
      }
      minDomains(constraint.path("minDomains"), action, at + ".minDomains");
      policy(constraint.path("nodeAffinityPolicy"), at + ".nodeAffinityPolicy");
      policy(constraint.path("nodeTaintsPolicy"), at + ".nodeTaintsPolicy");
      keys.check(constraint, at);
      new SelectorRules(checks).check(constraint.path("labelSelector"), at + ".labelSelector");
    }
  }

  /** Returns whether a later constraint has the same topologyKey and whenUnsatisfiable. */
  private boolean isRepeated(JsonNode constraints, int index) {
    for (int i = index + 1; i < constraints.size(); i++) {
      if (isSame(constraints.get(index), constraints.get(i), "topologyKey")
          && isSame(constraints.get(index), constraints.get(i), "whenUnsatisfiable")) {
        return true;
      }
    }
    return false;
  }

  private boolean isSame(JsonNode one, JsonNode other, String field) {
    return checks.isOne(one)
        && checks.isOne(other)
        && checks.isKnown(one.path(field))
        && checks.isKnown(other.path(field))
        && Checks.text(one.path(field)).equals(Checks.text(other.path(field)));
  }

  private void minDomains(JsonNode minDomains, JsonNode action, String path) {
    if (Checks.isAbsent(minDomains)) {
      return;
    }
    checks.positive(minDomains, path);
    if (checks.isKnown(action) && !Checks.text(action).equals("DoNotSchedule")) {
      checks.add(
          Violation.invalid(
              path,
              checks.isKnown(minDomains) ? minDomains.asLong() : "...",
              "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not "
                  + Checks.text(action)));
    }
  }

  private void policy(JsonNode policy, String path) {
    if (!Checks.isAbsent(policy)) {
      checks.oneOf(policy, POLICIES, path);
    }
  }
}
