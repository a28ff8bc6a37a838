package io.berth.webhook.template;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.webhook.argument.Arguments;
import io.berth.webhook.argument.CheckedArguments;
import io.berth.webhook.argument.GivenArguments;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;

/**
 * For all arguments, the rendered tree has the structure of the template, and equal arguments
 * produce equal trees.
 */
class StructureProperties {

  private static final String SPEC =
      """
      parameters:
      - {name: A, required: true}
      - {name: L, type: stringList, required: true}
      nodeAffinity:
        preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 3
          preference:
            matchExpressions:
            - {key: pool, operator: NotIn, values: ["fixed", "${A}", "x-${A}", "${L}", "last"]}
      """;

  private static final CompiledTemplate TEMPLATE = Configs.compiled(TemplateKind.NODE, SPEC);

  @Example
  void colonAtTheEndOfAnArgument_isPartOfIt() {
    arguments_cannotChangeTheStructure(":", List.of("a:"));
  }

  @Property(tries = 2000)
  void arguments_cannotChangeTheStructure(
      @ForAll @StringLength(max = 100) String text,
      @ForAll @Size(max = 5) List<@StringLength(max = 20) String> list) {
    var tree = JsonNodeFactory.instance.objectNode().put("A", text);
    list.forEach(tree.putArray("L")::add);
    CheckedArguments checked =
        TEMPLATE.parameters().check(new GivenArguments("NodeSchedulerConfig c", "args", tree));
    if (!(checked instanceof Arguments arguments)) {
      return;
    }
    JsonNode rendered = ((Rendered) TEMPLATE.render(arguments, Configs.POD)).fields();
    JsonNode values =
        rendered.at(
            "/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution/0/preference"
                + "/matchExpressions/0/values");

    assertThat(values).hasSize(4 + list.size());
    assertThat(values.get(1).textValue()).isEqualTo(text);
    assertThat(values.get(2).textValue()).isEqualTo("x-" + text);
    assertThat(structure(rendered)).isEqualTo(structure(reference(list.size())));
    assertThat(TEMPLATE.render(arguments, Configs.BARE_POD))
        .isEqualTo(new Rendered(rendered.deepCopy()));
  }

  private static JsonNode reference(int items) {
    Arguments arguments = Configs.arguments(TEMPLATE, "{A: a, L: [" + "b,".repeat(items) + "]}");
    return ((Rendered) TEMPLATE.render(arguments, Configs.POD)).fields();
  }

  /** Returns a copy of the tree with all strings replaced by the same one. */
  private static JsonNode structure(JsonNode tree) {
    return switch (tree) {
      case ObjectNode object -> {
        ObjectNode copy = JsonNodeFactory.instance.objectNode();
        object.properties().forEach(field -> copy.set(field.getKey(), structure(field.getValue())));
        yield copy;
      }
      case ArrayNode array -> {
        ArrayNode copy = JsonNodeFactory.instance.arrayNode();
        array.forEach(item -> copy.add(structure(item)));
        yield copy;
      }
      default -> tree.isTextual() ? JsonNodeFactory.instance.textNode("") : tree;
    };
  }
}
