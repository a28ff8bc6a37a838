package io.berth.demo.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.demo.cluster.Checkout;
import io.berth.operator.Feature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The chart as rendered by Helm. */
class ChartTest {

  private static final Path ROOT = Checkout.find().root();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final YAMLMapper YAML = new YAMLMapper();

  private final Chart chart = new Chart(ROOT);

  @Test
  void lint_findsNothing() {
    assertThat(chart.lint().isFailed()).as(String.join("\n", chart.lint().getMessages())).isFalse();
  }

  @Test
  void manifests_areWhatTheChartRenders() throws IOException {
    Path folder = ROOT.resolve("deploy").resolve("manifests");
    Map<String, String> rendered = chart.manifests();

    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .as("files without a template are left over, or written by hand")
          .containsExactlyInAnyOrderElementsOf(
              Stream.concat(Stream.of("00-crds.yaml"), rendered.keySet().stream()).toList());
    }
    for (Map.Entry<String, String> manifest : rendered.entrySet()) {
      assertThat(Files.readString(folder.resolve(manifest.getKey())))
          .as("%s: change deploy/chart, then run `make manifests`", manifest.getKey())
          .isEqualTo(manifest.getValue());
    }
  }

  @Test
  void features_areWhatTheChartRenders_eachWithItsRightsAndItsOption() throws IOException {
    Map<String, String> rendered = chart.features();

    assertThat(rendered).hasSize(Feature.values().length);
    for (Map.Entry<String, String> file : rendered.entrySet()) {
      assertThat(
              Files.readString(ROOT.resolve("deploy").resolve("features").resolve(file.getKey())))
          .as("%s: change deploy/chart, then run `make manifests`", file.getKey())
          .isEqualTo(file.getValue());
    }
    assertThat(chart.render("{}")).doesNotContain("--enable", "35-features.yaml");
    Chart.FEATURES.forEach(
        (feature, value) ->
            assertThat(chart.render(value))
                .contains("--enable=" + feature.label() + "\n", "name: berth-" + feature.label()));
    assertThat(chart.render("{hami: {enabled: true}, webhook: {restore: true}}"))
        .contains("--enable=hami,webhook-restore\n");
  }

  @Test
  void definitions_areThoseOfTheManifests_andStayWhenTheReleaseGoes() throws IOException {
    List<JsonNode> installed = ofKind("{}", "CustomResourceDefinition");

    assertThat(installed).hasSize(5);
    for (JsonNode definition : installed) {
      assertThat(definition.path("metadata").path("annotations").path("helm.sh/resource-policy"))
          .hasToString("\"keep\"");
    }
    try (var documents =
        YAML.readerFor(JsonNode.class)
            .<JsonNode>readValues(
                ROOT.resolve("deploy").resolve("manifests").resolve("00-crds.yaml").toFile())) {
      assertThat(installed.stream().map(each -> each.path("spec")))
          .containsExactlyInAnyOrderElementsOf(
              documents.readAll().stream().map(each -> each.path("spec")).toList());
    }
    assertThat(ofKind("crds: {install: false}", "CustomResourceDefinition")).isEmpty();
  }

  @Test
  void chart_isForTheVersionsOfKubernetes_thatBerthSupports() throws IOException {
    JsonNode about = YAML.readTree(chart.folder().resolve("Chart.yaml").toFile());

    assertThat(about.path("kubeVersion").asText()).isEqualTo(">=1.30.0-0");
  }

  @ParameterizedTest
  @CsvSource({"small, 250m, 1Gi", "medium, 500m, 2Gi", "large, 2, 6Gi"})
  void clusterSize_choosesRequestsAndLimits(String size, String cpu, String memory) {
    JsonNode container = container("clusterSize: " + size);

    assertThat(container.at("/resources/requests/cpu").asText()).isEqualTo(cpu);
    assertThat(container.at("/resources/limits/memory").asText()).isEqualTo(memory);
  }

  @Test
  void resourcesOfOnesOwn_comeBeforeTheSize() {
    JsonNode container = container("{clusterSize: large, resources: {requests: {cpu: 3}}}");

    assertThat(container.path("resources")).hasToString("{\"requests\":{\"cpu\":3}}");
  }

  @Test
  void imageDigest_takesThePlaceOfTheTag() {
    String digest = "sha256:" + "a".repeat(64);

    assertThat(container("image: {repository: r/berth, tag: v9}").path("image").asText())
        .isEqualTo("r/berth:v9");
    assertThat(container("image: {tag: v9, digest: '" + digest + "'}").path("image").asText())
        .isEqualTo("berth@" + digest);
  }

  @Test
  void annotationsOfGpuCards_areProtectedOnDemand() {
    assertThat(ofKind("{}", "ValidatingAdmissionPolicy")).isEmpty();
    String protecting = "gpuAnnotations: {protect: true, writers: {users: [agent]}}";
    assertThat(ofKind(protecting, "ValidatingAdmissionPolicyBinding")).hasSize(1);
    assertThat(ofKind(protecting, "ValidatingAdmissionPolicy"))
        .singleElement()
        .satisfies(
            policy -> {
              assertThat(policy.at("/spec/matchConditions/1/expression").asText())
                  .contains(":berth\",\"agent\"])")
                  .contains("system:nodes");
              assertThat(policy.at("/spec/matchConstraints/resourceRules/0/resources"))
                  .hasToString("[\"pods\",\"pods/status\"]");
            });
  }

  @Test
  void oneReplica_hasNoDisruptionBudget() {
    assertThat(ofKind("replicas: 1", "PodDisruptionBudget")).isEmpty();
    assertThat(ofKind("replicas: 3", "PodDisruptionBudget")).hasSize(1);
  }

  @Test
  void notes_warnOfQueriesThatOneReplicaServes() throws IOException {
    String warning = "WARNING: queryApi.enabled is true with one replica";

    assertThat(chart.notes("{queryApi: {enabled: true}, replicas: 1}"))
        .contains(warning)
        .startsWith("Berth ");
    assertThat(chart.notes("{queryApi: {enabled: true}}")).doesNotContain("WARNING");
    assertThat(chart.notes("replicas: 1")).doesNotContain("WARNING").contains("rollout status");
  }

  @Test
  void replicas_areSpreadOverNodesAndZones() {
    assertThat(deployment("{}").at("/spec/template/spec/topologySpreadConstraints"))
        .extracting(constraint -> constraint.path("topologyKey").asText())
        .containsExactly("kubernetes.io/hostname", "topology.kubernetes.io/zone");
  }

  @Test
  void networkPolicy_takesFurtherPeers() {
    JsonNode policy =
        ofKind(
                """
                networkPolicy:
                  webhookFrom: [{ipBlock: {cidr: 10.0.0.0/28}}]
                  metricsFrom: [{podSelector: {}}]
                """,
                "NetworkPolicy")
            .getFirst();

    assertThat(policy.at("/spec/ingress/0/from/0/ipBlock/cidr").asText()).isEqualTo("10.0.0.0/28");
    assertThat(policy.at("/spec/ingress/2/from")).hasSize(3);
    assertThat(ofKind("networkPolicy: {enabled: false}", "NetworkPolicy")).isEmpty();
  }

  @Test
  void tracing_isOff_untilThereIsACollector() {
    assertThat(arguments("{}")).noneMatch(argument -> argument.startsWith("--tracing"));
    assertThat(arguments("tracing: {endpoint: 'http://collector:4318', sampleRatio: 0.25}"))
        .contains("--tracing-endpoint=http://collector:4318", "--tracing-sample-ratio=0.25");
  }

  @Test
  void recordings_areWrittenToAVolume_ifTheyAreOn() {
    assertThat(arguments("{}")).noneMatch(argument -> argument.startsWith("--record"));
    String on = "recording: {enabled: true, sizeMiB: 256}";
    assertThat(arguments(on)).contains("--record=/recordings", "--record-size=256");
    JsonNode pod = ofKind(on, "Deployment").getFirst().at("/spec/template/spec");
    assertThat(pod.at("/containers/0/volumeMounts").findValuesAsText("mountPath"))
        .contains("/recordings");
    assertThat(pod.path("volumes").findValuesAsText("sizeLimit")).containsExactly("320Mi");

    String kept = "recording: {enabled: true, sizeMiB: 256, claimName: berth-recordings}";
    JsonNode other = ofKind(kept, "Deployment").getFirst().at("/spec/template/spec");
    assertThat(other.path("volumes").findValuesAsText("claimName"))
        .containsExactly("berth-recordings");
    assertThat(other.at("/containers/0/volumeMounts").findValuesAsText("subPathExpr"))
        .containsExactly("$(POD_NAME)");
  }

  private List<String> arguments(String values) {
    List<String> arguments = new ArrayList<>();
    ofKind(values, "Deployment")
        .getFirst()
        .at("/spec/template/spec/containers/0/args")
        .forEach(argument -> arguments.add(argument.asText()));
    return arguments;
  }

  @Test
  void flowControl_canBeLeftToTheCluster() {
    assertThat(ofKind("{}", "FlowSchema")).hasSize(2);
    assertThat(ofKind("flowControl: {enabled: false}", "FlowSchema")).isEmpty();
    assertThat(ofKind("flowControl: {enabled: false}", "PriorityLevelConfiguration")).isEmpty();
  }

  @Test
  void serviceMonitor_scrapesOverTls_asAnAccountThatMayRead() {
    String values =
        "serviceMonitor: {enabled: true, labels: {release: prometheus},"
            + " prometheusServiceAccount: {name: prometheus, namespace: monitoring}}";
    JsonNode monitor = ofKind(values, "ServiceMonitor").getFirst();
    JsonNode endpoint = monitor.at("/spec/endpoints/0");

    assertThat(monitor.at("/metadata/labels/release").asText()).isEqualTo("prometheus");
    assertThat(endpoint.path("scheme").asText()).isEqualTo("https");
    assertThat(endpoint.at("/tlsConfig/serverName").asText()).isEqualTo("berth.berth-system.svc");
    assertThat(endpoint.at("/tlsConfig").has("insecureSkipVerify")).isFalse();
    assertThat(ofKind(values, "ClusterRoleBinding"))
        .anySatisfy(
            binding -> {
              assertThat(binding.at("/roleRef/name").asText()).isEqualTo("berth-reader");
              assertThat(binding.at("/subjects/0/name").asText()).isEqualTo("prometheus");
            });
    assertThat(ofKind("{}", "ServiceMonitor")).isEmpty();
  }

  @Test
  void rightsForVolcanosPodGroups_comeWithItsSchedulerName() {
    String values = "schedulerNames: [berth, volcano]";

    assertThat(container(values).path("args").toString())
        .contains("--scheduler-name=berth,volcano");
    assertThat(rules(values)).contains("[\"podgroups\",\"podgroups/status\"]");
    assertThat(rules("{}")).doesNotContain("[\"podgroups\",\"podgroups/status\"]");
  }

  @Test
  void webhookVerifiesClients_ifASecretWithTheirAuthorityIsNamed() {
    String values = "webhookClients: {caSecret: webhook-clients, names: [one, other]}";

    assertThat(container(values).path("args").toString())
        .contains("--webhook-client-ca=/etc/berth/webhook-clients/ca.crt")
        .contains("--webhook-client-name=one")
        .contains("--webhook-client-name=other");
    assertThat(container(values).path("volumeMounts").toString())
        .contains("/etc/berth/webhook-clients");
    assertThat(container("{}").path("args").toString()).doesNotContain("webhook-client");
  }

  @Test
  void legacyPolicies_canBeSwitchedOff_withTheRightAndTheReview() {
    String off = "legacyPolicies: {enabled: false}";

    assertThat(container(off).path("args").toString()).contains("--no-legacy-policies");
    String watched = "\"resources\":[\"configmaps\"],\"verbs\":[\"list\",\"watch\"]";
    assertThat(ofKind(off, "Role").toString()).doesNotContain(watched);
    assertThat(ofKind(off, "ValidatingWebhookConfiguration").toString())
        .doesNotContain("configmaps");
    assertThat(container("{}").path("args").toString()).doesNotContain("legacy");
    assertThat(ofKind("{}", "Role").toString()).contains(watched);
    assertThat(ofKind("{}", "ValidatingWebhookConfiguration").toString()).contains("configmaps");
  }

  private String rules(String values) {
    return ofKind(values, "ClusterRole").stream()
        .map(role -> role.path("rules").toString())
        .collect(Collectors.joining());
  }

  /** Reads the template directly, because the library does not render hooks. */
  @Test
  void testPod_isAHook_thatAsksTheServiceWhetherAReplicaIsReady() throws IOException {
    String template =
        Files.readString(
            chart.folder().resolve("templates").resolve("tests").resolve("ready.yaml"));
    JsonNode pod =
        YAML.readTree(
            template
                .replace("{{ .Release.Namespace }}", Chart.NAMESPACE)
                .replace("{{ .Values.test.image }}", "busybox"));

    assertThat(pod.path("metadata").path("annotations").path("helm.sh/hook").asText())
        .isEqualTo("test");
    assertThat(pod.at("/spec/containers/0/command").toString())
        .contains("http://berth.berth-system.svc:8080/readyz");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "clusterSize: huge | clusterSize",
        "replicas: 0 | replicas",
        "schedulerName: berth | schedulerName",
        "replica: 3 | replica",
        "image: {digest: latest} | digest",
        "image: {tag: 1.10} | tag",
        "extenderSecrets: [gpu, gpu] | extenderSecrets",
        "extenderSecrets: [7] | extenderSecrets",
        "schedulerNames: [1] | schedulerNames",
        "javaOptions: 8 | javaOptions",
        "networkPolicy: null | networkPolicy",
        "networkPolicy: {webhookFrom: null} | webhookFrom",
        "tracing: null | tracing",
        "recording: {sizeMiB: 1} | sizeMiB",
        "'schedulerNames: [berth, custom]\nschedulerName: custom' | would wait for Berth",
        "'serviceMonitor: {prometheusServiceAccount: {name: prometheus}}' | its namespace is"
            + " missing"
      })
  void valueThatCannotBe_isRefusedByTheSchema(String values, String name) {
    assertThatThrownBy(() -> chart.render(values)).hasMessageContaining(name);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-Dgreeting=a: b # c | javaOptions",
        "-Dempty= | javaOptions",
        "123 | priorityClassName",
        "true | priorityClassName"
      })
  void textThatYamlWouldReadDifferently_getsThereAsItIs(String text, String value) {
    JsonNode pod =
        ofKind("%s: '%s'".formatted(value, text), "Deployment")
            .getFirst()
            .at("/spec/template/spec");

    JsonNode written =
        value.equals("javaOptions")
            ? stream(pod.at("/containers/0/env"))
                .filter(each -> each.path("name").asText().equals("JAVA_TOOL_OPTIONS"))
                .findFirst()
                .orElseThrow()
                .path("value")
            : pod.path(value);
    assertThat(written.isTextual()).isTrue();
    assertThat(written.asText()).isEqualTo(text);
  }

  private static Stream<JsonNode> stream(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false);
  }

  @Test
  void everyValue_isInTheSchema_withADescription() throws IOException {
    JsonNode values = YAML.readTree(chart.folder().resolve("values.yaml").toFile());
    JsonNode schema = JSON.readTree(chart.folder().resolve("values.schema.json").toFile());
    List<String> problems = new ArrayList<>();

    compare(values, schema, "", problems);

    assertThat(problems).isEmpty();
  }

  private static void compare(JsonNode values, JsonNode schema, String at, List<String> problems) {
    JsonNode properties = schema.path("properties");
    if (!schema.has("additionalProperties")
        || schema.path("additionalProperties").asBoolean(true)) {
      return; // an object of Kubernetes, or free labels
    }
    Set<String> given =
        values.properties().stream().map(Map.Entry::getKey).collect(Collectors.toSet());
    properties
        .properties()
        .forEach(
            property -> {
              String name = at + property.getKey();
              boolean ofHelm = name.equals("global");
              boolean quantities = name.startsWith("resources");
              if (!given.contains(property.getKey()) && !ofHelm && !quantities) {
                problems.add(name + " is not in values.yaml");
              }
              if (!property.getValue().has("description") && !quantities) {
                problems.add(name + " has no description");
              }
              compare(values.path(property.getKey()), property.getValue(), name + ".", problems);
            });
    given.stream()
        .filter(name -> !properties.has(name))
        .forEach(name -> problems.add(at + name + " is not in the schema"));
  }

  private JsonNode deployment(String values) {
    return ofKind(values, "Deployment").getFirst();
  }

  private JsonNode container(String values) {
    return deployment(values).at("/spec/template/spec/containers/0");
  }

  private List<JsonNode> ofKind(String values, String kind) {
    return chart.objects(values).stream()
        .filter(object -> object.path("kind").asText().equals(kind))
        .toList();
  }
}
