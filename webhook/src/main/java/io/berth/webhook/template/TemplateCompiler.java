package io.berth.webhook.template;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.ParameterType;
import io.berth.webhook.affinity.AffinityShapes;
import io.berth.webhook.argument.Declaration;
import io.berth.webhook.argument.InvalidDeclaration;
import io.berth.webhook.argument.Parameters;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Compiles the spec of a NodeSchedulerConfig or PodSchedulerConfig: reads its parameters, parses
 * its templates, checks their types, and renders them with known values (see {@link Trials}).
 * Stateless and thread-safe.
 */
public final class TemplateCompiler {

  /** The maximum number of problems that are reported for one config. */
  static final int PROBLEMS = 32;

  private final LeafParser parser = new LeafParser();

  /**
   * Compiles a spec, and rejects everything that can be found to be invalid without a pod.
   *
   * @param spec the spec as JSON: {@code parameters} and the templated fields of the kind; other
   *     fields are ignored
   */
  public Compilation compile(TemplateKind kind, JsonNode spec) {
    List<Problem> problems = new ArrayList<>();
    Declaration declaration = Parameters.read(spec.path("parameters"), "spec.parameters");
    if (declaration instanceof InvalidDeclaration invalid) {
      problems.addAll(invalid.problems());
    }
    List<TreeNode.Leaf> leaves = new ArrayList<>();
    TreeReader reader = new TreeReader(parser, problems, leaves::add);
    List<TreeNode.Field> fields = new ArrayList<>();
    for (String field : kind.fields()) {
      JsonNode value = spec.path(field);
      if (!value.isMissingNode() && !value.isNull()) {
        TreeNode tree = reader.read(value, AffinityShapes.of(field).orElseThrow(), "spec." + field);
        fields.add(new TreeNode.Field(field, tree));
      }
    }
    if (!problems.isEmpty()) {
      return new InvalidTemplate(problems);
    }
    Parameters parameters = (Parameters) declaration;
    Set<String> names = namesIn(leaves);
    if (parameters.list().isEmpty()) {
      parameters = Parameters.ofNames(names);
    }
    checkTypes(leaves, new Typing(parameters), problems);
    if (!problems.isEmpty()) {
      return new InvalidTemplate(problems);
    }
    CompiledTemplate template = new CompiledTemplate(parameters, fields, names);
    problems.addAll(new Trials(template, leaves).problems());
    return problems.isEmpty() ? template : new InvalidTemplate(problems);
  }

  private static Set<String> namesIn(List<TreeNode.Leaf> leaves) {
    Set<String> names = new LinkedHashSet<>();
    leaves.forEach(leaf -> collect(leaf.expression(), names));
    return names;
  }

  private static void collect(Expression expression, Collection<String> names) {
    if (expression instanceof Expression.Name name) {
      names.add(name.name());
    }
    expression.children().forEach(child -> collect(child, names));
  }

  private static void checkTypes(
      List<TreeNode.Leaf> leaves, Typing typing, List<Problem> problems) {
    for (TreeNode.Leaf leaf : leaves) {
      if (problems.size() >= PROBLEMS) {
        return;
      }
      try {
        ParameterType type = typing.of(leaf.expression());
        if (leaf.path().endsWith("." + TreeReader.CONDITION)) {
          checkCondition(leaf, type);
        }
      } catch (Refused e) {
        problems.add(
            new Problem(e.code(), leaf.path(), Quoted.value(leaf.source()) + ": " + e.words()));
      }
    }
  }

  private static void checkCondition(TreeNode.Leaf leaf, ParameterType type) {
    boolean alone = !(leaf.expression() instanceof Expression.Join);
    if (type == ParameterType.BOOLEAN || (type == ParameterType.STRING && alone)) {
      return;
    }
    throw new Refused(
        ErrorCode.TEMPLATE_IF,
        "a condition must be true or false: write it as a single ${...}, such as ${Tier =="
            + " \"gold\"}");
  }
}
