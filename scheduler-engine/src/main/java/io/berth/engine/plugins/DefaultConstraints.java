package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.SpreadConstraint;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The arguments of PodTopologySpread: constraints for pods without their own. */
final class DefaultConstraints {
  private DefaultConstraints() {}

  /**
   * Parses the default constraints.
   *
   * @param hard whether to return the constraints for the filter (DoNotSchedule), or those for the
   *     score (ScheduleAnyway)
   */
  static PodTopologySpread read(Arguments arguments, boolean hard) {
    List<Arguments> given = arguments.objects("defaultConstraints");
    String type =
        arguments.oneOf(
            "defaultingType", List.of("System", "List"), given.isEmpty() ? "System" : "List");
    List<SpreadConstraint> constraints = new ArrayList<>();
    Set<String> keys = new HashSet<>();
    for (Arguments constraint : given) {
      int maxSkew = (int) constraint.integer("maxSkew", 1, Integer.MAX_VALUE, 1);
      String key = constraint.text("topologyKey", "");
      String action =
          constraint.oneOf(
              "whenUnsatisfiable", List.of("DoNotSchedule", "ScheduleAnyway"), "ScheduleAnyway");
      constraint.finish();
      if (key.isEmpty()) {
        constraint.problem(
            "topologyKey", "must name a node label, such as topology.kubernetes.io/zone");
      } else {
        LabelArguments.checkName(constraint, "topologyKey", key);
        if (!keys.add(key + " " + action)) {
          constraint.problem(
              "topologyKey",
              "\"" + key + "\" with " + action + " is a duplicate; remove one of the two");
        }
      }
      if (hard != action.equals("DoNotSchedule")) {
        constraint.problem(
            "whenUnsatisfiable",
            action
                + " has no effect in "
                + (hard
                    ? "spec.predicates: move the constraint to spec.priorities"
                    : "spec.priorities: move the constraint to spec.predicates"));
      }
      constraints.add(
          new SpreadConstraint(
              maxSkew,
              key,
              action.equals("DoNotSchedule"),
              LabelSelector.nothing(),
              1,
              true,
              false));
    }
    if (type.equals("System")) {
      if (!constraints.isEmpty()) {
        arguments.problem(
            "defaultConstraints", "must be empty if defaultingType is System; use List");
      }
      return new PodTopologySpread();
    }
    return new PodTopologySpread(constraints, false);
  }
}
