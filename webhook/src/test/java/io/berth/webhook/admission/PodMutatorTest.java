package io.berth.webhook.admission;

import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.policy;
import static io.berth.webhook.Resources.resource;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulingPolicy;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import java.net.SocketTimeoutException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodMutatorTest {
  private static final String CREATED = "2026-01-01T00:00:00Z";
  private static final String TERMS =
      "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
  private static final String POOLS =
      """
      kind: NodeSchedulerConfig
      metadata: {name: resource-pool-example, generation: 2}
      spec:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
            - matchExpressions: [{key: cloud.ctrip.com/pool, operator: In, values: ["{{.PrefferredPool}}"]}]
            - matchExpressions: [{key: cloud.ctrip.com/pool, operator: In, values: ["{{.DefaultPool}}"]}]
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 3
            preference:
              matchExpressions: [{key: cloud.ctrip.com/pool, operator: In, values: ["{{.PrefferredPool}}"]}]
      """;
  private static final String SPREAD =
      """
      kind: PodSchedulerConfig
      metadata: {name: spread-by-zone, generation: 1}
      spec:
        topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: topology.kubernetes.io/zone
          whenUnsatisfiable: ScheduleAnyway
          labelSelector: {matchLabels: {app: "${App}"}}
      """;
  private static final String ANNOTATED =
      """
      metadata:
        name: web
        annotations:
          scb.sched.cloud.ctrip.com/nsc: resource-pool-example
          scb.sched.cloud.ctrip.com/nsc-args: '{"DefaultPool":"B","PrefferredPool":"A"}'
      spec: {containers: []}
      """;

  private final LiveCatalog catalog = new LiveCatalog("berth-system");
  private final Asked lookup = new Asked();
  private Instant now = Instant.EPOCH;
  private final PodMutator mutator = new PodMutator(lookup, (InstantSource) () -> now);

  @BeforeEach
  void configs() {
    catalog.put(resource(POOLS));
    catalog.put(resource(SPREAD));
    catalog.put(policy("batch", CREATED, ""));
  }

  @Test
  void annotationsRenderAConfigIntoThePodAndLeaveItsScheduler() {
    JsonNode pod = mutated(ANNOTATED);

    assertThat(pod.at(TERMS + "/0/matchExpressions/0/values/0").asText()).isEqualTo("A");
    assertThat(pod.at(TERMS + "/1/matchExpressions/0/values/0").asText()).isEqualTo("B");
    assertThat(pod.at("/spec").has("schedulerName")).isFalse();
    assertThat(applied(pod))
        .isEqualTo(yaml("nodeConfigs: {by: pod, configs: [resource-pool-example@2]}"));
  }

  @Test
  void severalConfigsTakeArgumentsKeyedByTheirNames() {
    JsonNode pod =
        mutated(
            """
            metadata:
              annotations:
                scb.sched.cloud.ctrip.com/nsc: resource-pool-example
                scb.sched.cloud.ctrip.com/nsc-args: '{"DefaultPool":"B","PrefferredPool":"A"}'
                scb.sched.cloud.ctrip.com/psc: spread-by-zone
                scb.sched.cloud.ctrip.com/psc-args: '{"App":"web"}'
            spec: {}
            """);

    assertThat(pod.at("/spec/topologySpreadConstraints/0/labelSelector/matchLabels/app").asText())
        .isEqualTo("web");
  }

  @Test
  void mutatingAgainChangesNothing() {
    catalog.put(
        binding(
            "team-a",
            "all",
            CREATED,
            "podConfigs: [{name: spread-by-zone, args: {App: web}}], schedulingPolicy: batch"));

    JsonNode once = mutated(ANNOTATED);

    assertThat(admitted(once).patch()).isEmpty();
    assertThat(applied(once))
        .isEqualTo(
            yaml(
                """
                nodeConfigs: {by: pod, configs: [resource-pool-example@2]}
                podConfigs: {by: binding team-a/all@1, configs: [spread-by-zone@1]}
                schedulingPolicy: {by: binding team-a/all@1, name: batch, schedulerName: berth}
                """));
  }

  @Test
  void aPodThatNothingIsSaidAbout_isLeftAsItIs() {
    assertThat(admitted(yaml("{metadata: {name: p}, spec: {}}")).patch()).isEmpty();
  }

  @Test
  void whatAPodClaimsToHaveBeenGivenIsNotBelieved() {
    JsonNode pod =
        mutated("{metadata: {annotations: {sched.cloud.ctrip.com/applied: made up}}, spec: {}}");

    assertThat(pod.at("/metadata/annotations")).isEmpty();
  }

  @Test
  void aNamedPolicy_givesTheSchedulerBerthToAPodWithoutOneOfItsOwn() {
    String pod = "{metadata: {annotations: {sched.cloud.ctrip.com/policy: batch}}, spec: {%s}}";

    assertThat(scheduler(mutated(pod.formatted("")))).isEqualTo("berth");
    assertThat(scheduler(mutated(pod.formatted("schedulerName: default-scheduler"))))
        .isEqualTo("berth");
    assertThat(scheduler(mutated(pod.formatted("schedulerName: volcano")))).isEqualTo("volcano");
  }

  @Test
  void aBindingNamesThePolicyInThePodsAnnotationAndMayNameAnotherScheduler() {
    catalog.put(
        binding("team-a", "all", CREATED, "schedulingPolicy: batch, schedulerName: berth-canary"));

    JsonNode pod = mutated("{metadata: {}, spec: {}}");

    assertThat(pod.at("/metadata/annotations/sched.cloud.ctrip.com~1policy").asText())
        .isEqualTo("batch");
    assertThat(scheduler(pod)).isEqualTo("berth-canary");
  }

  @Test
  void anUnknownConfig_deniesWithTheKnownOnesAndTheNearest() {
    Problem problem = denied(ANNOTATED.replace("resource-pool-example", "resource-pool-exampel"));

    assertThat(problem.text())
        .isEqualTo(
            "BERTH-1601 at metadata.annotations[scb.sched.cloud.ctrip.com/nsc]: there is no"
                + " NodeSchedulerConfig \"resource-pool-exampel\" that namespace team-a may use;"
                + " available: resource-pool-example; did you mean \"resource-pool-example\"?");
    assertThat(lookup.asked).containsExactly("resource-pool-exampel");
  }

  @Test
  void beforeAName_isCalledUnknownTheApiServerIsAskedOnce() {
    lookup.known = Optional.of((NodeSchedulerConfig) resource(POOLS.replace("-example", "-new")));

    JsonNode pod = mutated(ANNOTATED.replace("-example", "-new"));

    assertThat(pod.at(TERMS)).hasSize(2);
    assertThat(lookup.asked).containsExactly("resource-pool-new");
  }

  @Test
  void whenTheApiServerDoesNotAnswerThePod_isAdmittedWithAWarning() {
    lookup.failure =
        Optional.of(new LookupFailedException("no answer within 1s", new SocketTimeoutException()));

    PodVerdict.Admitted admitted = admitted(yaml(ANNOTATED.replace("-example", "-new")));

    assertThat(admitted.patch()).isEmpty();
    assertThat(admitted.warnings())
        .singleElement()
        .extracting(Problem::text)
        .asString()
        .contains("BERTH-1705");
  }

  @Test
  void argumentsThatAreNotJsonDenyNamingAnnotationAndPlace() {
    Problem problem = denied(ANNOTATED.replace("\"B\",", "\"B\""));

    assertThat(problem.code()).isEqualTo(ErrorCode.ARGUMENTS_NOT_JSON);
    assertThat(problem.text()).contains("nsc-args").contains("line 1, column ");
  }

  @Test
  void anUnknownArgumentAndAMissingOneDenyTogetherWithTheNearestMatch() {
    PodVerdict.Denied denied =
        denial(yaml(ANNOTATED.replace("\"PrefferredPool\"", "\"PreferredPool\"")));

    assertThat(denied.problems())
        .extracting(Problem::code)
        .containsExactly(ErrorCode.ARGUMENT_UNKNOWN, ErrorCode.ARGUMENT_MISSING);
    assertThat(denied.message()).contains("did you mean \"PrefferredPool\"?");
    assertThat(denied.code()).isEqualTo("BERTH-1103");
  }

  @Test
  void anArgumentThatMakesTheAffinityInvalid_denies() {
    Problem problem = denied(ANNOTATED.replace("\"A\"", "\"not a label\""));

    assertThat(problem.text())
        .contains("metadata.annotations[scb.sched.cloud.ctrip.com/nsc-args]")
        .contains("resource-pool-example");
  }

  @Test
  void argumentsWithoutAConfigDeny() {
    assertThat(
            denied(
                    "{metadata: {annotations: {scb.sched.cloud.ctrip.com/nsc-args: '{}'}}, spec:"
                        + " {}}")
                .code())
        .isEqualTo(ErrorCode.ARGUMENTS_FOR_UNNAMED_CONFIG);
  }

  @Test
  void aMisspeltAnnotationOfOurs_isWarnedAbout() {
    PodVerdict.Admitted admitted =
        admitted(yaml("{metadata: {annotations: {scb.sched.cloud.ctrip.com/ncs: x}}, spec: {}}"));

    assertThat(admitted.warnings())
        .singleElement()
        .extracting(Problem::text)
        .asString()
        .contains("BERTH-1606")
        .contains("did you mean \"scb.sched.cloud.ctrip.com/nsc\"?");
  }

  @ParameterizedTest
  @CsvSource({
    "sched.cloud.ctrip.com/polcy, sched.cloud.ctrip.com/policy",
    "sched.cloud.ctrip.com/nsc, scb.sched.cloud.ctrip.com/nsc",
    "scb.sched.cloud.ctrip.com/policy, sched.cloud.ctrip.com/policy",
    "sched.cloud.ctrip.com/group-mim, sched.cloud.ctrip.com/group-min"
  })
  void anAnnotationThatIsMisspelt_orUnderTheOtherPrefix_isWarnedAbout(String key, String meant) {
    PodVerdict.Admitted admitted =
        admitted(yaml("{metadata: {annotations: {" + key + ": x}}, spec: {}}"));

    assertThat(admitted.warnings())
        .singleElement()
        .extracting(Problem::text)
        .asString()
        .startsWith("BERTH-1606")
        .contains("did you mean \"" + meant + "\"?");
  }

  @Test
  void anUnknownConfig_whereThereIsNone_saysSo() {
    PodVerdict verdict =
        mutator.mutate("team-a", yaml(ANNOTATED), new LiveCatalog("berth-system").get());

    assertThat(((PodVerdict.Denied) verdict).message())
        .contains(
            "there is no NodeSchedulerConfig \"resource-pool-example\" that namespace team-a may"
                + " use; none is available in it yet");
  }

  @Test
  void anUnknownPolicyAdmitsWithAWarningAndThePod_waitsForIt() {
    JsonNode pod =
        yaml("{metadata: {annotations: {sched.cloud.ctrip.com/policy: bach}}, spec: {}}");

    assertThat(admitted(pod).warnings())
        .singleElement()
        .extracting(Problem::text)
        .asString()
        .contains("BERTH-1604")
        .contains("did you mean \"batch\"?");
    assertThat(scheduler(apply(pod))).isEqualTo("berth");
  }

  @Test
  void whatTheNamespaceMayNotUse_isAnsweredLikeWhatDoesNotExist() {
    catalog.put(policy("privileged", CREATED, "allowedNamespaces: {names: [infra]}"));
    catalog.put(
        resource(
            POOLS
                .replace("resource-pool-example", "reserved")
                .replace("spec:", "spec:\n  allowedNamespaces: {names: [infra]}")));

    String policy =
        "{metadata: {annotations: {sched.cloud.ctrip.com/policy: privileged}}, spec: {}}";
    String binding = "nodeConfigs: [{name: reserved}], schedulingPolicy: privileged";
    String bound = "{metadata: {}, spec: {}}";
    String config = ANNOTATED.replace("resource-pool-example", "reserved");
    catalog.put(binding("team-a", "b", CREATED, binding));

    List<PodVerdict> forbidden = verdicts(policy, config, bound);
    catalog.remove(policy("privileged", CREATED, ""));
    catalog.remove(resource(POOLS.replace("resource-pool-example", "reserved")));
    List<PodVerdict> unknown = verdicts(policy, config, bound);

    assertThat(forbidden).isEqualTo(unknown);
    assertThat(forbidden.toString())
        .contains("POLICY_UNKNOWN")
        .contains("CONFIG_UNKNOWN")
        .contains("BINDING_REFERENCE_UNKNOWN");
  }

  @Test
  void aBindingWhoseConfigIsGoneChangesNothingAndThePodsOwnAnnotationsStillCount() {
    catalog.put(
        binding(
            "team-a", "broken", CREATED, "podConfigs: [{name: gone}], schedulingPolicy: batch"));

    PodVerdict.Admitted admitted = admitted(yaml(ANNOTATED));
    JsonNode pod = apply(yaml(ANNOTATED));

    assertThat(admitted.mistakes())
        .singleElement()
        .satisfies(
            mistake -> {
              assertThat(mistake.code()).isEqualTo(ErrorCode.BINDING_REFERENCE_UNKNOWN);
              assertThat(mistake.culprit()).isEqualTo("SchedulerConfigBinding team-a/broken");
            });
    assertThat(admitted.warnings())
        .singleElement()
        .extracting(Problem::text)
        .asString()
        .contains("BERTH-1701");
    assertThat(pod.at(TERMS)).hasSize(2);
    assertThat(scheduler(pod)).isEmpty();
    assertThat(applied(pod).has("schedulingPolicy")).isFalse();
  }

  @Test
  void whatABindingNamesAndDoesNotExist_isAskedForOnceASecond() {
    catalog.put(binding("team-a", "broken", CREATED, "nodeConfigs: [{name: gone}]"));
    JsonNode pod = yaml("{metadata: {}, spec: {}}");

    admitted(pod);
    admitted(pod);
    assertThat(lookup.asked).hasSize(1);
    now = now.plusSeconds(1);
    admitted(pod);
    assertThat(lookup.asked).hasSize(2);
  }

  @Test
  void aBindingThatGivesWrongArgumentsOrNamesAnUnknownPolicy_isAPlatformMistake() {
    catalog.put(
        binding("team-a", "broken", CREATED, "nodeConfigs: [{name: resource-pool-example}]"));
    assertThat(admitted(yaml("{metadata: {}, spec: {}}")).mistakes())
        .extracting(PlatformMistake::code)
        .containsExactly(ErrorCode.BINDING_REFUSED);

    catalog.put(binding("team-b", "unknown", CREATED, "schedulingPolicy: unknown"));
    assertThat(
            ((PodVerdict.Admitted)
                    mutator.mutate("team-b", yaml("{metadata: {}, spec: {}}"), catalog.get()))
                .mistakes())
        .extracting(PlatformMistake::code)
        .containsExactly(ErrorCode.BINDING_REFERENCE_UNKNOWN);
  }

  @Test
  void anAnnotationThatADenyBindingOverridesIsWarnedAboutAndNotJudged() {
    catalog.put(
        binding(
            "team-a",
            "firm",
            CREATED,
            "podOverrides: Deny, nodeConfigs: [{name: resource-pool-example, args: {DefaultPool: X,"
                + " PrefferredPool: Y}}]"));

    JsonNode annotated = yaml(ANNOTATED.replace("resource-pool-example", "unknown"));

    assertThat(admitted(annotated).warnings())
        .singleElement()
        .extracting(Problem::text)
        .asString()
        .contains("BERTH-1607");
    assertThat(apply(annotated).at(TERMS + "/0/matchExpressions/0/values/0").asText())
        .isEqualTo("Y");
  }

  @Test
  void aDryRunChangesNothingAndTellsTheAuditLogWhatItWouldChange() {
    catalog.put(
        binding("team-a", "trial", CREATED, "enforcement: DryRun, schedulingPolicy: batch"));

    PodVerdict.Admitted admitted = admitted(yaml("{metadata: {}, spec: {}}"));

    assertThat(admitted.patch()).isEmpty();
    assertThat(admitted.auditAnnotations().get("dry-run"))
        .contains("/spec/schedulerName")
        .contains("berth");
    assertThat(admitted.warnings())
        .singleElement()
        .extracting(Problem::text)
        .asString()
        .contains("team-a/trial");
  }

  @Test
  void aTemplate_mayReadThePodsController() {
    catalog.put(
        resource(
            SPREAD
                .replace("${App}", "${pod.owner.name}")
                .replace("generation: 1", "generation: 2")));

    JsonNode pod =
        mutated(
            """
            metadata:
              annotations: {scb.sched.cloud.ctrip.com/psc: spread-by-zone}
              labels: {pod-template-hash: 5d4f8c7b9}
              ownerReferences: [{kind: ReplicaSet, name: web-5d4f8c7b9, controller: true}]
            spec: {}
            """);

    assertThat(pod.at("/spec/topologySpreadConstraints/0/labelSelector/matchLabels/app").asText())
        .isEqualTo("web-5d4f8c7b9");
  }

  private JsonNode mutated(String pod) {
    return apply(yaml(pod));
  }

  private JsonNode apply(JsonNode pod) {
    return JsonPatch.apply(pod, admitted(pod).patch());
  }

  private PodVerdict.Admitted admitted(JsonNode pod) {
    return switch (mutator.mutate("team-a", pod, catalog.get())) {
      case PodVerdict.Admitted admitted -> admitted;
      case PodVerdict.Denied denied -> throw new AssertionError(denied.message());
    };
  }

  private List<PodVerdict> verdicts(String... pods) {
    return Stream.of(pods).map(pod -> mutator.mutate("team-a", yaml(pod), catalog.get())).toList();
  }

  private Problem denied(String pod) {
    return denial(yaml(pod)).problems().getFirst();
  }

  private PodVerdict.Denied denial(JsonNode pod) {
    return (PodVerdict.Denied) mutator.mutate("team-a", pod, catalog.get());
  }

  private static JsonNode applied(JsonNode pod) {
    return yaml(pod.at("/metadata/annotations/sched.cloud.ctrip.com~1applied").asText());
  }

  private static String scheduler(JsonNode pod) {
    return pod.at("/spec/schedulerName").asText();
  }

  /** An API server with at most one config, which records the requests. */
  private static final class Asked implements ConfigLookup {
    private final List<String> asked = new ArrayList<>();
    private Optional<NodeSchedulerConfig> known = Optional.empty();
    private Optional<LookupFailedException> failure = Optional.empty();

    @Override
    public Optional<NodeSchedulerConfig> nodeConfig(String name) {
      asked.add(name);
      failure.ifPresent(
          each -> {
            throw each;
          });
      return known;
    }

    @Override
    public Optional<PodSchedulerConfig> podConfig(String name) {
      asked.add(name);
      return Optional.empty();
    }

    @Override
    public Optional<SchedulingPolicy> policy(String name) {
      asked.add(name);
      return Optional.empty();
    }

    @Override
    public boolean hasQuotaFor(String namespace, String priorityClass) {
      asked.add("quotas of " + namespace);
      return false;
    }
  }
}
