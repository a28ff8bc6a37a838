package io.berth.webhook.validation;

import static io.berth.webhook.Resources.namespace;
import static io.berth.webhook.Resources.policy;
import static io.berth.webhook.Resources.resource;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.webhook.Resources;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigValidatorTest {
  private static final String CREATED = "2026-01-01T00:00:00Z";
  private static final String POOL =
      "{kind: NodeSchedulerConfig, metadata: {name: pool, generation: 1}, spec: {nodeAffinity:"
          + " {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms:"
          + " [{matchExpressions: [{key: pool, operator: In, values: ['${Pool}']}]}]}}}}";

  private final LiveCatalog catalog = new LiveCatalog("berth-system");
  private final ConfigValidator validator = new ConfigValidator((name, spec) -> List.of());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "podSelector: {matchExpressions: [{key: app, operator: in, values: [a]}]}"
            + "| spec.podSelector.matchExpressions[0].operator | did you mean \"In\"?",
        "podSelector: {matchExpressions: [{key: app, operator: In}]}"
            + "| spec.podSelector.matchExpressions[0].values | must be specified when",
        "podSelector: {matchExpressions: [{key: app, operator: Exists, values: [a]}]}"
            + "| spec.podSelector.matchExpressions[0].values | may not be specified when",
        "podSelector: {matchLabels: {'-app': a}} | spec.podSelector.matchLabels | name part must",
        "podSelector: {matchLabels: {app: 'a b'}} | spec.podSelector.matchLabels[app] | a valid"
            + " label",
        "namespaceSelector: {} | spec.namespaceSelector | only a binding in the operator's"
            + " namespace",
        "rollout: {percent: 101} | spec.rollout.percent | from 0 to 100",
        "'enforcement: DryRun, repair: Recreate' | spec.repair | set repair to None",
        "'group: {min: \"150%\"}' | spec.group.min | from 1% to 100%",
        "'group: {timeout: soon}' | spec.group.timeout | such as 10m",
        "'group: {topology: {key: \"a b\"}}' | spec.group.topology.key | key of a node label",
        "'nodeConfigs: [{name: a}, {name: a}]' | spec.nodeConfigs[1].name | a second time",
        "priority: high | spec.priority | kubectl explain",
        "enforcement: Sometimes | spec.enforcement | kubectl explain",
      })
  void aBindingThatIsWrongInItself_isRefusedWithPathAndRemedy(
      String fields, String path, String words) {
    List<Problem> problems =
        binding("team-a", unquoted(fields) + ", schedulingPolicy: batch").problems();

    assertThat(problems)
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.path()).isEqualTo(path);
              assertThat(problem.message()).contains(words);
            });
  }

  @Test
  void aGroupOfPodsThatBerthMayNotPlace_isWarnedAbout() {
    ValidationResult findings = binding("team-a", "group: {}");

    assertThat(findings.problems()).isEmpty();
    assertThat(findings.warnings()).extracting(Problem::path).containsExactly("spec.group");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          team-a       | rollout: {percent: 0}                                    | BINDING_IDLE
          berth-system | namespaceSelector: {matchLabels: {tier: gold}}           | BINDING_IDLE
          berth-system | namespaceSelector: {matchLabels: {name: kube-system}}    | BINDING_IDLE
          berth-system | priority: 1                                              | BINDING_WITHOUT_EFFECT
          kube-system  | priority: 1                                              | BINDING_WITHOUT_EFFECT
          team-a       | schedulerName: default-scheduler                         | BINDING_WITHOUT_EFFECT
          team-a       | schedulerName: default-scheduler, nodeConfigs: [{name: pool, args: {Pool: A}}] | BINDING_FIELD_WITHOUT_EFFECT
          """)
  void aBindingThatSelectsNoPod_getsTheReason(String namespace, String spec, ErrorCode code) {
    catalog.put(policy("batch", CREATED, ""));
    catalog.put(resource(POOL));
    catalog.put(namespace("team-a", "tier: silver"));
    catalog.put(namespace("kube-system", "name: kube-system"));

    ValidationResult findings = binding(namespace, "schedulingPolicy: batch, " + spec);

    assertThat(findings.problems()).isEmpty();
    assertThat(findings.warnings()).extracting(Problem::code).containsExactly(code);
  }

  @Test
  void aSelectorThatMatchesANamespace_isNotWarnedAbout() {
    catalog.put(policy("batch", CREATED, ""));
    catalog.put(namespace("team-a", "tier: gold"));

    assertThat(
            binding(
                    "berth-system",
                    "schedulingPolicy: batch, namespaceSelector: {matchLabels: {tier: gold}}")
                .warnings())
        .isEmpty();
  }

  @Test
  void aBindingThatBindsNothing_isRefused() {
    assertThat(binding("team-a", "priority: 1").problems())
        .extracting(Problem::code)
        .containsExactly(ErrorCode.BINDING_WITHOUT_EFFECT);
  }

  @Test
  void references_mayComeInAnyOrderSoTheyAreOnlyWarnedAbout() {
    ValidationResult findings =
        binding("team-a", "nodeConfigs: [{name: pol}], schedulingPolicy: batch");
    assertThat(findings.problems()).isEmpty();
    assertThat(findings.warnings())
        .extracting(Problem::path)
        .containsExactly("spec.nodeConfigs[0].name", "spec.schedulingPolicy");

    catalog.put(resource(POOL));
    catalog.put(policy("batch", CREATED, ""));
    assertThat(binding("team-a", "nodeConfigs: [{name: pol}], schedulingPolicy: batch").warnings())
        .singleElement()
        .satisfies(warning -> assertThat(warning.message()).contains("did you mean \"pool\"?"));
    assertThat(binding("team-a", "nodeConfigs: [{name: pool, args: {Pol: A}}]").warnings())
        .extracting(Problem::code)
        .containsExactly(ErrorCode.ARGUMENT_UNKNOWN, ErrorCode.ARGUMENT_MISSING);
    assertThat(binding("team-a", "nodeConfigs: [{name: pool, args: {Pool: A}}]").warnings())
        .isEmpty();
  }

  @Test
  void aBindingOfTheOperatorsNamespaceThatReachesNothing_isWarnedAbout() {
    assertThat(binding("berth-system", "schedulingPolicy: batch").warnings())
        .extracting(Problem::path)
        .contains("spec.namespaceSelector");
    assertThat(binding("berth-system", "namespaceSelector: {}, schedulingPolicy: batch").problems())
        .isEmpty();
  }

  @Test
  void aConfigWithABrokenTemplate_isRefusedAndAGoodOneAccepted() {
    assertThat(validate("NodeSchedulerConfig", "", POOL).problems()).isEmpty();
    assertThat(validate("NodeSchedulerConfig", "", POOL.replace("${Pool}", "${Pool")).problems())
        .isNotEmpty()
        .allSatisfy(problem -> assertThat(problem.path()).startsWith("spec.nodeAffinity"));
  }

  @Test
  void aConfigThatABindingDoesNotFitAnyMore_isWarnedAbout() {
    catalog.put(
        Resources.binding(
            "team-a", "old", CREATED, "nodeConfigs: [{name: pool, args: {Pool: A}}]"));

    ValidationResult findings =
        validate("NodeSchedulerConfig", "", POOL.replace("${Pool}", "${Renamed}"));

    assertThat(findings.problems()).isEmpty();
    assertThat(findings.warnings())
        .singleElement()
        .satisfies(
            warning ->
                assertThat(warning.path())
                    .isEqualTo("SchedulerConfigBinding team-a/old, spec.nodeConfigs[0].args"));
  }

  @Test
  void allowedNamespacesThatAllowNothingOrCannotBeNames_areRefused() {
    assertThat(
            validate(
                    "SchedulingPolicy",
                    "",
                    "{metadata: {name: p}, spec: {allowedNamespaces: {names: [Team_A]}}}")
                .problems())
        .extracting(Problem::path)
        .containsExactly("spec.allowedNamespaces.names[0]");
    assertThat(
            validate("SchedulingPolicy", "", "{metadata: {name: p}, spec: {allowedNamespaces: {}}}")
                .problems())
        .extracting(Problem::code)
        .containsExactly(ErrorCode.ALLOWED_NAMESPACES);
  }

  @Test
  void whatTheEngineSaysOfAPolicy_isPassedOn() {
    Problem problem =
        new Problem(ErrorCode.POLICY_INVALID, "spec.priorities[0].weight", "is too great");
    ConfigValidator strict = new ConfigValidator((name, spec) -> List.of(problem));

    assertThat(
            strict
                .validate(
                    "SchedulingPolicy", "", "p", yaml("{metadata: {}, spec: {}}"), catalog.get())
                .problems())
        .containsExactly(problem);
  }

  @Test
  void aSecondDefaultPolicy_getsTheNameOfTheOneThatServes() {
    catalog.put(policy("first", CREATED, "default: true"));

    assertThat(
            validate("SchedulingPolicy", "", "{metadata: {name: second}, spec: {default: true}}")
                .warnings())
        .singleElement()
        .satisfies(warning -> assertThat(warning.message()).contains("of the two, first is used"));
    assertThat(
            validate("SchedulingPolicy", "", "{metadata: {name: first}, spec: {default: true}}")
                .warnings())
        .isEmpty();
  }

  private static String unquoted(String fields) {
    return fields.startsWith("'") ? fields.substring(1, fields.length() - 1) : fields;
  }

  private ValidationResult binding(String namespace, String spec) {
    return validate(
        "SchedulerConfigBinding", namespace, "{metadata: {name: b}, spec: {" + spec + "}}");
  }

  private ValidationResult validate(String kind, String namespace, String object) {
    var tree = yaml(object);
    return validator.validate(
        kind, namespace, tree.at("/metadata/name").asText(), tree, catalog.get());
  }

  @Test
  void aParameterThatNoTemplateUses_isWarnedAbout() {
    List<Problem> warnings =
        validator
            .validate(
                "NodeSchedulerConfig",
                "",
                "pool",
                yaml(
                    "spec: {parameters: [{name: Pool}, {name: Used, default: x}], tolerations:"
                        + " [{key: k, operator: Equal, value: '${Used}'}]}"),
                catalog.get())
            .warnings();

    assertThat(warnings)
        .singleElement()
        .satisfies(
            warning -> {
              assertThat(warning.code()).isEqualTo(ErrorCode.PARAMETER_UNUSED);
              assertThat(warning.path()).isEqualTo("spec.parameters[0]");
            });
  }

  @Test
  void aBinding_isWarnedThatItsNamespaceMayNotUseWhatItNames() {
    catalog.put(
        resource(
            "{kind: NodeSchedulerConfig, metadata: {name: private, generation: 1}, spec:"
                + " {allowedNamespaces: {names: [team-b]}, tolerations: [{key: k, operator:"
                + " Exists}]}}"));

    assertThat(binding("team-a", "nodeConfigs: [{name: private}]").warnings())
        .singleElement()
        .satisfies(
            warning -> {
              assertThat(warning.code()).isEqualTo(ErrorCode.BINDING_REFERENCE_UNKNOWN);
              assertThat(warning.path()).isEqualTo("spec.nodeConfigs[0].name");
            });
    assertThat(binding("team-b", "nodeConfigs: [{name: private}]").warnings()).isEmpty();
  }

  @Test
  void aBinding_getsTheSameMessageForWhatItsNamespaceMayNotUse_andForWhatDoesNotExist() {
    String spec = "nodeConfigs: [{name: private, args: {A: b}}], schedulingPolicy: private";
    List<Problem> unknown = binding("team-a", spec).warnings();
    catalog.put(
        resource(
            "{kind: NodeSchedulerConfig, metadata: {name: private, generation: 1}, spec:"
                + " {allowedNamespaces: {names: [team-b]}, tolerations: [{key: k, operator:"
                + " Exists}]}}"));
    catalog.put(
        resource(
            "{kind: SchedulingPolicy, metadata: {name: private, generation: 1}, spec:"
                + " {allowedNamespaces: {names: [team-b]}}}"));

    assertThat(unknown).hasSize(2);
    assertThat(binding("team-a", spec).warnings()).isEqualTo(unknown);
    assertThat(binding("team-b", spec).warnings()).isNotEqualTo(unknown);
  }
}
