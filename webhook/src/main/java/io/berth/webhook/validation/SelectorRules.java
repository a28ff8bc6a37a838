package io.berth.webhook.validation;

import io.berth.crds.AllowedNamespaces;
import io.berth.crds.schema.LabelSyntax;
import io.berth.crds.schema.NearestName;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The API server's rules for label selectors, which a CRD's schema does not carry. */
final class SelectorRules {
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
      add(
          path,
          "allows no namespace: list some in names, give a selector, or leave it out to allow all");
    }
    for (int i = 0; i < allowed.names().size(); i++) {
      String name = allowed.names().get(i);
      if (!LabelSyntax.ofDnsLabel(name).isEmpty()) {
        add(
            path + ".names[" + i + "]",
            Quoted.name(name)
                + " cannot be the name of a namespace: use lower case letters, digits and '-', up"
                + " to 63");
      }
    }
    check(path + ".selector", allowed.selector());
  }

  void check(String path, @Nullable LabelSelector selector) {
    if (selector == null) {
      return;
    }
    if (selector.getMatchLabels() != null) {
      for (Map.Entry<String, String> label : selector.getMatchLabels().entrySet()) {
        checkKey(path + ".matchLabels", label.getKey());
        checkValue(path + ".matchLabels." + label.getKey(), label.getValue());
      }
    }
    if (selector.getMatchExpressions() != null) {
      for (int i = 0; i < selector.getMatchExpressions().size(); i++) {
        check(path + ".matchExpressions[" + i + "]", selector.getMatchExpressions().get(i));
      }
    }
  }

  private void check(String path, LabelSelectorRequirement expression) {
    checkKey(path + ".key", expression.getKey());
    String operator = expression.getOperator() == null ? "" : expression.getOperator();
    List<String> values = expression.getValues() == null ? List.of() : expression.getValues();
    switch (operator) {
      case "In", "NotIn" -> {
        if (values.isEmpty()) {
          add(path + ".values", "must list at least one value for operator " + operator);
        }
      }
      case "Exists", "DoesNotExist" -> {
        if (!values.isEmpty()) {
          add(
              path + ".values",
              "must be left out: operator " + operator + " looks at the key alone");
        }
      }
      default ->
          add(
              path + ".operator",
              Quoted.name(operator)
                  + " is none of "
                  + String.join(", ", OPERATORS)
                  + NearestName.question(operator, OPERATORS));
    }
    for (int i = 0; i < values.size(); i++) {
      checkValue(path + ".values[" + i + "]", values.get(i));
    }
  }

  private void checkKey(String path, @Nullable String key) {
    String text = key == null ? "" : key;
    if (!LabelSyntax.ofLabelName(text).isEmpty()) {
      add(
          path,
          Quoted.name(text)
              + " cannot be a label's key: letters, digits, '-', '_' and '.', up to 63, after an"
              + " optional domain and '/'");
    }
  }

  private void checkValue(String path, @Nullable String value) {
    if (value != null && !LabelSyntax.ofLabelValue(value).isEmpty()) {
      add(
          path,
          Quoted.value(value)
              + " cannot be a label's value: letters, digits, '-', '_' and '.', up to 63, or"
              + " empty");
    }
  }

  private void add(String path, String message) {
    problems.add(new Problem(code, path, message));
  }
}
