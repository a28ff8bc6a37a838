package io.berth.operator.query;

import static io.berth.operator.query.QueryGround.in;
import static io.berth.operator.query.QueryGround.json;
import static io.berth.operator.query.QueryGround.status;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.Annotations;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.engine.kube.KubeEvents;
import io.berth.operator.feed.FedPods;
import io.berth.serving.http.HttpAnswer;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Reviews of configs and bindings. The pod {@code old} of the ReplicaSet {@code web} runs on the
 * node with {@code side: right}; it does not fit on the other one.
 */
class ConfigReviewsTest {
  private static final String ALL = QueryApi.ROOT + "/policyreviews";
  private static final String WEB = "/apis/apps/v1/namespaces/team-a/replicasets/web";
  private static final String NSC = Annotations.NSC;
  private static final String APPLIED = Annotations.APPLIED;
  private static final String RIGHT = side("right");
  private static final String LEFT = side("left");
  private static final String NOWHERE = side("nowhere");
  private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

  private final QueryGround ground = new QueryGround();

  @AfterEach
  void stop() {
    ground.close();
  }

  private static String side(String value) {
    return """
    {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
      {"matchExpressions": [{"key": "side", "operator": "In", "values": ["%s"]}]}]}}}
    """
        .formatted(value);
  }

  private void serveConfig(String spec) {
    ground.serve(
        SERIALIZATION.unmarshal(
            "{\"metadata\": {\"name\": \"pool\", \"generation\": 1}, \"spec\": %s}".formatted(spec),
            NodeSchedulerConfig.class));
  }

  private void serveBinding(String spec) {
    ground.serve(
        SERIALIZATION.unmarshal(
            """
            {"metadata": {"namespace": "team-a", "name": "all", "uid": "b", "generation": 1}, "spec": %s}
            """
                .formatted(spec),
            SchedulerConfigBinding.class));
  }

