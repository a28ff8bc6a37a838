package io.berth.webhook.template;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.webhook.affinity.AffinityValidator;
import io.berth.webhook.argument.Arguments;
import io.berth.webhook.argument.DeclaredParameter;
import io.berth.webhook.argument.Parameters;
import io.berth.webhook.error.Problem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parsed and checked templates of a config. Immutable and thread-safe. Rendering is a pure
 * function of the arguments and the pod, and its steps and output are limited.
 */
public final class CompiledTemplate implements Compilation {

  private static final AffinityValidator VALIDATOR = new AffinityValidator();

  private final Parameters parameters;
  private final List<TreeNode.Field> fields;
  private final Set<String> names;

  /**
   * Creates a template.
   *
   * @param names the names of all arguments that the templates read
   */
  CompiledTemplate(Parameters parameters, List<TreeNode.Field> fields, Set<String> names) {
    this.parameters = parameters;
    this.names = Set.copyOf(names);
    this.fields = List.copyOf(fields);
  }

  /**
   * Returns the parameters that the config declares or, if it declares none, those derived from the
   * names that its templates use.
   */
  public Parameters parameters() {
    return parameters;
  }

  /** Returns whether any template reads the parameter. */
  public boolean uses(DeclaredParameter parameter) {
    return names.contains(parameter.name());
  }

  /**
   * Renders the templates for one pod.
   *
   * @param arguments the arguments, checked against this template's {@link #parameters()}
   * @return a result that the API server accepts, or the problems
   */
  public Rendering render(Arguments arguments, PodFacts pod) {
    return render(new PodScope(parameters, arguments, pod), new Budget());
  }

  /** Renders within a budget, which afterwards reports the consumed steps. */
  Rendering render(Scope scope, Budget budget) {
    try {
      ObjectNode rendered = renderFields(new Renderer(scope, budget, null));
      List<Problem> problems = check(rendered);
      return problems.isEmpty()
          ? new Rendered(rendered)
          : new RenderingRefused(withSources(problems, scope));
    } catch (Renderer.LeafRefused e) {
      return new RenderingRefused(List.of(e.problem()));
    }
  }

  private ObjectNode renderFields(Renderer renderer) {
    ObjectNode rendered = JsonNodeFactory.instance.objectNode();
    for (TreeNode.Field field : fields) {
      @Nullable JsonNode value = renderer.render(field.value(), pathOf(field));
      if (value != null) {
        rendered.set(field.name(), value);
      }
    }
    return rendered;
  }

  private static String pathOf(TreeNode.Field field) {
    return "spec." + field.name();
  }

  private static List<Problem> check(ObjectNode rendered) {
    List<Problem> problems = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : rendered.properties()) {
      problems.addAll(VALIDATOR.check(field.getKey(), field.getValue(), "spec." + field.getKey()));
    }
    return problems;
  }

  /**
   * Renders again and records the template of each path: dropped and spliced items change the
   * indexes in a list, so the paths differ from those in the spec.
   */
  private List<Problem> withSources(List<Problem> problems, Scope scope) {
    Map<String, TreeNode.Leaf> sources = new HashMap<>();
    renderFields(new Renderer(scope, new Budget(), sources));
    return new BlamedArguments(scope).blame(problems, sources);
  }
}
