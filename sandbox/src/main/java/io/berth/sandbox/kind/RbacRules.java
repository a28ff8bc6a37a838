package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.List;

/** The rules of Roles, ClusterRoles, and their bindings. */
final class RbacRules implements KindRules {
  private static final String GROUP = "rbac.authorization.k8s.io";

  @Override
  public NameFormat nameFormat() {
    return NameFormat.PATH_SEGMENT;
  }

  @Override
  public boolean createsOnUpdate() {
    return true;
  }

  @Override
  public void applyDefaults(ObjectNode object) {
    if (object.path("roleRef") instanceof ObjectNode role) {
      Defaults.text(role, "apiGroup", GROUP);
    }
    for (JsonNode subject : object.path("subjects")) {
      if (subject instanceof ObjectNode each
          && !each.path("kind").asText().equals("ServiceAccount")) {
        Defaults.text(each, "apiGroup", GROUP);
      }
    }
  }

  @Override
  public List<FieldError> validateCreate(ObjectNode object) {
    List<FieldError> errors = new ArrayList<>();
    int i = 0;
    for (JsonNode rule : object.path("rules")) {
      String at = "rules[" + i++ + "]";
      if (rule.path("verbs").isEmpty()) {
        errors.add(FieldError.required(at + ".verbs", "verbs must contain at least one value"));
      }
      if (rule.path("nonResourceURLs").isEmpty()) {
        if (rule.path("apiGroups").isEmpty()) {
          errors.add(
              FieldError.required(
                  at + ".apiGroups", "resource rules must supply at least one api group"));
        }
        if (rule.path("resources").isEmpty()) {
          errors.add(
              FieldError.required(
                  at + ".resources", "resource rules must supply at least one resource"));
        }
      }
    }
    return errors;
  }

  @Override
  public List<FieldError> validateUpdate(ObjectNode object, ObjectNode old) {
    List<FieldError> errors = new ArrayList<>(validateCreate(object));
    if (old.has("roleRef") && !old.path("roleRef").equals(object.path("roleRef"))) {
      errors.add(FieldError.invalid("roleRef", object.path("roleRef"), "cannot change roleRef"));
    }
    return errors;
  }
}
