package io.berth.webhook.legacy;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.PredicatePolicy;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LegacyPoliciesTest {

  @Test
  void theClassicExample_keepsItsPredicatesAndWeights() {
    SchedulingPolicySpec spec =
        translated(
            """
            {"kind": "Policy", "apiVersion": "v1",
             "predicates": [
               {"name": "PodFitsHostPorts"}, {"name": "PodFitsResources"}, {"name": "NoDiskConflict"},
               {"name": "NoVolumeZoneConflict"}, {"name": "MatchNodeSelector"}, {"name": "HostName"}],
             "priorities": [
               {"name": "LeastRequestedPriority", "weight": 1},
               {"name": "BalancedResourceAllocation", "weight": 2},
               {"name": "SelectorSpreadPriority", "weight": 3}],
             "hardPodAffinitySymmetricWeight": 10,
             "alwaysCheckAllPredicates": true}
            """);

    assertThat(on(spec))
        .containsExactlyInAnyOrder(
            "NodePorts",
            "NodeResourcesFit",
            "GpuCards",
            "DynamicResources",
            "VolumeRestrictions",
            "VolumeZone",
            "NodeAffinity",
            "NodeName",
            "NodeUnschedulable",
            "TaintToleration",
            "SingleDeviceSource",
            "NodeDeclaredFeatures");
    assertThat(weights(spec))
        .containsEntry("NodeResourcesFit", 1)
        .containsEntry("NodeResourcesBalancedAllocation", 2)
        .containsEntry("PodTopologySpread", 3)
        .containsEntry("ImageLocality", 0)
        .containsEntry("InterPodAffinity", 0);
    assertThat(spec.hardPodAffinitySymmetricWeight()).isEqualTo(10);
    assertThat(spec.alwaysCheckAllPredicates()).isTrue();
  }

  @Test
  void anAbsentList_meansTheDefaultSetAndAnEmptyOneNothingButWhatIsAlwaysOn() {
    assertThat(translated("{\"kind\": \"Policy\"}").predicates()).isEmpty();
    assertThat(weights(translated("{\"kind\": \"Policy\"}")))
        .as("the weights before 1.23")
        .containsEntry("TaintToleration", 1)
        .containsEntry("NodeAffinity", 1)
        .containsEntry("InterPodAffinity", 1)
        .containsEntry("PodTopologySpread", 2);

    SchedulingPolicySpec empty = translated("{\"predicates\": [], \"priorities\": []}");
    assertThat(on(empty))
        .containsExactlyInAnyOrder(
            "NodeUnschedulable",
            "TaintToleration",
            "SingleDeviceSource",
            "NodeDeclaredFeatures",
            "NodeName",
            "NodeAffinity",
            "NodePorts",
            "NodeResourcesFit",
            "GpuCards",
            "DynamicResources");
    assertThat(weights(empty).values()).containsOnly(0);
  }

  @Test
  void strategiesBecomeArgumentsOfNodeResourcesFit() {
    assertThat(strategy("{\"name\": \"MostRequestedPriority\", \"weight\": 1}"))
        .isEqualTo("{\"type\":\"MostAllocated\"}");
    assertThat(
            strategy(
                "{\"name\": \"Packed\", \"weight\": 2, \"argument\":"
                    + " {\"requestedToCapacityRatioArguments\": {\"shape\": [{\"utilization\": 0,"
                    + " \"score\": 0}], \"resources\": [{\"name\": \"gpu\", \"weight\": 3}]}}}"))
        .isEqualTo(
            "{\"type\":\"RequestedToCapacityRatio\",\"resources\":[{\"name\":\"gpu\",\"weight\":3}],"
                + "\"requestedToCapacityRatio\":{\"shape\":[{\"utilization\":0,\"score\":0}]}}");
  }

  @Test
  void extenders_areTakenOver() {
    SchedulingPolicySpec spec =
        translated(
            """
            {"extenders": [{"urlPrefix": "http://127.0.0.1:12346/scheduler", "filterVerb": "filter",
              "bindVerb": "bind", "prioritizeVerb": "prioritize", "weight": 5, "enableHttps": false,
              "nodeCacheCapable": true, "httpTimeout": 5000000000, "ignorable": true,
              "managedResources": [{"name": "example.com/gpu", "ignoredByScheduler": true}]}]}
            """);

    assertThat(spec.extenders())
        .singleElement()
        .satisfies(
            extender -> {
              assertThat(extender.urlPrefix()).isEqualTo("http://127.0.0.1:12346/scheduler");
              assertThat(extender.weight()).isEqualTo(5);
              assertThat(extender.httpTimeout()).isEqualTo("5000000000");
              assertThat(extender.managedResources().getFirst().ignoredByScheduler()).isTrue();
            });
  }

  @Test
  void whatHasNoEqual_isNeverIgnored() {
    List<Problem> problems =
        problems(
            """
            {"predicates": [{"name": "Zone", "argument": {"serviceAffinity": {"labels": ["zone"]}}}],
             "priorities": [{"name": "ResourceLimitsPriority", "weight": 1},
                            {"name": "Rack", "weight": 1, "argument": {"serviceAntiAffinity": {"label": "rack"}}}]}
            """);

    assertThat(problems)
        .extracting(Problem::code)
        .containsOnly(ErrorCode.LEGACY_POLICY_UNSUPPORTED);
    assertThat(problems)
        .extracting(Problem::path)
        .containsExactly(
            "predicates[0].argument.serviceAffinity",
            "priorities[0].name",
            "priorities[1].argument.serviceAntiAffinity");
    assertThat(problems.get(1).message()).contains("remove it");
  }

  @Test
  void defaultListOf122_isTaken_withRemarks() {
    LegacyTranslation.Translated translated =
        (LegacyTranslation.Translated)
            LegacyPolicies.translate(
                """
                {"priorities": [{"name": "SelectorSpreadPriority", "weight": 1},
                                {"name": "NodePreferAvoidPodsPriority", "weight": 10000},
                                {"name": "EvenPodsSpreadPriority", "weight": 2}]}
                """);

    assertThat(weights(translated.spec())).containsEntry("PodTopologySpread", 2);
    assertThat(translated.remarks())
        .extracting(LegacyTranslation.Remark::path)
        .containsExactly("priorities[1]", "priorities[2]");
    assertThat(translated.remarks().getFirst().message()).contains("PreferNoSchedule");
    assertThat(
            problems(
                "{\"priorities\": [{\"name\": \"EvenPodsSpreadPriority\", \"weight\": 1},"
                    + " {\"name\": \"EvenPodsSpreadPriority\", \"weight\": 2}]}"))
        .as("one name twice")
        .hasSize(1);
  }

  @Test
  void twoStrategiesOfTheSameScore_areAmbiguous() {
    assertThat(
            problems(
                "{\"priorities\": [{\"name\": \"LeastRequestedPriority\", \"weight\": 1},"
                    + " {\"name\": \"MostRequestedPriority\", \"weight\": 1}]}"))
        .singleElement()
        .satisfies(problem -> assertThat(problem.path()).isEqualTo("priorities[1]"));
  }

  @Test
  void mistakes_areReportedWithTheirPlaceAndTheNearestMatch() {
    assertThat(problems("{\"kind\": ").getFirst().message())
        .startsWith("is not valid JSON: line 1");
    assertThat(problems("{\"kind\": \"Pod\"}").getFirst().message()).contains("kind Policy");
    assertThat(problems("{\"priority\": []}").getFirst().message())
        .contains("did you mean \"priorities\"?");
    assertThat(problems("{\"predicates\": [{\"name\": \"PodFitsResource\"}]}").getFirst().message())
        .contains("did you mean \"PodFitsResources\"?");
    assertThat(
            problems("{\"priorities\": [{\"name\": \"ImageLocalityPriority\"}]}").getFirst().path())
        .isEqualTo("priorities[0].weight");
    assertThat(problems("{\"hardPodAffinitySymmetricWeight\": 101}").getFirst().path())
        .isEqualTo("hardPodAffinitySymmetricWeight");
    assertThat(problems("{\"extenders\": [{\"filterVerb\": \"filter\"}]}").getFirst().path())
        .isEqualTo("extenders[0].urlPrefix");
  }

  /** The example policy of the Kubernetes 1.22 source tree. */
  private static final String EXAMPLE =
      """
      {
      "kind" : "Policy",
      "apiVersion" : "v1",
      "predicates" : [
        {"name" : "PodFitsHostPorts"},
        {"name" : "PodFitsResources"},
        {"name" : "NoDiskConflict"},
        {"name" : "NoVolumeZoneConflict"},
        {"name" : "MatchNodeSelector"},
        {"name" : "HostName"}
        ],
      "priorities" : [
        {"name" : "LeastRequestedPriority", "weight" : 1},
        {"name" : "BalancedResourceAllocation", "weight" : 1},
        {"name" : "ServiceSpreadingPriority", "weight" : 1},
        {"name" : "EqualPriority", "weight" : 1}
        ]%s
      }
      """;

  @Test
  void theExampleOfTheKubernetesTree_isTaken() {
    SchedulingPolicySpec spec = translated(EXAMPLE.formatted(""));

    assertThat(weights(spec))
        .containsEntry("NodeResourcesFit", 1)
        .containsEntry("NodeResourcesBalancedAllocation", 1)
        .containsEntry("PodTopologySpread", 1)
        .containsEntry("TaintToleration", 0);
  }

  @Test
  void theExampleWithAnExtender_isTaken() {
    SchedulingPolicySpec spec =
        translated(
            EXAMPLE.formatted(
                """
                ,
                "extenders" : [
                  {
                  "urlPrefix": "http://127.0.0.1:12346/scheduler",
                  "apiVersion": "v1beta1",
                  "filterVerb": "filter",
                  "prioritizeVerb": "prioritize",
                  "weight": 5,
                  "enableHttps": false,
                  "nodeCacheCapable": false
                  }
                ]
                """));

    assertThat(spec.extenders())
        .singleElement()
        .satisfies(
            extender -> {
              assertThat(extender.filterVerb()).isEqualTo("filter");
              assertThat(extender.enableHTTPS()).isFalse();
            });
  }

  @Test
  void anExtenderWhoseCertificateKubeSchedulerDidNotCheckKeepsWorking() {
    SchedulingPolicySpec spec =
        translated(
            """
            {"kind": "Policy", "extenders": [
              {"urlPrefix": "https://gpu:8888/scheduler", "filterVerb": "filter", "enableHttps": true},
              {"urlPrefix": "https://other:8888", "filterVerb": "filter", "enableHttps": true,
               "tlsConfig": {"caFile": "/etc/berth/extenders/other/ca.crt"}}]}
            """);

    assertThat(spec.extenders().getFirst().tlsConfig().insecure()).isTrue();
    assertThat(spec.extenders().getLast().tlsConfig().insecure()).isFalse();
  }

  @Test
  void allProblems_areReportedAtOnceInWordsOfThePolicy() {
    List<Problem> problems =
        problems(
            """
            {"kind": "Policy", "predicats": [], "alwaysCheckAllPredicates": "yes",
             "hardPodAffinitySymmetricWeight": 1e400,
             "predicates": [{"name": "PodFitsResorces"}, {"nam": "HostName"}, "HostName"],
             "priorities": [{"name": "LeastRequestedPriorty", "weight": "1"}, {"name": "", "weight": 1e1}],
             "extenders": [{"filterVerb": 1, "tlsConfig": {"insecur": true}, "managedResources": [7]}]}
            """);

    assertThat(problems)
        .extracting(Problem::path)
        .containsExactlyInAnyOrder(
            "predicats",
            "alwaysCheckAllPredicates",
            "hardPodAffinitySymmetricWeight",
            "predicates[0].name",
            "predicates[1].nam",
            "predicates[1].name",
            "predicates[2]",
            "priorities[0].weight",
            "priorities[0].name",
            "priorities[1].weight",
            "priorities[1].name",
            "extenders[0].filterVerb",
            "extenders[0].urlPrefix",
            "extenders[0].tlsConfig.insecur",
            "extenders[0].managedResources[0]");
    assertThat(problems)
        .extracting(Problem::message)
        .allSatisfy(
            message ->
                assertThat(message)
                    .doesNotContain("jackson", "deserialize", "java.", "Unrecognized"));
  }

  @Test
  void whatIsWrongWithTheTranslation_isSaidOfThePolicyItself() {
    LegacyTranslation.Translated translated =
        (LegacyTranslation.Translated)
            LegacyPolicies.translate(
                "{\"priorities\": [{\"name\": \"EqualPriority\", \"weight\": 1}, {\"name\":"
                    + " \"Packed\", \"weight\": 2, \"argument\":"
                    + " {\"requestedToCapacityRatioArguments\": {\"shape\": [{\"utilization\": 0,"
                    + " \"score\": 11}]}}}]}");

    assertThat(
            translated
                .places()
                .of(
                    "spec.priorities[0].args.scoringStrategy.requestedToCapacityRatio.shape[0].score"))
        .isEqualTo("priorities[1].argument.requestedToCapacityRatioArguments.shape[0].score");
    assertThat(translated.places().of("spec.extenders")).isEqualTo("extenders");
  }

  private static String strategy(String priority) {
    return translated("{\"priorities\": [" + priority + "]}").priorities().stream()
        .filter(each -> each.name().equals("NodeResourcesFit"))
        .findFirst()
        .orElseThrow()
        .args()
        .get("scoringStrategy")
        .toString();
  }

  private static List<String> on(SchedulingPolicySpec spec) {
    return spec.predicates().stream()
        .filter(PredicatePolicy::enabled)
        .map(PredicatePolicy::name)
        .toList();
  }

  private static Map<String, Integer> weights(SchedulingPolicySpec spec) {
    return spec.priorities().stream()
        .collect(Collectors.toMap(PriorityPolicy::name, PriorityPolicy::weight));
  }

  private static SchedulingPolicySpec translated(String json) {
    return switch (LegacyPolicies.translate(json)) {
      case LegacyTranslation.Translated translated -> translated.spec();
      case LegacyTranslation.Untranslatable refused ->
          throw new AssertionError(refused.problems().toString());
    };
  }

  private static List<Problem> problems(String json) {
    return ((LegacyTranslation.Untranslatable) LegacyPolicies.translate(json)).problems();
  }
}
