package io.berth.webhook.template;

import io.berth.webhook.affinity.Undetermined;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Adds the template and the arguments that caused a problem to its message. Problems with the same
 * combination of arguments are reported once.
 */
final class BlamedArguments {

  private final Scope scope;

  BlamedArguments(Scope scope) {
    this.scope = scope;
  }

  /**
   * Returns the problems, at the paths of the templates that caused them.
   *
   * @param sources the template that rendered each path of the result
   */
  List<Problem> blame(List<Problem> problems, Map<String, TreeNode.Leaf> sources) {
    List<Problem> blamed = new ArrayList<>();
    Map<Set<String>, Integer> byNames = new LinkedHashMap<>();
    for (Problem problem : problems) {
      TreeNode.Leaf leaf = sources.get(problem.path());
      if (leaf == null) {
        blamed.add(problem);
        continue;
      }
      Set<String> names = namesIn(leaf.expression(), new LinkedHashSet<>());
      Integer known = names.isEmpty() ? null : byNames.get(names);
      if (known == null) {
        byNames.put(names, blamed.size());
        blamed.add(
            new Problem(
                problem.code(),
                leaf.path(),
                problem.message()
                    + "; it comes from "
                    + Quoted.value(leaf.source())
                    + values(names)));
      } else {
        Problem first = blamed.get(known);
        String also = "; also at " + leaf.path();
        if (!first.path().equals(leaf.path()) && !first.message().contains(also)) {
          blamed.set(known, new Problem(first.code(), first.path(), first.message() + also));
        }
      }
    }
    return blamed;
  }

  /**
   * Formats the values of a pod's arguments. For a trial it returns an empty string, because {@link
   * Trials} adds the assumed values to the message.
   */
  private String values(Set<String> names) {
    StringBuilder values = new StringBuilder();
    if (scope instanceof TrialScope) {
      return "";
    }
    for (String name : names) {
      Object value = scope.argument(name);
      if (!(value instanceof Undetermined) && value != Missing.VALUE) {
        values
            .append(values.isEmpty() ? " with " : ", ")
            .append(name)
            .append(" = ")
            .append(value instanceof String text ? Quoted.value(text) : value.toString());
      }
    }
    return values.toString();
  }

  private static Set<String> namesIn(Expression expression, Set<String> names) {
    if (expression instanceof Expression.Name name) {
      names.add(name.name());
    }
    expression.children().forEach(child -> namesIn(child, names));
    return names;
  }
}
