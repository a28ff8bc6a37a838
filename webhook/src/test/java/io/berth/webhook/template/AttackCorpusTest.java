package io.berth.webhook.template;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.webhook.argument.ArgumentParser;
import io.berth.webhook.argument.Arguments;
import io.berth.webhook.argument.ArgumentsByConfig;
import io.berth.webhook.argument.CheckedArguments;
import io.berth.webhook.argument.ParsedArguments;
import io.berth.webhook.argument.RefusedArguments;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Runs every attack of {@code attacks.yaml}; the file explains its fields. */
class AttackCorpusTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final YAMLMapper YAML = new YAMLMapper();

  @TestFactory
  Stream<DynamicTest> everyAttack_isRefusedAsExpected() throws IOException {
    return StreamSupport.stream(corpus().spliterator(), false)
        .map(attack -> DynamicTest.dynamicTest(attack.get("name").asText(), () -> check(attack)));
  }

  @Test
  void theCorpus_hasAtLeastSixtyAttacksOfDifferentNames() throws IOException {
    List<String> names = corpus().findValuesAsText("name").stream().distinct().toList();

    assertThat(names).hasSizeGreaterThanOrEqualTo(60);
  }

  private static JsonNode corpus() throws IOException {
    try (InputStream file = AttackCorpusTest.class.getResourceAsStream("attacks.yaml")) {
      return YAML.readTree(file);
    }
  }

  private static void check(JsonNode attack) throws JsonProcessingException {
    TemplateKind kind = attack.has("kind") ? TemplateKind.POD : TemplateKind.NODE;
    String expected = attack.get("when").asText() + " " + attack.path("code").asText();

    assertThat(outcome(kind, attack)).isEqualTo(expected.strip());
  }

  private static String outcome(TemplateKind kind, JsonNode attack) throws JsonProcessingException {
    Compilation compilation = new TemplateCompiler().compile(kind, spec(attack));
    if (compilation instanceof InvalidTemplate invalid) {
      return "applied " + code(invalid.problems());
    }
    CompiledTemplate template = (CompiledTemplate) compilation;
    ParsedArguments parsed =
        new ArgumentParser().parse(kind.kind(), "args", annotation(attack), List.of("test"));
    if (parsed instanceof RefusedArguments refused) {
      return "arguments " + code(refused.problems());
    }
    CheckedArguments checked =
        template.parameters().check(((ArgumentsByConfig) parsed).byConfig().get("test"));
    if (checked instanceof RefusedArguments refused) {
      return "arguments " + code(refused.problems());
    }
    return switch (template.render((Arguments) checked, Configs.POD)) {
      case RenderingRefused refused -> "rendered " + code(refused.problems());
      case Rendered rendered -> {
        assertThat(rendered.fields()).isEqualTo(YAML.readTree(attack.path("result").asText()));
        yield "harmless";
      }
    };
  }

  private static String code(List<Problem> problems) {
    Problem first = problems.getFirst();
    assertThat(first.message()).isNotBlank().hasSizeLessThan(1500);
    assertThat(first.message().codePoints())
        .as("the message contains no invisible characters")
        .noneMatch(Quoted::isInvisible);
    return first.code().id();
  }

  private static JsonNode spec(JsonNode attack) throws JsonProcessingException {
    boolean inArguments =
        attack.has("annotation") || attack.path("arguments").toString().contains("@");
    if (attack.has("spec")) {
      String spec = attack.get("spec").asText();
      return YAML.readTree(inArguments ? spec : expanded(attack, spec));
    }
    String leaf = attack.path("leaf").asText("${A}");
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    spec.putArray("tolerations")
        .addObject()
        .put("key", "k")
        .put("value", inArguments ? leaf : expanded(attack, leaf));
    if (leaf.contains("L?") || leaf.contains("(L")) {
      spec.putArray("parameters")
          .addObject()
          .put("name", "L")
          .put("type", "stringList")
          .put("required", true);
    }
    return spec;
  }

  private static Optional<String> annotation(JsonNode attack) throws JsonProcessingException {
    if (attack.has("annotation")) {
      return Optional.of(expanded(attack, attack.get("annotation").asText()));
    }
    if (!attack.has("arguments")) {
      return Optional.empty();
    }
    ObjectNode arguments = attack.get("arguments").deepCopy();
    for (String name :
        attack.get("arguments").properties().stream().map(Map.Entry::getKey).toList()) {
      JsonNode value = arguments.get(name);
      if (value.isTextual() && value.textValue().startsWith("#")) {
        int count = Integer.parseInt(value.textValue().substring(1));
        if (name.equals("L")) {
          var list = arguments.putArray(name);
          for (int i = 0; i < count; i++) {
            list.add("item-" + i);
          }
        } else {
          arguments.put(name, "a".repeat(count));
        }
      } else if (value.isTextual()) {
        arguments.put(name, expanded(attack, value.textValue()));
      }
    }
    return Optional.of(JSON.writeValueAsString(arguments));
  }

  private static String expanded(JsonNode attack, String text) {
    if (!attack.has("repeat")) {
      return text;
    }
    int count = attack.get("repeat").get(1).asInt();
    String expanded = text.replace("@", attack.get("repeat").get(0).asText().repeat(count));
    return attack.has("close") ? closed(text, expanded, attack, count) : expanded;
  }

  /**
   * Inserts closing brackets for the repeated opening ones, before the part of the text that
   * follows the 1.
   */
  private static String closed(String text, String expanded, JsonNode attack, int count) {
    String tail = text.substring(text.indexOf("@1") + 2);
    return expanded.substring(0, expanded.length() - tail.length())
        + attack.get("close").asText().repeat(count)
        + tail;
  }
}
