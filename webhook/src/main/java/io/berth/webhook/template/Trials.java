package io.berth.webhook.template;

import io.berth.crds.ParameterType;
import io.berth.webhook.argument.DeclaredParameter;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Shown;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Renders a template before there are pods, to find what cannot go well.
 *
 * <p>One rendering knows nothing: it finds what is wrong in the constant parts, and values of the
 * wrong type. Then one assumes all defaults; and for each parameter one assumes each value that is
 * known to be accepted: those of its enum, its minimum and maximum, true and false, and none where
 * none need be given. Everything else stays undetermined, so that a problem that is found is one
 * that pods will have.
 */
final class Trials {

  private final CompiledTemplate template;
  private final List<Problem> problems = new ArrayList<>();
  private final Set<String> seen = new HashSet<>();
  private int tried;

  Trials(CompiledTemplate template) {
    this.template = template;
  }

  List<Problem> problems() {
    attempt(Map.of(), "");
    Map<String, Object> defaults = new HashMap<>();
    for (DeclaredParameter parameter : template.parameters().list()) {
      parameter.defaultValue().ifPresent(value -> defaults.put(parameter.name(), value));
    }
    if (!defaults.isEmpty()) {
      attempt(defaults, " (with the defaults)");
    }
    for (DeclaredParameter parameter : template.parameters().list()) {
      for (Object value : knownValues(parameter)) {
        attempt(Map.of(parameter.name(), value), words(parameter, value));
      }
    }
    return problems;
  }

  private static List<Object> knownValues(DeclaredParameter parameter) {
    List<Object> values = new ArrayList<>();
    if (parameter.type() == ParameterType.STRING_LIST) {
      parameter.accepted().forEach(item -> values.add(List.of(item)));
    } else if (parameter.type() == ParameterType.BOOLEAN) {
      values.add(true);
      values.add(false);
    } else {
      values.addAll(parameter.accepted());
    }
    if (parameter.accepted().isEmpty()) {
      parameter.minimum().ifPresent(values::add);
      parameter.maximum().ifPresent(values::add);
    }
    if (!parameter.required() && parameter.defaultValue().isEmpty()) {
      values.add(Missing.VALUE);
    }
    return values;
  }

  private static String words(DeclaredParameter parameter, Object value) {
    if (value == Missing.VALUE) {
      return " (with no argument "
          + parameter.name()
          + ", which is optional: give the parameter a default, or make it required)";
    }
    return " (with "
        + parameter.name()
        + " = "
        + (value instanceof String text ? Shown.value(text) : value.toString())
        + ", which the parameter accepts)";
  }

  private void attempt(Map<String, Object> assumed, String words) {
    tried++;
    if (tried > RenderLimits.TRIALS || problems.size() >= TemplateCompiler.PROBLEMS) {
      return;
    }
    Scope scope = new TrialScope(template.parameters(), assumed);
    if (template.render(scope, new Budget()) instanceof RenderingRefused refused) {
      for (Problem problem : refused.problems()) {
        if (seen.add(problem.path() + problem.message())) {
          problems.add(new Problem(problem.code(), problem.path(), problem.message() + words));
        }
      }
    }
  }
}
