package io.berth.webhook.template;

import static org.assertj.core.api.Assertions.assertThat;

import freemarker.cache.NullCacheStorage;
import freemarker.core.TemplateClassResolver;
import freemarker.template.Configuration;
import freemarker.template.SimpleObjectWrapper;
import freemarker.template.Template;
import freemarker.template.TemplateException;
import io.berth.webhook.argument.Arguments;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Berth's evaluator and FreeMarker's produce the same text for every expression of the grammar. */
class FreeMarkerEquivalenceTest {

  private static final String PARAMETERS =
      """
      parameters:
      - {name: S, required: true}
      - {name: T, required: true}
      - {name: N, type: integer, required: true}
      - {name: B, type: boolean, required: true}
      - {name: L, type: stringList, required: true}
      - {name: Opt}
      tolerations: []
      """;

  private static final CompiledTemplate TEMPLATE = Configs.compiled(TemplateKind.NODE, PARAMETERS);
  private static final Arguments ARGUMENTS =
      Configs.arguments(TEMPLATE, "{S: Abc, T: b, N: 42, B: true, L: [x, Abc]}");
  private static final Configuration FREEMARKER = freeMarker();

  @Property(tries = 2000)
  void bothEvaluationsAgree(@ForAll("texts") String expression) throws Exception {
    // Larger expressions are rejected before evaluation: AttackCorpusTest checks the limits.
    Assume.that(count(expression, "([") <= RenderLimits.BRACKETS);
    Assume.that(count(expression, "!?.+-*/%&|=<>$") < RenderLimits.OPERATORS - 4);
    String leaf = "<${" + expression + "}>";

    assertThat(ours(leaf)).isEqualTo(theirs(leaf));
  }

  private static long count(String expression, String characters) {
    return expression.chars().filter(each -> characters.indexOf(each) >= 0).count();
  }

  private static String ours(String leaf) {
    Expression expression = new LeafParser().parse(leaf);
    new Typing(TEMPLATE.parameters()).of(expression);
    Scope scope = new PodScope(TEMPLATE.parameters(), ARGUMENTS, Configs.POD);
    return (String) new Evaluator(scope, new Budget()).evaluate(expression);
  }

  private static String theirs(String leaf) throws IOException, TemplateException {
    Map<String, Object> model =
        Map.of(
            "S",
            "Abc",
            "T",
            "b",
            "N",
            42L,
            "B",
            true,
            "L",
            List.of("x", "Abc"),
            "pod",
            Map.of(
                "namespace", Configs.POD.namespace(),
                "labels", Configs.POD.labels(),
                "annotations", Configs.POD.annotations(),
                "owner", Map.of("kind", "ReplicaSet", "name", "web-5d4f")));
    StringWriter writer = new StringWriter();
    new Template("t", leaf, FREEMARKER).process(model, writer);
    return writer.toString();
  }

  private static Configuration freeMarker() {
    Configuration configuration = new Configuration(Configuration.VERSION_2_3_35);
    configuration.setCacheStorage(NullCacheStorage.INSTANCE);
    configuration.setNewBuiltinClassResolver(TemplateClassResolver.ALLOWS_NOTHING_RESOLVER);
    configuration.setAPIBuiltinEnabled(false);
    configuration.setObjectWrapper(new SimpleObjectWrapper(Configuration.VERSION_2_3_35));
    configuration.setNumberFormat("computer");
    configuration.setBooleanFormat("c");
    configuration.setLocale(Locale.ROOT);
    configuration.setLogTemplateExceptions(false);
    return configuration;
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.integers().between(0, 3).flatMap(this::text);
  }

  private Arbitrary<String> text(int depth) {
    Arbitrary<String> atom =
        Arbitraries.of(
            "S",
            "T",
            "\"a-b\"",
            "r'x'",
            "Opt!\"none\"",
            // Not "(Opt!)" by itself: FreeMarker's empty default is both a string and a sequence,
            // and the
            // sum of two is a sequence; in Berth, it is a string.
            "(\"\" + (Opt!))",
            "pod.namespace",
            "pod.labels.app",
            "pod.labels[\"none\"]!S",
            "pod.owner.kind",
            "(\" x \"?trim)");
    if (depth == 0) {
      return atom;
    }
    Arbitrary<String> deeper = text(depth - 1).map(text -> "(" + text + ")");
    return Arbitraries.oneOf(
        atom,
        Combinators.combine(deeper, deeper).as((one, other) -> one + " + " + other),
        Combinators.combine(deeper, number(depth - 1)).as((one, other) -> one + " + " + other),
        deeper.map(text -> text + "?lower_case"),
        deeper.map(text -> text + "?upper_case"),
        deeper.map(text -> text + "?trim"),
        number(depth - 1).map(number -> number + "?c"),
        truth(depth - 1).map(truth -> truth + "?string"),
        Combinators.combine(truth(depth - 1), deeper, deeper)
            .as((truth, one, other) -> truth + "?then(" + one + ", " + other + ")"));
  }

  private Arbitrary<String> number(int depth) {
    Arbitrary<String> atom = Arbitraries.of("N", "7", "(-3)", "L?size", "S?length");
    if (depth == 0) {
      return atom;
    }
    Arbitrary<String> deeper = number(depth - 1);
    return Arbitraries.oneOf(
        atom,
        Combinators.combine(deeper, Arbitraries.of("+", "-", "*"), deeper)
            .as((one, operator, other) -> "(" + one + " " + operator + " " + other + ")"));
  }

  private Arbitrary<String> truth(int depth) {
    Arbitrary<String> atom =
        Arbitraries.of(
            "B",
            "(!B)",
            "true",
            "(Opt??)",
            "(pod.labels.app??)",
            "L?seq_contains(S)",
            "Opt?has_content",
            "L?has_content");
    if (depth == 0) {
      return atom;
    }
    Arbitrary<String> deeper = truth(depth - 1);
    Arbitrary<String> text = text(depth - 1).map(one -> "(" + one + ")");
    return Arbitraries.oneOf(
        atom,
        Combinators.combine(deeper, Arbitraries.of("&&", "||", "==", "!="), deeper)
            .as((one, operator, other) -> "(" + one + " " + operator + " " + other + ")"),
        Combinators.combine(text, Arbitraries.of("==", "!="), text)
            .as((one, operator, other) -> "(" + one + " " + operator + " " + other + ")"),
        Combinators.combine(
                number(depth - 1), Arbitraries.of("<", "lte", ">", ">=", "=="), number(depth - 1))
            .as((one, operator, other) -> "(" + one + " " + operator + " " + other + ")"),
        Combinators.combine(text, Arbitraries.of("starts_with", "ends_with", "contains"), text)
            .as((one, builtIn, other) -> one + "?" + builtIn + "(" + other + ")"));
  }
}
