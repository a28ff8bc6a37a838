package io.berth.webhook.template;

import io.berth.crds.ParameterType;
import io.berth.webhook.argument.DeclaredParameter;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Renders a template with assumed arguments when it is applied, to find problems before pods are
 * affected.
 *
 * <p>The first rendering leaves all values undetermined; it finds problems in constant parts and
 * values of the wrong type. The second assumes all defaults. Then, for each parameter, one
 * rendering assumes each value that is known to be accepted: the values of its enum, its minimum
 * and maximum, true and false, and no value if the parameter is optional. These values are tried
 * again with all defaults and without any other optional argument, because a template may read an
 * optional parameter only if another parameter has a certain value. Everything else stays
 * undetermined, so a problem that is found will also occur for pods.
 *
 * <p>An integer without a minimum or maximum is also tried with a value near the 32-bit limit. Only
 * problems of numeric fields are reported for it, such as a weight, which must be from 1 to 100; in
 * a string, only the length of such a value could be invalid.
 */
final class Trials {

  /** The lowest value of a 32-bit field. */
  private static final long FAR_BELOW = Integer.MIN_VALUE;

  /** The highest value of a 32-bit field. */
  private static final long FAR_ABOVE = Integer.MAX_VALUE;

  private final CompiledTemplate template;
  private final List<Problem> problems = new ArrayList<>();
  private final Set<String> seen = new HashSet<>();
  private final Set<String> numberPaths;
  private int tried;

  /**
   * Creates the trials of one config.
   *
   * @param leaves all templates of the config
   */
  Trials(CompiledTemplate template, List<TreeNode.Leaf> leaves) {
    this.template = template;
    this.numberPaths =
        leaves.stream()
            .filter(leaf -> leaf.kind() == TreeNode.LeafKind.OTHER)
            .map(TreeNode.Leaf::path)
            .filter(path -> !path.endsWith("." + TreeReader.CONDITION))
            .collect(Collectors.toSet());
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
      for (long value : farOut(parameter)) {
        attempt(
            Map.of(parameter.name(), value),
            words(parameter, value) + "; set a minimum and a maximum",
            problem -> numberPaths.contains(problem.path()));
      }
    }
    withoutOtherArguments(defaults);
    return problems;
  }

  private void withoutOtherArguments(Map<String, Object> defaults) {
    Map<String, Object> none = new HashMap<>(defaults);
    for (DeclaredParameter parameter : template.parameters().list()) {
      if (isOptional(parameter)) {
        none.put(parameter.name(), Missing.VALUE);
      }
    }
    if (none.size() == defaults.size()) {
      return;
    }
    attempt(
        none, " (without optional arguments: give the parameter a default, or make it required)");
    for (DeclaredParameter parameter : template.parameters().list()) {
      for (Object value : knownValues(parameter)) {
        Map<String, Object> one = new HashMap<>(none);
        one.put(parameter.name(), value);
        attempt(one, words(parameter, value) + " and no other optional argument");
      }
    }
  }

  private static boolean isOptional(DeclaredParameter parameter) {
    return !parameter.required() && parameter.defaultValue().isEmpty();
  }

  private static List<Long> farOut(DeclaredParameter parameter) {
    List<Long> values = new ArrayList<>();
    if (parameter.type() == ParameterType.INTEGER && parameter.accepted().isEmpty()) {
      if (parameter.minimum().isEmpty()) {
        values.add(Math.min(FAR_BELOW, parameter.maximum().orElse(FAR_BELOW)));
      }
      if (parameter.maximum().isEmpty()) {
        values.add(Math.max(FAR_ABOVE, parameter.minimum().orElse(FAR_ABOVE)));
      }
    }
    return values;
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
    if (isOptional(parameter)) {
      values.add(Missing.VALUE);
    }
    return values;
  }

  private static String words(DeclaredParameter parameter, Object value) {
    if (value == Missing.VALUE) {
      return " (without the optional argument "
          + parameter.name()
          + ": give the parameter a default, or make it required)";
    }
    return " (with "
        + parameter.name()
        + " = "
        + (value instanceof String text ? Quoted.value(text) : value.toString())
        + ", which the parameter accepts)";
  }

  private void attempt(Map<String, Object> assumed, String words) {
    attempt(assumed, words, problem -> true);
  }

  private void attempt(Map<String, Object> assumed, String words, Predicate<Problem> counts) {
    tried++;
    if (tried > RenderLimits.TRIALS || problems.size() >= TemplateCompiler.PROBLEMS) {
      return;
    }
    Scope scope = new TrialScope(template.parameters(), assumed);
    if (template.render(scope, new Budget()) instanceof RenderingRefused refused) {
      for (Problem problem : refused.problems()) {
        if (counts.test(problem) && seen.add(problem.path() + problem.message())) {
          problems.add(new Problem(problem.code(), problem.path(), problem.message() + words));
        }
      }
    }
  }
}
