package io.berth.webhook.template;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.webhook.argument.Arguments;
import io.berth.webhook.argument.CheckedArguments;
import io.berth.webhook.argument.GivenArguments;
import io.berth.webhook.argument.RefusedArguments;
import io.berth.webhook.error.Problem;
import java.util.List;
import java.util.Map;

/** Parses configs, arguments, and pods that tests write as YAML. */
final class Configs {

  static final PodFacts POD =
      new PodFacts(
          "team-data",
          Map.of("app", "web", "pool", "gpu", "app.kubernetes.io/name", "shop"),
          Map.of("note", "hello"),
          "ReplicaSet",
          "web-5d4f");

  static final PodFacts BARE_POD = new PodFacts("default", Map.of(), Map.of(), "", "");

  private static final YAMLMapper YAML = new YAMLMapper();

  private Configs() {}

  static JsonNode yaml(String text) {
    try {
      return YAML.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  static Compilation compile(TemplateKind kind, String spec) {
    return new TemplateCompiler().compile(kind, yaml(spec));
  }

  static CompiledTemplate compiled(TemplateKind kind, String spec) {
    Compilation compilation = compile(kind, spec);
    if (compilation instanceof InvalidTemplate invalid) {
      throw new AssertionError(invalid.problems().stream().map(Problem::text).toList());
    }
    return (CompiledTemplate) compilation;
  }

  static List<Problem> problems(TemplateKind kind, String spec) {
    Compilation compilation = compile(kind, spec);
    assertThat(compilation).isInstanceOf(InvalidTemplate.class);
    return ((InvalidTemplate) compilation).problems();
  }

  static Arguments arguments(CompiledTemplate template, String arguments) {
    CheckedArguments checked =
        template
            .parameters()
            .check(new GivenArguments("NodeSchedulerConfig test", "args", yaml(arguments)));
    if (checked instanceof RefusedArguments refused) {
      throw new AssertionError(refused.problems().stream().map(Problem::text).toList());
    }
    return (Arguments) checked;
  }

  static Rendering rendering(TemplateKind kind, String spec, String arguments, PodFacts pod) {
    CompiledTemplate template = compiled(kind, spec);
    return template.render(arguments(template, arguments), pod);
  }

  static JsonNode rendered(TemplateKind kind, String spec, String arguments) {
    Rendering rendering = rendering(kind, spec, arguments, POD);
    if (rendering instanceof RenderingRefused refused) {
      throw new AssertionError(refused.problems().stream().map(Problem::text).toList());
    }
    return ((Rendered) rendering).fields();
  }

  static List<Problem> refused(TemplateKind kind, String spec, String arguments, PodFacts pod) {
    Rendering rendering = rendering(kind, spec, arguments, pod);
    assertThat(rendering).isInstanceOf(RenderingRefused.class);
    return ((RenderingRefused) rendering).problems();
  }
}
