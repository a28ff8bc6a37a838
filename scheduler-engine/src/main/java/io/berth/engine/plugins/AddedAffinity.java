package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.WeightedNodeTerm;
import io.berth.rules.LabelSyntax;
import io.berth.rules.label.LabelOperator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code addedAffinity} argument of NodeAffinity: a node affinity for every pod of the policy.
 */
final class AddedAffinity {
  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
  private static final String NODE_NAME = "metadata.name";
  private static final List<LabelOperator> OF_FIELDS =
      List.of(LabelOperator.IN, LabelOperator.NOT_IN);

  private AddedAffinity() {}

  /** Returns the required terms of the filter, in addition to those of the pod. */
  static NodeSelection required(Arguments arguments) {
    if (!arguments.has("addedAffinity")) {
      return NodeSelection.none();
    }
    Arguments added = arguments.object("addedAffinity");
    added.isForScores(PREFERRED);
    Optional<List<NodeTerm>> required = Optional.empty();
    if (added.has(REQUIRED)) {
      Arguments selector = added.object(REQUIRED);
      List<NodeTerm> terms = new ArrayList<>();
      for (Arguments term : selector.objects("nodeSelectorTerms")) {
        terms.add(term(term, "no node"));
      }
      selector.finish();
      if (terms.isEmpty()) {
        selector.problem("nodeSelectorTerms", "must have at least one term, or no node is matched");
      }
      required = Optional.of(terms);
    }
    added.finish();
    return new NodeSelection(Map.of(), required, List.of());
  }

  /** Returns the preferred terms of the score, in addition to those of the pod. */
  static NodeSelection preferred(Arguments arguments) {
    if (!arguments.has("addedAffinity")) {
      return NodeSelection.none();
    }
    Arguments added = arguments.object("addedAffinity");
    added.isForFilters(REQUIRED);
    List<WeightedNodeTerm> preferred = new ArrayList<>();
    for (Arguments preference : added.objects(PREFERRED)) {
      int weight = (int) preference.integer("weight", 1, 100, 1);
      preferred.add(
          new WeightedNodeTerm(weight, term(preference.object("preference"), "all nodes alike")));
      preference.finish();
    }
    added.finish();
    return new NodeSelection(Map.of(), Optional.empty(), preferred);
  }

  /**
   * Parses a node selector term.
   *
   * @param whenEmpty the nodes that a term without requirements would match, for messages
   */
  private static NodeTerm term(Arguments term, String whenEmpty) {
    boolean empty = !term.has("matchExpressions") && !term.has("matchFields");
    List<Requirement> expressions = labels(term.objects("matchExpressions"));
    List<Requirement> fields = fields(term.objects("matchFields"));
    term.finish();
    if (empty) {
      term.problem("matchExpressions", "is required: an empty term matches " + whenEmpty);
    }
    return new NodeTerm(expressions, fields, false);
  }

  private static List<Requirement> labels(List<Arguments> given) {
    List<Requirement> requirements = new ArrayList<>();
    for (Arguments requirement : given) {
      String key = requirement.text("key", "");
      LabelOperator operator = operator(requirement, List.of(LabelOperator.values()));
      List<String> values = requirement.texts("values");
      requirement.finish();
      if (key.isEmpty()) {
        requirement.problem("key", "must name a label");
      } else {
        LabelArguments.checkName(requirement, "key", key);
      }
      boolean bound = operator.isBound();
      if (bound && (values.size() != 1 || !LabelOperator.isInteger(values.getFirst()))) {
        requirement.problem("values", "must be one integer in quotes, for Gt and Lt");
        continue;
      }
      boolean listed = operator == LabelOperator.IN || operator == LabelOperator.NOT_IN;
      if (listed == values.isEmpty() && !bound) {
        requirement.problem(
            "values", listed ? "must not be empty, for In and NotIn" : "must be empty");
        continue;
      }
      for (String value : values) {
        if (!bound && !LabelSyntax.ofLabelValue(value).isEmpty()) {
          requirement.problem(
              "values", "\"" + value + "\" " + LabelSyntax.ofLabelValue(value).getFirst());
        }
      }
      requirements.add(new Requirement(key, operator, values));
    }
    return requirements;
  }

  private static List<Requirement> fields(List<Arguments> given) {
    List<Requirement> requirements = new ArrayList<>();
    for (Arguments requirement : given) {
      if (!requirement.has("key")) {
        requirement.problem("key", "is missing; accepted: " + NODE_NAME);
      }
      String key = requirement.oneOf("key", List.of(NODE_NAME), NODE_NAME);
      LabelOperator operator = operator(requirement, OF_FIELDS);
      List<String> values = requirement.texts("values");
      requirement.finish();
      if (values.size() != 1) {
        requirement.problem("values", "must be the name of one node");
        continue;
      }
      if (!LabelSyntax.ofSubdomain(values.getFirst()).isEmpty()) {
        requirement.problem("values", "\"" + values.getFirst() + "\" cannot be the name of a node");
      }
      requirements.add(new Requirement(key, operator, values));
    }
    return requirements;
  }

  private static LabelOperator operator(Arguments requirement, List<LabelOperator> accepted) {
    List<String> words = accepted.stream().map(LabelOperator::written).sorted().toList();
    if (!requirement.has("operator")) {
      requirement.problem("operator", "is missing; accepted: " + String.join(", ", words));
      return LabelOperator.IN;
    }
    return LabelOperator.ofNodeSelector(requirement.oneOf("operator", words, "In"))
        .orElse(LabelOperator.IN);
  }
}
