package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.List;

/**
 * The rules of PodGroups of {@code scheduling.k8s.io/v1beta1}. Of the spec, only the minimum of a
 * gang may change.
 */
final class PodGroupRules implements KindRules {
  private static final String POLICY = "spec.schedulingPolicy";
  private static final String MODE = "spec.disruptionMode";
  private static final int MAX_TOPOLOGIES = 1;

  @Override
  public void applyDefaults(ObjectNode group) {
    ObjectNode spec = group.withObjectProperty("spec");
    if (!spec.hasNonNull("disruptionMode")) {
      spec.putObject("disruptionMode").putObject("single");
    }
  }

  @Override
  public List<FieldError> validateCreate(ObjectNode group) {
    List<FieldError> errors = new ArrayList<>();
    JsonNode spec = group.path("spec");
    exactlyOne(spec.path("schedulingPolicy"), POLICY, List.of("basic", "gang"), errors);
    exactlyOne(spec.path("disruptionMode"), MODE, List.of("all", "single"), errors);
    JsonNode gang = spec.path("schedulingPolicy").path("gang");
    if (gang.isObject() && gang.path("minCount").asInt() < 1) {
      errors.add(
          FieldError.invalid(
              POLICY + ".gang.minCount",
              gang.path("minCount"),
              "must be greater than or equal to 1"));
    }
    JsonNode topology = spec.path("schedulingConstraints").path("topology");
    if (topology.size() > MAX_TOPOLOGIES) {
      errors.add(
          FieldError.invalid(
              "spec.schedulingConstraints.topology", topology, "must have at most 1 item"));
    }
    return errors;
  }

  private static void exactlyOne(
      JsonNode union, String path, List<String> members, List<FieldError> errors) {
    long chosen = members.stream().filter(union::hasNonNull).count();
    if (chosen != 1) {
      errors.add(
          FieldError.invalid(
              path, union, "must specify exactly one of: " + String.join(", ", members)));
    }
  }

  @Override
  public List<FieldError> validateUpdate(ObjectNode group, ObjectNode old) {
    List<FieldError> errors = new ArrayList<>(validateCreate(group));
    if (!withoutMinimum(group).equals(withoutMinimum(old))) {
      errors.add(FieldError.invalid("spec", group.path("spec"), "field is immutable"));
    }
    return errors;
  }

  private static JsonNode withoutMinimum(ObjectNode group) {
    JsonNode spec = group.path("spec").deepCopy();
    if (spec.path("schedulingPolicy").path("gang") instanceof ObjectNode gang) {
      gang.remove("minCount");
    }
    return spec;
  }
}