  private static PodBuilder pod(Map<String, String> annotations) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("team-a")
        .withName("old")
        .withUid("uid-old")
        .withCreationTimestamp("2026-01-01T00:00:00Z")
        .withAnnotations(annotations)
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .withNodeName("n2")
        .endSpec();
  }

  private void cache(PodBuilder builder) {
    Pod pod = builder.build();
    ground.cache(FedPods.of(pod, new KubeEvents().upserted(pod)));
  }

  /** Caches the pod as one of the ReplicaSet. */
  private void cacheOfReplicaSet(String annotations) throws IOException {
    Map<String, String> stored = new HashMap<>();
    stored.put(APPLIED, "{\"nodeConfigs\": {\"configs\": [\"pool@1\"]}}");
    if (annotations.contains(NSC)) {
      stored.put(NSC, "pool");
    }
    cache(
        pod(stored)
            .editMetadata()
            .addNewOwnerReference()
            .withApiVersion("apps/v1")
            .withKind("ReplicaSet")
            .withName("web")
            .withUid("uid-web")
            .withController(true)
            .endOwnerReference()
            .endMetadata());
    ground.store(
        WEB,
        """
        {"metadata": {"uid": "uid-web"},
         "spec": {"template": {
           "metadata": {"annotations": %s},
           "spec": {"schedulerName": "berth", "containers": [{"name": "main"}]}}}}
        """
            .formatted(annotations));
  }

  /** Caches a pod without controller that names the config, and in which nothing is rendered. */
  private void cacheBarePod(String namespace, String name) throws IOException {
    cache(
        pod(Map.of(NSC, "pool"))
            .editMetadata()
            .withNamespace(namespace)
            .withName(name)
            .withUid("uid-" + name)
            .endMetadata());
    ground.store(
        "/api/v1/namespaces/%s/pods/%s".formatted(namespace, name),
        """
        {"metadata": {"uid": "uid-%s", "annotations": %s},
         "spec": {"schedulerName": "berth", "nodeName": "n2", "containers": [{"name": "main"}]}}
        """
            .formatted(name, annotated()));
  }

  private static String annotated() {
    return "{\"%s\": \"pool\"}".formatted(NSC);
  }

  private HttpAnswer reviewConfig(String user, String spec) {
    return ground.create(user, ALL, "", "PolicyReview", ofConfig(spec));
  }

  private static String ofConfig(String spec) {
    return "{\"nodeSchedulerConfig\": {\"name\": \"pool\", \"spec\": %s}}".formatted(spec);
  }

  private HttpAnswer reviewBinding(String spec) {
    return ground.create(
        "tenant",
        in("team-a", "localpolicyreviews"),
        "",
        "LocalPolicyReview",
        "{\"schedulerConfigBinding\": {\"name\": \"all\", \"spec\": %s}}".formatted(spec));
  }

  @Test
  void sameConfig_hasNoEffect_onThePodsThatItRenders() throws IOException {
    serveConfig(RIGHT);
    cacheOfReplicaSet(annotated());

    JsonNode status = status(reviewConfig("admin", RIGHT));

    assertThat(status.path("result").asText()).as(status.toPrettyString()).isEqualTo("NoEffect");
    assertThat(status.path("pods").asInt()).isEqualTo(1);
    assertThat(status.path("unchanged").asInt()).isEqualTo(1);
    assertThat(ground.read()).containsExactly(WEB);
  }

  @Test
  void configThatSelectsAFullNode_rejectsItsPods() throws IOException {
    serveConfig(RIGHT);
    cacheOfReplicaSet(annotated());

    JsonNode status = status(reviewConfig("admin", LEFT));

    assertThat(status.path("result").asText()).isEqualTo("PodsRejected");
    assertThat(status.path("fitNowhere").asInt()).isEqualTo(1);
    assertThat(status.at("/changes/0/name").asText()).isEqualTo("old");
    assertThat(status.at("/changes/0/message").asText())
        .contains("Insufficient cpu", "didn't match Pod's node affinity/selector");
  }

  @Test
  void requirementsThatAreRemoved_leaveNoTrace() throws IOException {
    serveConfig(NOWHERE);
    cacheOfReplicaSet(annotated());

    JsonNode status = status(reviewConfig("admin", RIGHT));

    assertThat(status.path("fitNow").asInt()).as(status.toPrettyString()).isZero();
    assertThat(status.path("unchanged").asInt()).as("it stays on its node").isEqualTo(1);
  }

  @Test
  void templateThatRefusesThePods_deniesThem() throws IOException {
    serveConfig(RIGHT);
    cacheOfReplicaSet(annotated());

    JsonNode status =
        status(
            reviewConfig(
                "admin",
                RIGHT
                    .strip()
                    .replaceFirst(
                        "\\{", "{\"parameters\": [{\"name\": \"Tier\", \"required\": true}], ")
                    .replace("\"right\"", "\"{{.Tier}}\"")));

    assertThat(status.path("denied").asInt()).as(status.toPrettyString()).isEqualTo(1);
    assertThat(status.at("/changes/0/effect").asText()).isEqualTo("Denied");
    assertThat(status.at("/changes/0/message").asText()).contains("Tier");
  }

  @Test
  void podThatWasRendered_andHasNoTemplate_isNotTried() throws IOException {
    serveConfig(RIGHT);
    cache(pod(Map.of(NSC, "pool", APPLIED, "{\"nodeConfigs\": {\"configs\": [\"pool@1\"]}}")));

    JsonNode status = status(reviewConfig("admin", LEFT));

    assertThat(status.path("result").asText()).isEqualTo("Unknown");
    assertThat(status.path("notTried").asInt()).isEqualTo(1);
    assertThat(status.path("unknownOrigin").asInt()).isEqualTo(1);
    assertThat(status.path("message").asText()).contains("1 were not tried");
    assertThat(ground.read()).isEmpty();
  }

  @Test
  void podInWhichNothingWasRendered_isReadItself() throws IOException {
    serveConfig(RIGHT);
    cacheBarePod("team-a", "old");

    JsonNode status = status(reviewConfig("admin", NOWHERE));

    assertThat(status.path("fitNowhere").asInt()).as(status.toPrettyString()).isEqualTo(1);
  }

  @Test
  void templateOfAnObjectThatWasReplaced_isNotUsed() throws IOException {
    serveConfig(RIGHT);
    cacheOfReplicaSet(annotated());
    ground.store(
        WEB, "{\"metadata\": {\"uid\": \"another\"}, \"spec\": {\"template\": {\"spec\": {}}}}");

    assertThat(status(reviewConfig("admin", LEFT)).path("unknownOrigin").asInt()).isEqualTo(1);
  }

  @Test
  void newBinding_isTriedOnThePodsThatItSelects() throws IOException {
    serveConfig(NOWHERE);
    cacheOfReplicaSet("{}");

    JsonNode status = status(reviewBinding("{\"nodeConfigs\": [{\"name\": \"pool\"}]}"));

    assertThat(status.path("fitNowhere").asInt()).as(status.toPrettyString()).isEqualTo(1);
    assertThat(status.at("/changes/0/node").asText()).isEqualTo("n2");
    JsonNode other =
        status(
            reviewBinding(
                "{\"podSelector\": {\"matchLabels\": {\"app\": \"db\"}}, \"nodeConfigs\":"
                    + " [{\"name\": \"pool\"}]}"));
    assertThat(other.path("pods").asInt()).isZero();
  }

  @Test
  void changedBinding_takesThePlaceOfTheOneThatExists() throws IOException {
    serveConfig(NOWHERE);
    serveBinding("{\"nodeConfigs\": [{\"name\": \"pool\"}]}");
    cacheOfReplicaSet("{}");

    JsonNode status =
        status(
            reviewBinding(
                "{\"nodeConfigs\": [{\"name\": \"pool\"}], \"enforcement\": \"DryRun\"}"));

    assertThat(status.path("pods").asInt()).as(status.toPrettyString()).isEqualTo(1);
    assertThat(status.path("unchanged").asInt()).as("it stays on its node").isEqualTo(1);
  }

  @Test
  void podWhoseOwnerHasAnInvalidName_isOfUnknownOrigin_andNothingIsRead() throws IOException {
    serveConfig(RIGHT);
    cache(
        pod(Map.of(NSC, "pool"))
            .editMetadata()
            .addNewOwnerReference()
            .withApiVersion("apps/v1")
            .withKind("ReplicaSet")
            .withName("../../secrets/a b")
            .withUid("uid-web")
            .withController(true)
            .endOwnerReference()
            .endMetadata());

    assertThat(status(reviewConfig("admin", LEFT)).path("unknownOrigin").asInt()).isEqualTo(1);
    assertThat(ground.read()).isEmpty();
  }

  @Test
  void readsThatFail_leaveTheAnswerOpen_andCostLaterReviewsNothing() throws IOException {
    serveConfig(RIGHT);
    cacheOfReplicaSet(annotated());
    ground.failReads(true);
    for (int i = 0; i < 20; i++) { // more than the reads at a time
      JsonNode failed = status(reviewConfig("admin", LEFT));
      assertThat(failed.path("result").asText()).isEqualTo("Unknown");
      assertThat(failed.path("message").asText()).contains("may be wrong", "no answer today");
      assertThat(failed.path("truncated").asBoolean()).isTrue();
      assertThat(failed.path("tried").asInt()).isZero();
    }

    ground.failReads(false);

    assertThat(status(reviewConfig("admin", LEFT)).path("fitNowhere").asInt()).isEqualTo(1);
  }

  @Test
  void barePodsWithTheSameSpec_areJudgedInTheirOwnNamespaces() throws IOException {
    serveConfig(RIGHT);
    cacheBarePod("team-a", "old");
    cacheBarePod("team-b", "secret");

    JsonNode status =
        status(
            reviewConfig(
                "admin",
                RIGHT
                    .strip()
                    .replaceFirst("\\{", "{\"allowedNamespaces\": {\"names\": [\"team-a\"]}, ")));

    assertThat(status.path("changes")).as(status.toPrettyString()).hasSize(1);
    assertThat(status.at("/changes/0/namespace").asText()).isEqualTo("team-b");
  }

  @Test
  void bindingThatCannotBeApplied_concernsThePodsOfTheOneThatItHides() throws IOException {
    serveConfig(RIGHT);
    serveBinding("{\"nodeConfigs\": [{\"name\": \"pool\"}]}");
    cacheOfReplicaSet("{}");

    JsonNode status =
        status(
            ground.create(
                "admin",
                ALL,
                "",
                "PolicyReview",
                """
                {"schedulerConfigBinding": {"namespace": "team-a", "name": "first",
                 "spec": {"priority": 100, "nodeConfigs": [{"name": "missing"}]}}}
                """));

    assertThat(status.path("pods").asInt()).as(status.toPrettyString()).isEqualTo(1);
  }

  @Test
  void podThatWasDenied_andWouldBeAdmitted_fitsNow() throws IOException {
    serveConfig(
        RIGHT.strip().replaceFirst("\\{", "{\"allowedNamespaces\": {\"names\": [\"x\"]}, "));
    cacheOfReplicaSet(annotated());

    JsonNode status = status(reviewConfig("admin", RIGHT));

    assertThat(status.path("fitNow").asInt()).as(status.toPrettyString()).isEqualTo(1);
  }

  @Test
  void invalidReviews_areRefused_withTheField() throws IOException {
    HttpAnswer noTemplate = reviewConfig("admin", RIGHT.replace("right", "{{.Tier"));
    assertThat(noTemplate.status()).isEqualTo(422);
    assertThat(json(noTemplate).path("message").asText())
        .startsWith("PolicyReview is invalid: spec.nodeSchedulerConfig.spec.nodeAffinity");

    HttpAnswer both =
        ground.create(
            "admin",
            ALL,
            "",
            "PolicyReview",
            "{\"policy\": {\"name\": \"a\", \"spec\": {}}, \"nodeSchedulerConfig\": {}}");
    assertThat(both.status()).isEqualTo(422);
    assertThat(json(both).path("message").asText()).contains("exactly one of policy");

    HttpAnswer withoutNamespace =
        ground.create(
            "admin",
            ALL,
            "",
            "PolicyReview",
            "{\"schedulerConfigBinding\": {\"name\": \"a\", \"spec\": {}}}");
    assertThat(withoutNamespace.status()).isEqualTo(422);
    assertThat(json(withoutNamespace).path("message").asText())
        .contains("spec.schedulerConfigBinding.namespace");
  }
}
