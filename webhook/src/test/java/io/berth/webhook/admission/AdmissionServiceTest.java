package io.berth.webhook.admission;

import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.policy;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.webhook.admission.AdmissionObserver.Verdict;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.validation.ConfigValidator;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdmissionServiceTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String WRONG =
      "{metadata: {annotations: {scb.sched.cloud.ctrip.com/nsc: nowhere}}, spec: {}}";

  private final LiveCatalog catalog = new LiveCatalog("berth-system");
  private final Heard heard = new Heard();
  private final AdmissionService service =
      new AdmissionService(
          catalog,
          new PodMutator(ConfigLookup.nothing(), InstantSource.system()),
          new ConfigValidator(
              (name, spec) ->
                  spec.predicates().isEmpty()
                      ? List.of()
                      : List.of(
                          new Problem(
                              ErrorCode.POLICY_INVALID,
                              "spec.predicates[0].name",
                              "is not an algorithm"))),
          heard);

  @Test
  void aPatch_isAnsweredInBase64WithItsType() throws Exception {
    catalog.put(policy("batch", "2026-01-01T00:00:00Z", ""));

    JsonNode response =
        review(
            AdmissionPath.MUTATE_PODS,
            "Pod",
            "{metadata: {annotations: {sched.cloud.ctrip.com/policy: batch}}, spec: {}}");

    assertThat(response.path("uid").asText()).isEqualTo("uid-1");
    assertThat(response.path("allowed").asBoolean()).isTrue();
    assertThat(response.path("patchType").asText()).isEqualTo("JSONPatch");
    assertThat(JSON.readTree(Base64.getDecoder().decode(response.path("patch").asText())).at("/0"))
        .isEqualTo(yaml("{op: add, path: /spec/schedulerName, value: berth}"));
    assertThat(heard.verdicts).containsExactly("MUTATE_PODS CHANGED");
  }

  @Test
  void aDenial_saysWhyInItsMessageAndByField() throws Exception {
    JsonNode response = review(AdmissionPath.MUTATE_PODS, "Pod", WRONG);

    assertThat(response.path("allowed").asBoolean()).isFalse();
    assertThat(response.at("/status/code").asInt()).isEqualTo(403);
    assertThat(response.at("/status/message").asText()).startsWith("BERTH-1601 at ");
    assertThat(response.at("/status/details/causes/0/field").asText())
        .isEqualTo("metadata.annotations[scb.sched.cloud.ctrip.com/nsc]");
    assertThat(heard.verdicts).containsExactly("MUTATE_PODS DENIED");
    assertThat(heard.denied).containsExactly(ErrorCode.CONFIG_UNKNOWN);
  }

  @Test
  void podsThatComeBound_areLeftAlone_alsoMirrorPods_andNoOthersForTheirAnnotation()
      throws Exception {
    String mirror =
        WRONG.replace("annotations: {", "annotations: {kubernetes.io/config.mirror: x, ");
    for (String pod :
        List.of(
            WRONG.replace("spec: {}", "spec: {nodeName: n1}"),
            mirror.replace("spec: {}", "spec: {nodeName: n1}"))) {
      assertThat(review(AdmissionPath.MUTATE_PODS, "Pod", pod).path("allowed").asBoolean())
          .isTrue();
    }
    assertThat(review(AdmissionPath.MUTATE_PODS, "Pod", mirror).path("allowed").asBoolean())
        .as("the annotation alone does not keep a pod from its review")
        .isFalse();
  }

  @Test
  void thePodsRecordOfItsRendering_isProtectedAlsoWhenItHasANode() throws Exception {
    String written =
        "{metadata: {name: p, annotations: {sched.cloud.ctrip.com/applied: mine}}, spec: {nodeName:"
            + " n1}}";
    assertThat(review(AdmissionPath.MUTATE_PODS, "Pod", written).path("patch").asText())
        .as("a pod that is created with its node was not rendered")
        .isEqualTo(
            base64(
                "[{\"op\":\"remove\",\"path\":\"/metadata/annotations/sched.cloud.ctrip.com~1applied\"}]"));
    assertThat(
            review(
                    AdmissionPath.MUTATE_PODS,
                    "Pod",
                    WRONG.replace("spec: {}", "spec: {nodeName: n}"))
                .has("patch"))
        .isFalse();
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @CsvSource({"Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"})
  void aWorkloadWhosePodsWouldBeDeniedIsWarnedAboutAndAdmitted(String kind) throws Exception {
    String template = "spec: {template: " + WRONG + "}";
    String workload =
        "{metadata: {name: web}, "
            + (kind.equals("CronJob") ? "spec: {jobTemplate: {" + template + "}}" : template)
            + "}";

    JsonNode response = review(AdmissionPath.WARN_WORKLOADS, kind, workload);

    assertThat(response.path("allowed").asBoolean()).isTrue();
    assertThat(response.has("patch")).isFalse();
    assertThat(response.at("/warnings/0").asText())
        .startsWith("the pods of this " + kind + " would be denied: BERTH-1601");
  }

  @Test
  void aWorkload_isSeenAsItsPodsWillBe() throws Exception {
    catalog.put(binding("team-a", "gone", "2026-01-01T00:00:00Z", "nodeConfigs: [{name: gone}]"));

    assertThat(
            review(
                    AdmissionPath.WARN_WORKLOADS,
                    "DaemonSet",
                    "{metadata: {name: agent}, spec: {template: {metadata: {}, spec: {}}}}")
                .has("warnings"))
        .isFalse();
    assertThat(
            review(
                    AdmissionPath.WARN_WORKLOADS,
                    "Deployment",
                    "{metadata: {name: web}, spec: {template: {metadata: {}, spec: {}}}}")
                .at("/warnings/0")
                .asText())
        .contains("BERTH-1701");
  }

  @Test
  void ourOwnKinds_areRefusedWithTheFieldsPath() throws Exception {
    JsonNode response =
        review(
            AdmissionPath.VALIDATE_CONFIGS,
            "SchedulingPolicy",
            "{metadata: {name: p}, spec: {predicates: [{name: Nonsense}]}}");

    assertThat(response.path("allowed").asBoolean()).isFalse();
    assertThat(response.at("/status/message").asText())
        .isEqualTo("BERTH-1804 at spec.predicates[0].name: is not an algorithm");
    assertThat(response.at("/status/code").asInt()).isEqualTo(422);
    assertThat(response.at("/status/reason").asText()).isEqualTo("Invalid");
    assertThat(response.at("/status/details/kind").asText()).isEqualTo("SchedulingPolicy");
    assertThat(response.at("/status/details/causes/0/field").asText())
        .isEqualTo("spec.predicates[0].name");
    assertThat(response.at("/status/details/causes/0/message").asText())
        .isEqualTo("BERTH-1804: is not an algorithm");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "{metadata: {name: p, labels: {a: b}}, spec: {predicates: [{name: Nonsense}]}} ~ true",
        "{metadata: {name: p}, spec: {predicates: [{name: Other}]}} ~ false",
        "{metadata: {name: p, deletionTimestamp: 2026-01-01T00:00:00Z}, spec: {predicates: [{name:"
            + " Other}]}} ~ true"
      })
  void anInvalidSpecThatIsThere_isRefusedOnlyWhereItIsChanged(String object, boolean allowed)
      throws Exception {
    JsonNode response =
        answer(
            AdmissionPath.VALIDATE_CONFIGS,
            request("SchedulingPolicy", object)
                .put("operation", "UPDATE")
                .set(
                    "oldObject",
                    yaml(
                        "{metadata: {name: p, finalizers: [a/b]}, spec: {predicates: [{name:"
                            + " Nonsense}]}}")));

    assertThat(response.path("allowed").asBoolean()).isEqualTo(allowed);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "labels: {sched.cloud.ctrip.com/policy: 'true', a: b}} ~ true",
        "labels: {sched.cloud.ctrip.com/policy: 'true'}, annotations:"
            + " {sched.cloud.ctrip.com/allowed-namespaces: team}} ~ false",
        "labels: {a: b}} ~ true"
      })
  void anInvalidLegacyPolicyThatIsThere_isRefusedOnlyWhereItIsChanged(
      String metadata, boolean allowed) throws Exception {
    String data = ", data: {policy.cfg: 'no JSON'}}";
    String before = "{metadata: {name: p, labels: {sched.cloud.ctrip.com/policy: 'true'}}" + data;

    JsonNode response =
        answer(
            AdmissionPath.VALIDATE_CONFIGS,
            request("ConfigMap", "{metadata: {name: p, " + metadata + data)
                .put("operation", "UPDATE")
                .set("oldObject", yaml(before)));

    assertThat(response.path("allowed").asBoolean()).isEqualTo(allowed);
  }

  @Test
  void aConfigMapThatBecomesALegacyPolicy_isReviewed() throws Exception {
    String data = ", data: {policy.cfg: 'no JSON'}}";

    JsonNode response =
        answer(
            AdmissionPath.VALIDATE_CONFIGS,
            request(
                    "ConfigMap",
                    "{metadata: {name: p, labels: {sched.cloud.ctrip.com/policy: 'true'}}" + data)
                .put("operation", "UPDATE")
                .set("oldObject", yaml("{metadata: {name: p}" + data)));

    assertThat(response.at("/status/message").asText())
        .startsWith("BERTH-1901 at data[policy.cfg].policy: is not valid JSON");
  }

  @Test
  void anInvalidSpecThatStays_isWarnedAboutUntilTheObjectIsDeleted() throws Exception {
    String invalid = "{metadata: {name: p}, spec: {predicates: [{name: Nonsense}]}}";
    String deleted =
        "{metadata: {name: p, deletionTimestamp: 2026-01-01T00:00:00Z}, spec: {predicates: [{name:"
            + " Nonsense}]}}";

    assertThat(
            answer(
                    AdmissionPath.VALIDATE_CONFIGS,
                    request("SchedulingPolicy", invalid).set("oldObject", yaml(invalid)))
                .at("/warnings/0")
                .asText())
        .startsWith("BERTH-1804 at spec.predicates[0].name");
    assertThat(
            answer(
                    AdmissionPath.VALIDATE_CONFIGS,
                    request("SchedulingPolicy", deleted).set("oldObject", yaml(invalid)))
                .has("warnings"))
        .isFalse();
  }

  @Test
  void severalProblemsOfAPod_areOneLineSinceEventsShowIt() throws Exception {
    String message =
        review(
                AdmissionPath.MUTATE_PODS,
                "Pod",
                WRONG.replace(
                    "annotations: {", "annotations: {scb.sched.cloud.ctrip.com/psc: none, "))
            .at("/status/message")
            .asText();

    assertThat(message)
        .startsWith("2 problems: (1) BERTH-1601 at ")
        .contains(" (2) BERTH-1601 at ")
        .doesNotContain("\n");
  }

  @ParameterizedTest
  @CsvSource({
    "Deployment, spec.template.",
    "CronJob, spec.jobTemplate.spec.template.",
  })
  void aPlaceInThePods_isAPlaceInTheWorkloadsTemplate(String kind, String prefix) throws Exception {
    String template = "spec: {template: " + WRONG + "}";

    assertThat(
            review(
                    AdmissionPath.WARN_WORKLOADS,
                    kind,
                    "{metadata: {name: web}, "
                        + (kind.equals("CronJob")
                            ? "spec: {jobTemplate: {" + template + "}}"
                            : template)
                        + "}")
                .at("/warnings/0")
                .asText())
        .contains(" at " + prefix + "metadata.annotations[scb.sched.cloud.ctrip.com/nsc]: ");
  }

  @Test
  void annotationsOnTheWorkloadItself_areWarnedAbout() throws Exception {
    JsonNode warnings =
        review(
                AdmissionPath.WARN_WORKLOADS,
                "Deployment",
                "{metadata: {name: web, annotations: {sched.cloud.ctrip.com/policy: batch}}, spec:"
                    + " {template: {metadata: {}, spec: {}}}}")
            .path("warnings");

    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0).asText())
        .startsWith("BERTH-1609 at metadata.annotations[sched.cloud.ctrip.com/policy]: ")
        .endsWith("move it to spec.template.metadata.annotations");
  }

  @Test
  void annotationsOnACronJobsJobTemplate_areWarnedAbout() throws Exception {
    assertThat(
            review(
                    AdmissionPath.WARN_WORKLOADS,
                    "CronJob",
                    "{metadata: {name: web}, spec: {jobTemplate: {metadata: {annotations:"
                        + " {sched.cloud.ctrip.com/policy: batch}}, spec: {template: {metadata: {},"
                        + " spec: {}}}}}}")
                .at("/warnings/0")
                .asText())
        .startsWith("BERTH-1609 at spec.jobTemplate.metadata.annotations[");
  }

  @Test
  void deletions_areNeverAskedAbout() throws Exception {
    byte[] body =
        JSON.writeValueAsBytes(
            yaml(
                "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u,"
                    + " operation: DELETE, kind: {kind: SchedulingPolicy}, oldObject: {}}}"));

    assertThat(
            JSON.readTree(service.review(AdmissionPath.VALIDATE_CONFIGS, body))
                .at("/response/allowed")
                .asBoolean())
        .isTrue();
  }

  private JsonNode review(AdmissionPath path, String kind, String object) throws Exception {
    return answer(path, request(kind, object));
  }

  private static ObjectNode request(String kind, String object) {
    ObjectNode request = JSON.createObjectNode();
    request.put("uid", "uid-1").put("operation", "CREATE").put("namespace", "team-a");
    request.putObject("kind").put("kind", kind);
    request.put("name", kind.toLowerCase(Locale.ROOT)).set("object", yaml(object));
    return request;
  }

  private JsonNode answer(AdmissionPath path, JsonNode request) throws Exception {
    ObjectNode review = JSON.createObjectNode();
    review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
    review.set("request", request);
    byte[] answer =
        service.review(path, JSON.writeValueAsString(review).getBytes(StandardCharsets.UTF_8));
    JsonNode answered = JSON.readTree(answer);
    assertThat(answered.path("kind").asText()).isEqualTo("AdmissionReview");
    assertThat(answered.path("apiVersion").asText()).isEqualTo("admission.k8s.io/v1");
    return answered.path("response");
  }

  /** Records all calls. */
  private static final class Heard implements AdmissionObserver {
    private final List<String> verdicts = new ArrayList<>();
    private final List<ErrorCode> denied = new ArrayList<>();

    @Override
    public void reviewed(AdmissionPath path, Verdict verdict) {
      verdicts.add(path + " " + verdict);
    }

    @Override
    public void denied(AdmissionPath path, ErrorCode code) {
      denied.add(code);
    }

    @Override
    public void platformMistake(PlatformMistake mistake) {}

    @Override
    public void failed(AdmissionPath path, RuntimeException failure) {
      throw failure;
    }
  }
}
