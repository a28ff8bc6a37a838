package io.berth.engine.kube;

import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Requirement;
import io.berth.rules.label.LabelOperator;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compiles label selectors and node selector terms. */
final class Selectors {
  private Selectors() {}

  /** Returns the selector: an absent one selects nothing, an empty one everything. */
  static LabelSelector labelSelector(
      io.fabric8.kubernetes.api.model.@Nullable LabelSelector selector, String where) {
    if (selector == null) {
      return LabelSelector.nothing();
    }
    int pairs = selector.getMatchLabels() == null ? 0 : selector.getMatchLabels().size();
    PodLimit.SELECTOR_REQUIREMENTS.check(pairs + selector.getMatchExpressions().size(), where);
    List<Requirement> requirements = new ArrayList<>(pairs(selector.getMatchLabels()));
    for (LabelSelectorRequirement expression : selector.getMatchExpressions()) {
      requirements.add(labelRequirement(expression, where));
    }
    return LabelSelector.of(requirements);
  }

  /** Returns one requirement for each pair. */
  static List<Requirement> pairs(@Nullable Map<String, String> labels) {
    if (labels == null) {
      return List.of();
    }
    List<Requirement> requirements = new ArrayList<>(labels.size());
    labels.forEach((key, value) -> requirements.add(Requirement.isOneOf(key, value)));
    return requirements;
  }

  private static Requirement labelRequirement(LabelSelectorRequirement expression, String where) {
    String key = requireKey(expression.getKey(), where);
    List<String> values = expression.getValues();
    String place = where + " on '" + key + "'";
    LabelOperator operator =
        LabelOperator.ofLabelSelector(expression.getOperator())
            .orElseThrow(() -> unknownOperator(expression.getOperator(), place));
    requireValueCount(operator, values, place);
    return new Requirement(key, operator, values);
  }

  /**
   * Returns a term of a node selector. The term is malformed if it contains values that the API
   * server accepts but that cannot select anything (a bound that is not an integer, an invalid
   * label value).
   */
  static NodeTerm nodeTerm(NodeSelectorTerm term, String where) {
    PodLimit.SELECTOR_REQUIREMENTS.check(
        term.getMatchExpressions().size() + term.getMatchFields().size(), where);
    List<Requirement> expressions = new ArrayList<>();
    boolean malformed = false;
    for (NodeSelectorRequirement expression : term.getMatchExpressions()) {
      String place = where + ".matchExpressions on '" + expression.getKey() + "'";
      requireKey(expression.getKey(), place);
      LabelOperator operator = operator(expression.getOperator(), place);
      requireValueCount(operator, expression.getValues(), place);
      malformed |= !canBeCompared(operator, expression.getValues());
      expressions.add(new Requirement(expression.getKey(), operator, expression.getValues()));
    }
    List<Requirement> fields = new ArrayList<>();
    for (NodeSelectorRequirement field : term.getMatchFields()) {
      fields.add(nodeField(field, where + ".matchFields on '" + field.getKey() + "'"));
    }
    return new NodeTerm(expressions, fields, malformed);
  }

  private static Requirement nodeField(NodeSelectorRequirement field, String where) {
    LabelOperator operator = operator(field.getOperator(), where);
    if (operator != LabelOperator.IN && operator != LabelOperator.NOT_IN) {
      throw new RefusedException(where + ": fields support only the operators In and NotIn");
    }
    if (!"metadata.name".equals(field.getKey())) {
      throw new RefusedException(where + ": the only supported field is metadata.name");
    }
    if (field.getValues().size() != 1) {
      throw new RefusedException(where + " needs exactly one value");
    }
    return new Requirement(field.getKey(), operator, field.getValues());
  }

  private static boolean canBeCompared(LabelOperator operator, List<String> values) {
    return switch (operator) {
      case IN, NOT_IN -> values.stream().allMatch(Labels::isValue);
      // Label values have no sign, so a bound with a sign cannot be compared either.
      case GREATER_THAN, LESS_THAN ->
          Labels.isValue(values.getFirst()) && LabelOperator.isInteger(values.getFirst());
      case EXISTS, DOES_NOT_EXIST -> true;
    };
  }

  private static void requireValueCount(LabelOperator operator, List<String> values, String where) {
    PodLimit.SELECTOR_VALUES.check(values.size(), where);
    if (!operator.accepts(values.size()) || values.contains(null)) {
      throw new RefusedException(
          where + ": operator " + operator + " does not accept " + values.size() + " values");
    }
  }

  private static String requireKey(@Nullable String key, String where) {
    if (key == null || key.isEmpty()) {
      throw new RefusedException(where + " has no key");
    }
    return key;
  }

  private static LabelOperator operator(@Nullable String name, String where) {
    return LabelOperator.ofNodeSelector(name).orElseThrow(() -> unknownOperator(name, where));
  }

  private static RefusedException unknownOperator(@Nullable String name, String where) {
    return new RefusedException(where + " has the unknown operator '" + name + "'");
  }
}
