package io.berth.crds.generate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.berth.crds.Annotations;
import io.berth.crds.Installation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/**
 * Rules for the manifests that install Berth: their effects on a cluster, and the names in them.
 */
class ManifestsTest {

  private final List<JsonNode> manifests = read(Path.of("..", "deploy", "berth.yaml"));

  @Test
  void webhooks_haveNoSideEffectsAndAnswerSoon() {
    webhooks()
        .forEach(
            webhook -> {
              assertThat(webhook.at("/sideEffects").asText()).isEqualTo("None");
              assertThat(webhook.at("/timeoutSeconds").asInt()).isEqualTo(3);
              assertThat(webhook.at("/clientConfig/service/name").asText())
                  .isEqualTo(Installation.SERVICE);
            });
    assertThat(webhooks().map(webhook -> webhook.at("/clientConfig/service/path").asText()))
        .containsExactly(
            Installation.MUTATE_PODS_PATH,
            Installation.MUTATE_PODS_PATH,
            Installation.VALIDATE_CONFIGS_PATH,
            Installation.VALIDATE_CONFIGS_PATH,
            Installation.VALIDATE_WORKLOADS_PATH);
  }

  @Test
  void onlyOurOwnKindsAndLegacyPolicies_areRefusedWhenNobodyAnswers() {
    webhooks()
        .filter(webhook -> webhook.at("/failurePolicy").asText().equals("Fail"))
        .filter(webhook -> !isForLegacyPolicies(webhook))
        .flatMap(webhook -> stream(webhook.path("rules")))
        .forEach(
            rule -> {
              assertThat(texts(rule.path("apiGroups"))).containsExactly("sched.cloud.ctrip.com");
              assertThat(texts(rule.path("operations"))).containsExactly("CREATE", "UPDATE");
            });
  }

  @Test
  void noWebhook_isAskedInKubeSystem_norAboutPodsAndWorkloadsOfTheOperatorsNamespace() {
    webhooks()
        .filter(webhook -> !isForLegacyPolicies(webhook))
        .forEach(
            webhook -> {
              JsonNode expression = webhook.at("/namespaceSelector/matchExpressions/0");
              assertThat(expression.path("operator").asText()).isEqualTo("NotIn");
              assertThat(texts(expression.path("values"))).contains("kube-system");
              if (webhook.at("/failurePolicy").asText().equals("Ignore")) {
                assertThat(texts(expression.path("values"))).contains(Installation.NAMESPACE);
              }
            });
  }

  @Test
  void legacyPolicies_areReviewed_andNoOtherConfigMaps() {
    JsonNode webhook =
        webhooks().filter(ManifestsTest::isForLegacyPolicies).findFirst().orElseThrow();

    assertThat(webhook.path("rules")).hasSize(1);
    assertThat(texts(webhook.at("/rules/0/resources"))).containsExactly("configmaps");
    assertThat(texts(webhook.at("/rules/0/operations"))).containsExactly("CREATE", "UPDATE");
    assertThat(webhook.at("/objectSelector/matchLabels").path(Annotations.LEGACY_POLICY_LABEL))
        .hasToString("\"true\"");
    assertThat(webhook.at("/namespaceSelector/matchLabels").path("kubernetes.io/metadata.name"))
        .hasToString("\"" + Installation.NAMESPACE + "\"");
  }

  private static boolean isForLegacyPolicies(JsonNode webhook) {
    return webhook.path("name").asText().equals("legacy-policies.sched.cloud.ctrip.com");
  }

  @Test
  void createdPods_areMutatedUntilTheyAreBound_orIfTheyClaimARendering() {
    JsonNode pods = webhooks().findFirst().orElseThrow();

    assertThat(pods.path("reinvocationPolicy").asText()).isEqualTo("IfNeeded");
    assertThat(pods.path("matchConditions").findValuesAsText("expression"))
        .containsExactly(
            "!has(object.spec.nodeName) || object.spec.nodeName == ''"
                + " || (has(object.metadata.annotations) && '"
                + Annotations.APPLIED
                + "' in object.metadata.annotations)");
  }

  @Test
  void namedObjects_areTheOnesThatTheProcessUses() {
    JsonNode role = manifest("Role", Installation.SERVICE_ACCOUNT);

    assertThat(texts(role.findPath("resourceNames"))).containsExactly(Installation.LEASE);
    assertThat(role.toString()).contains(Installation.CERTIFICATE_SECRET);
    assertThat(
            manifest("ClusterRole", Installation.SERVICE_ACCOUNT).findValue("resourceNames").get(0))
        .hasToString("\"" + Installation.WEBHOOK_CONFIGURATION + "\"");
    assertThat(manifest("Namespace", Installation.NAMESPACE).isObject()).isTrue();
  }

  @Test
  void berthAsksForNoWildcards() {
    manifests.stream()
        .filter(manifest -> manifest.path("kind").asText().endsWith("Role"))
        .flatMap(role -> stream(role.path("rules")))
        .forEach(
            rule -> {
              assertThat(texts(rule.path("verbs"))).doesNotContain("*");
              assertThat(texts(rule.path("resources"))).doesNotContain("*");
              assertThat(texts(rule.path("apiGroups"))).doesNotContain("*");
            });
  }

  private JsonNode manifest(String kind, String name) {
    return manifests.stream()
        .filter(manifest -> manifest.path("kind").asText().equals(kind))
        .filter(manifest -> manifest.at("/metadata/name").asText().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private Stream<JsonNode> webhooks() {
    return manifests.stream().flatMap(manifest -> stream(manifest.path("webhooks")));
  }

  private static Stream<JsonNode> stream(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false);
  }

  private static List<String> texts(JsonNode list) {
    return stream(list).map(JsonNode::asText).toList();
  }

  private static List<JsonNode> read(Path file) {
    ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
    try (MappingIterator<JsonNode> documents =
        yaml.readerFor(JsonNode.class).readValues(file.toFile())) {
      return documents.readAll();
    } catch (IOException e) {
      throw new IllegalStateException(file + " cannot be read", e);
    }
  }
}
