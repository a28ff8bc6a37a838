package io.berth.benchmarks.template;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.webhook.argument.ArgumentParser;
import io.berth.webhook.argument.Arguments;
import io.berth.webhook.argument.ArgumentsByConfig;
import io.berth.webhook.argument.CheckedArguments;
import io.berth.webhook.argument.GivenArguments;
import io.berth.webhook.template.Compilation;
import io.berth.webhook.template.CompiledTemplate;
import io.berth.webhook.template.PodFacts;
import io.berth.webhook.template.Rendering;
import io.berth.webhook.template.TemplateCompiler;
import io.berth.webhook.template.TemplateKind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Benchmarks of a typical config, with required and preferred terms, typed parameters, a list, a
 * condition, and a label of the pod.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RendererBenchmark {

  private static final String SPEC =
      """
      {
        "parameters": [
          {"name": "PreferredPool", "required": true, "pattern": "[A-Za-z0-9-]+"},
          {"name": "DefaultPool", "required": true},
          {"name": "Weight", "type": "integer", "default": 50, "minimum": 1, "maximum": 100},
          {"name": "Zones", "type": "stringList", "default": []},
          {"name": "Tier", "default": "basic", "enum": ["basic", "gold"]}
        ],
        "nodeAffinity": {
          "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
              {"matchExpressions": [
                {"key": "cloud.ctrip.com/pool", "operator": "In", "values": ["${PreferredPool}"]},
                {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]},
              {"matchExpressions": [
                {"key": "cloud.ctrip.com/pool", "operator": "In", "values": ["{{.DefaultPool}}"]},
                {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]}]
          },
          "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": "${Weight}", "preference": {"matchExpressions": [
              {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["z1", "${Zones}"]}]}},
            {"$if": "${Tier == \\"gold\\" && pod.namespace?starts_with(\\"team-\\")}",
             "weight": 10, "preference": {"matchExpressions": [
              {"key": "tier", "operator": "In", "values": ["${Tier}-${pod.labels[\\"app\\"]}"]}]}}
          ]
        },
        "tolerations": [
          {"key": "pool", "operator": "Equal", "value": "${PreferredPool?lower_case}", "effect": "NoSchedule"}
        ]
      }
      """;

  private static final String ANNOTATION =
      "{\"PreferredPool\":\"A\",\"DefaultPool\":\"B\",\"Zones\":[\"z2\",\"z3\"],\"Tier\":\"gold\"}";

  private static final PodFacts POD =
      new PodFacts("team-data", Map.of("app", "web"), Map.of(), "ReplicaSet", "web-5d4f");

  private static final GivenArguments EMPTY =
      new GivenArguments("NodeSchedulerConfig typical", "args", parsed("{}"));

  private final ArgumentParser parser = new ArgumentParser();
  private final TemplateCompiler compiler = new TemplateCompiler();
  private final JsonNode spec = parsed(SPEC);
  private final CompiledTemplate template =
      (CompiledTemplate) compiler.compile(TemplateKind.NODE, spec);
  private Arguments arguments = (Arguments) checked();

  private static JsonNode parsed(String json) {
    try {
      return new ObjectMapper().readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Fails the run if the rendered result is wrong. */
  @Setup
  public void check() {
    arguments = (Arguments) checked();
    Rendering rendering = template.render(arguments, POD);
    if (!rendering.toString().contains("gold-web")) {
      throw new IllegalStateException(rendering.toString());
    }
  }

  /** Measures only rendering, including the check of the result against the API server's rules. */
  @Benchmark
  public Rendering render() {
    return template.render(arguments, POD);
  }

  /** Measures parsing the annotation and checking the arguments. */
  @Benchmark
  public CheckedArguments parseAndCheckArguments() {
    return checked();
  }

  /** Measures the total cost per pod: arguments and rendering. */
  @Benchmark
  public Rendering argumentsAndRender() {
    return template.render((Arguments) checked(), POD);
  }

  /** Measures applying the config. */
  @Benchmark
  public Compilation compile() {
    return compiler.compile(TemplateKind.NODE, spec);
  }

  private CheckedArguments checked() {
    ArgumentsByConfig parsed =
        (ArgumentsByConfig)
            parser.parse(
                "NodeSchedulerConfig", "nsc-args", Optional.of(ANNOTATION), List.of("typical"));
    GivenArguments given = parsed.byConfig().getOrDefault("typical", EMPTY);
    return template.parameters().check(given);
  }
}
