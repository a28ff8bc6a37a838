package io.berth.webhook.validation;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.AllowedNamespaces;
import io.berth.crds.schema.NearestName;
import io.berth.rules.Knowledge;
import io.berth.rules.LabelSyntax;
import io.berth.rules.PlacementRules;
import io.berth.rules.Violation;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import io.fabric8.kubernetes.api.model.LabelSelector;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The API server's validation rules for label selectors, which a CRD schema cannot express. */
final class SelectorRules {
  private static final PlacementRules RULES = PlacementRules.ofDraft(Knowledge.COMPLETE);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> OPERATORS = List.of("In", "NotIn", "Exists", "DoesNotExist");

  private final ErrorCode code;
  private final List<Problem> problems;

  SelectorRules(ErrorCode code, List<Problem> problems) {
    this.code = code;
    this.problems = problems;
  }

  void check(String path, @Nullable AllowedNamespaces allowed) {
    if (allowed == null) {
      return;
    }
    if (allowed.names().isEmpty() && allowed.selector() == null) {
      add(path, "allows no namespace: set names or selector, or remove it to allow all namespaces");
    }
    for (int i = 0; i < allowed.names().size(); i++) {
      String name = allowed.names().get(i);
      if (!LabelSyntax.ofDnsLabel(name).isEmpty()) {
        add(
            path + ".names[" + i + "]",
            Quoted.name(name)
                + " is not a valid namespace name: use up to 63 lowercase letters, digits, and"
                + " '-'");
      }
    }
    check(path + ".selector", allowed.selector());
  }

  void check(String path, @Nullable LabelSelector selector) {
    if (selector == null) {
      return;
    }
    for (Violation violation : RULES.labelSelector(JSON.valueToTree(selector), path)) {
      add(violation.place(), violation.message(Quoted::value) + accepted(violation));
    }
  }

  private static String accepted(Violation violation) {
    return violation.place().endsWith(".operator")
        ? "; accepted: "
            + String.join(", ", OPERATORS)
            + NearestName.question(violation.value().toString(), OPERATORS)
        : "";
  }

  private void add(String path, String message) {
    problems.add(new Problem(code, path, message));
  }
}
