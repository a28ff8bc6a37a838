package io.berth.operator.query;

import static io.berth.operator.query.QueryGround.in;
import static io.berth.operator.query.QueryGround.json;
import static io.berth.operator.query.QueryGround.pod;
import static io.berth.operator.query.QueryGround.status;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.Annotations;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.PriorityClassModel;
import io.berth.operator.feed.FedPods;
import io.berth.serving.http.HttpAnswer;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests for decisions and reviews of placements, and what all requests have in common. */
class QueryRequestsTest {
  private final QueryGround ground = new QueryGround();

  @AfterEach
  void stop() {
    ground.close();
  }

  private HttpAnswer send(
      String method, String path, String query, Map<String, String> headers, String body) {
    return ground.send(method, path, query, headers, body);
  }

  private HttpAnswer get(String user, String path) {
    return ground.get(user, path);
  }

  private HttpAnswer review(String user, String namespace, String query, String spec) {
    return ground.review(user, namespace, query, spec);
  }

  @Test
  void otherMethods_areNotAllowed() {
    for (String method : List.of("PUT", "PATCH", "DELETE")) {
      assertThat(send(method, in("a", "decisions"), "", Map.of(), "").status()).isEqualTo(405);
      assertThat(send(method, in("a", "placementreviews"), "", Map.of(), "").status())
          .isEqualTo(405);
    }
    assertThat(send("GET", in("a", "placementreviews"), "", Map.of(), "").status()).isEqualTo(405);
    for (String method : List.of("GET", "PATCH", "POST", "DELETE")) {
      assertThat(send(method, in("a", "placementreviews/one"), "", Map.of(), "").status())
          .as("reviews are not stored")
          .isEqualTo(405);
    }
    assertThat(send("GET", in("a", "placementreviews/one/two"), "", Map.of(), "").status())
        .isEqualTo(404);
    assertThat(send("POST", in("a", "placementreviews"), "", Map.of(), "").status())
        .as("without a content type")
        .isEqualTo(415);
    assertThat(get("admin", in("a", "secrets")).status()).isEqualTo(404);
    assertThat(send("GET", in("a", "decisions"), "", Map.of(), "").status())
        .as("without a user")
        .isEqualTo(401);
  }

  @Test
  void documents_describeTheGroup() throws IOException {
    assertThat(json(get("any", QueryApi.ROOT)).path("resources").findValuesAsText("name"))
        .containsExactly(
            "decisions",
            "decisions/nodes",
            "pools",
            "pendingreasons",
            "placementreviews",
            "policyreviews",
            "localpolicyreviews");
    assertThat(json(get("any", "/openapi/v3" + QueryApi.ROOT)).at("/components/schemas"))
        .hasSize(10);
    assertThat(json(get("any", "/openapi/v2")).path("definitions")).hasSize(10);
    JsonNode verbs = json(get("any", QueryApi.ROOT)).at("/resources/0/verbs");
    assertThat(verbs).extracting(JsonNode::asText).containsExactly("get", "list", "watch");
    assertThat(
            json(get("any", "/openapi/v2"))
                .path("paths")
                .path(QueryApi.ROOT + "/pools")
                .at("/get/parameters")
                .findValuesAsText("name"))
        .containsExactly(
            "allowWatchBookmarks",
            "continue",
            "fieldSelector",
            "limit",
            "resourceVersion",
            "resourceVersionMatch",
            "sendInitialEvents",
            "timeoutSeconds",
            "watch");
    for (String resource : List.of("placementreviews", "localpolicyreviews")) {
      JsonNode paths = json(get("any", "/openapi/v3" + QueryApi.ROOT)).path("paths");
      String path = in("{namespace}", resource);
      assertThat(paths.path(path).at("/post/parameters").findValuesAsText("name"))
          .contains("dryRun", "fieldValidation");
      assertThat(paths.path(path + "/{name}").at("/patch/parameters").findValuesAsText("name"))
          .as("where kubectl looks for it")
          .contains("fieldValidation");
    }
    HttpAnswer aggregated =
        send(
            "GET",
            "/apis",
            "",
            Map.of(
                "accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"),
            "");
    assertThat(aggregated.contentType()).contains("as=APIGroupDiscoveryList");
    assertThat(json(aggregated).at("/items/0/versions/0/resources")).hasSize(6);
  }

  @Test
  void decision_isShownAsFarAsTheUserMaySee() throws IOException {
    String path = in("team-a", "decisions/web");
    JsonNode ofAdmin = json(get("admin", path));
    JsonNode ofTenant = json(get("tenant", path));

    assertThat(ofAdmin.toString()).contains("n2").doesNotContain("secret");
    assertThat(ofTenant.toString()).contains("n1").doesNotContain("n2", "secret", "team-b");
    assertThat(ofTenant.at("/status/evictions/names/0").asText()).isEqualTo("old");
    assertThat(ofTenant.at("/status/evictions/ofOtherNamespaces").asInt()).isEqualTo(1);
    assertThat(ofTenant.at("/status/groupProgress/waiting").asInt()).isEqualTo(2);
    assertThat(ofTenant.at("/status/earlier/1/times").asInt()).isEqualTo(3);
    assertThat(ofTenant.at("/status/earlier/0/message").asText()).isEqualTo("for a node");
    assertThat(ofTenant.at("/status/shadow/message").asText()).isEqualTo("the attempt failed");
    assertThat(ofTenant.at("/status/outcome").asText())
        .isEqualTo("the Binding to a node failed, then n1 took it");
    assertThat(ofTenant.at("/status/rejections/0/reason").asText()).isEqualTo("a node is busy");
    assertThat(ofAdmin.at("/status/rejections/0/reason").asText()).isEqualTo("n2 is busy");
    assertThat(ofTenant.at("/status/notes").isMissingNode()).isTrue();
    assertThat(ofAdmin.at("/status/notes/0").asText()).startsWith("extender ");
    assertThat(ofAdmin.at("/status/nominatedBefore/node").asText()).isEqualTo("n2");
    assertThat(get("tenant", in("team-b", "decisions/web")).status()).isEqualTo(403);
    assertThat(get("tenant", in("team-a", "decisions/none")).status()).isEqualTo(404);
  }

  @Test
  void messageAboutOtherNodes_namesNoneToWhomMayNotListThem() throws IOException {
    JsonNode ofTenant = json(get("tenant", in("team-a", "decisions/waits")));
    JsonNode ofAdmin = json(get("admin", in("team-a", "decisions/waits")));

    assertThat(ofTenant.toString()).doesNotContain("n1", "n2", "secret", "team-b");
    assertThat(ofTenant.at("/status/message").asText())
        .isEqualTo(
            "no node fits: extender http://ext rejected a node: a node is full; pods would be"
                + " evicted from a node");
    assertThat(ofTenant.at("/status/earlier/0/message").asText())
        .isEqualTo("pods were evicted from a node.");
    assertThat(ofTenant.at("/status/rejections/0/reason").asText())
        .isEqualTo("(a node) and/or a node,");
    assertThat(ofAdmin.at("/status/message").asText()).contains("n1", "n2");
  }

  @Test
  void decision_saysWhatWasRenderedIntoThePod() throws IOException {
    String applied = "{\"nodeConfigs\": {\"source\": \"binding team-a/web@1\"}}";
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace("team-a")
            .withName("web")
            .withUid("u")
            .withAnnotations(Map.of(Annotations.APPLIED, applied))
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .build();
    ground.cache(FedPods.of(pod, new KubeEvents().upserted(pod)));

    assertThat(
            json(get("tenant", in("team-a", "decisions/web")))
                .at("/status/applied/nodeConfigs/source")
                .asText())
        .isEqualTo("binding team-a/web@1");
  }

  @Test
  void decisions_areListedInPages_andAsATable() throws IOException {
    JsonNode list = json(get("tenant", in("team-a", "decisions")));
    assertThat(list.at("/metadata/continue").asText()).isEqualTo("7/team-a/web");
    assertThat(list.path("items")).hasSize(1);

    HttpAnswer next =
        send(
            "GET",
            in("team-a", "decisions"),
            "continue=7%2Fteam-a%2Fweb",
            Map.of("x-remote-user", "tenant"),
            "");
    assertThat(next.status()).isEqualTo(503);
    assertThat(next.headers()).containsKey("Retry-After");

    JsonNode table =
        json(
            send(
                "GET",
                in("team-a", "decisions"),
                "",
                Map.of("x-remote-user", "tenant", "accept", "application/json;as=Table;v=v1"),
                ""));
    assertThat(table.at("/rows/0/cells/0").asText()).isEqualTo("web");
    assertThat(get("tenant", QueryApi.ROOT + "/decisions").status()).isEqualTo(403);
  }

  @Test
  void accessIsAskedOnce_withTheWholeUser() {
    Map<String, String> user =
        Map.of(
            "x-remote-user", "tenant",
            "x-remote-group", "staff",
            "x-remote-extra-example.com%2fproject", "p1");
    for (int i = 0; i < 3; i++) {
      send("GET", in("team-a", "decisions/web"), "", user, "");
    }

    assertThat(ground.asked()).as("of the decision, and of the right to list nodes").hasSize(2);
    assertThat(ground.asked().getFirst().getSpec().getGroups()).containsExactly("staff");
    assertThat(ground.asked().getFirst().getSpec().getExtra())
        .containsEntry("example.com/project", List.of("p1"));
  }

  @Test
  void review_isAnswered() throws IOException {
    JsonNode fits = status(review("admin", "team-a", "", pod("1", "")));
    assertThat(fits.path("result").asText()).isEqualTo("Fits");
    assertThat(fits.at("/nodes/0/name").asText()).startsWith("n");
    assertThat(fits.at("/policy/name").asText()).isEqualTo("usual");

    JsonNode not = status(review("admin", "team-a", "", pod("5", "")));
    assertThat(not.path("result").asText()).isEqualTo("DoesNotFit");
    assertThat(not.at("/notPlacedBecause/reasons/0/wanted").asText()).isEqualTo("5");
    assertThat(not.at("/notPlacedBecause/reasons/0/free").asText()).isEqualTo("1");
    assertThat(not.at("/notPlacedBecause/reasons/0/nodes").asInt()).isEqualTo(2);

    JsonNode most = status(review("admin", "team-a", "", pod("500m", ", \"replicas\": \"Max\"")));
    assertThat(most.path("placed").asInt()).isEqualTo(4);
  }

  @Test
  void review_saysInWords_thatPodsOfDrainedNodesFitNowhereElse() throws IOException {
    for (String[] supposed : new String[][] {{"drain", "drained"}, {"remove", "removed"}}) {
      String nodes = ", \"nodes\": {\"%s\": [\"n1\"]}".formatted(supposed[0]);

      JsonNode fits = status(review("admin", "team-a", "", pod("1", nodes)));
      assertThat(fits.path("result").asText()).isEqualTo("Fits");
      assertThat(fits.path("message").asText())
          .isEqualTo("it fits; only 0 of 1 pods of %s nodes fit elsewhere".formatted(supposed[1]));
      assertThat(fits.path("displacedPods"))
          .hasToString("{\"pods\":1,\"placed\":0,\"ofOtherSchedulers\":0}");
    }
    String freed = ", \"nodes\": {\"drain\": [\"n1\"]}, \"removePods\": [\"old\"]";
    assertThat(status(review("admin", "team-a", "", pod("1", freed))).path("message").asText())
        .isEqualTo("it fits");
  }

  @Test
  void answersToATenant_nameNoNodes_andNoPodsOfOtherNamespaces() throws IOException {
    for (String spec :
        List.of(
            pod("1", ""),
            pod("5", ""),
            pod("4", ""),
            pod("2", ", \"replicas\": 5"),
            "{\"podName\": \"old\"}",
            WorkloadReviewsTest.workload("batch/v1", "Job", "\"parallelism\": 3,"),
            WorkloadReviewsTest.workload("apps/v1", "Deployment", "\"replicas\": 3,"),
            pod("5", ", \"replicas\": \"Max\""),
            pod("4", ", \"policy\": {\"name\": \"usual\"}"),
            pod("1", ", \"removePods\": [\"old\"]"))) {
      String answer = status(review("tenant", "team-a", "", spec)).toString();
      assertThat(answer).doesNotContain("\"n1\"", "\"n2\"", " n1", " n2", "secret", "team-b");
    }
    assertThat(review("tenant", "team-b", "", pod("1", "")).status()).isEqualTo(403);
    assertThat(
            review("tenant", "team-a", "", pod("1", ", \"nodes\": {\"drain\": [\"n1\"]}")).status())
        .as("suppositions about nodes")
        .isEqualTo(403);
  }

  @Test
  void invalidReviews_areRefused() {
    assertThat(review("admin", "team-a", "", "{}").status()).isEqualTo(422);
    assertThat(review("admin", "team-a", "", pod("1", ", \"replicas\": 0")).status())
        .isEqualTo(422);
    assertThat(review("admin", "team-a", "", pod("1", ", \"policy\": {\"name\": \"x\"}")).status())
        .isEqualTo(422);
    assertThat(review("admin", "team-a", "", "{\"podName\": \"none\"}").status()).isEqualTo(422);
    assertThat(review("admin", "team-a", "", pod("much", "")).status()).isEqualTo(422);
    assertThat(review("admin", "team-a", "dryRun=None", pod("1", "")).status()).isEqualTo(400);
    String unknown = pod("1", ", \"replica\": 3");
    assertThat(review("admin", "team-a", "fieldValidation=Strict", unknown).status())
        .isEqualTo(400);
    assertThat(review("admin", "team-a", "fieldValidation=Warn", unknown).headers().get("Warning"))
        .contains("spec.replica");
    assertThat(review("admin", "team-a", "fieldValidation=Ignore", unknown).status())
        .isEqualTo(201);
  }

  @Test
  void priorityClass_givesItsPriority_andItsPreemptionPolicy() throws IOException {
    know("high", 1_000, false, false);
    know("patient", 1_000, false, true);

    JsonNode evicts = status(review("admin", "team-a", "", ofClass("high", "")));
    assertThat(evicts.path("result").asText()).isEqualTo("Fits");
    assertThat(evicts.at("/evictions/pods").asInt()).isEqualTo(1);
    JsonNode waits = status(review("admin", "team-a", "", ofClass("patient", "")));
    assertThat(waits.path("result").asText()).isEqualTo("DoesNotFit");
    assertThat(status(review("admin", "team-a", "", pod("4", ""))).path("result").asText())
        .isEqualTo("DoesNotFit");
    for (String contradiction :
        List.of("\"priority\": 7,", "\"preemptionPolicy\": \"PreemptLowerPriority\",")) {
      assertThat(review("admin", "team-a", "", ofClass("patient", contradiction)).status())
          .as(contradiction)
          .isEqualTo(422);
    }
    assertThat(review("admin", "team-a", "", ofClass("none", "")).status()).isEqualTo(422);
    assertThat(review("admin", "team-a", "", ofClass("high", "\"priority\": 1000,")).status())
        .isEqualTo(201);
  }

  @Test
  void podWithoutPriorityClass_getsTheDefaultOne_theLowestOfSeveral() throws IOException {
    know("usual", 1_000, true, false);
    know("higher", 2_000, true, true);

    JsonNode evicts = status(review("admin", "team-a", "", pod("4", "")));
    assertThat(evicts.path("result").asText()).isEqualTo("Fits");
    assertThat(evicts.at("/evictions/pods").asInt()).isEqualTo(1);
  }

  private void know(String name, int value, boolean isDefault, boolean neverPreempts) {
    ground.know(
        new ClusterEvent.PriorityClassUpserted(
            new PriorityClassModel(
                name, value, false, OptionalInt.empty(), isDefault, neverPreempts),
            Optional.empty()));
  }

  private static String ofClass(String priorityClass, String more) {
    return pod("4", "")
        .replace("{\"spec\": {", "{\"spec\": {\"priorityClassName\": \"%s\", %s")
        .formatted(priorityClass, more);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'pod': {'spec': {'nodeSelecter': {'a': 'b'}}}}        | spec.pod.spec.nodeSelecter",
        "{'pod': {'spec': {'containers': [{'name': 'c'}, {'resources': {'request': {}}}]}}}"
            + " | spec.pod.spec.containers[1].resources.request",
        "{'pod': {'metadata': {'label': {}}, 'spec': {}}}       | spec.pod.metadata.label",
        "{'template': {'specs': {}, 'spec': {}}}                | spec.template.specs",
        "{'podName': 'old', 'policy': {'spec': {'prioritys': []}}}"
            + " | spec.policy.spec.prioritys",
        "{'workload': {'spec': {'template': {'spec': {'hostNetworks': true}}}}}"
            + " | spec.workload.spec.template.spec.hostNetworks",
      })
  void fieldsThatAreUnknownInside_areNamed_ifTheUserWantsThatToo(String spec, String path) {
    String json = spec.replace('\'', '"');
    assertThat(answer("fieldValidation=Strict", json))
        .contains("strict decoding error: unknown field", path);
    assertThat(answer("fieldValidation=Ignore", json)).doesNotContain(path);
  }

  private String answer(String query, String spec) {
    return new String(review("admin", "team-a", query, spec).body(), StandardCharsets.UTF_8);
  }

  @Test
  void fieldThatIsGivenTwice_isRefused_ifValidationIsStrict() {
    String twice = "{\"podName\": \"old\", \"podName\": \"other\"}";
    assertThat(answer("fieldValidation=Strict", twice)).contains("given twice", "podName");
    String usual =
        pod("1", ", \"policy\": {\"spec\": {\"priorities\": [{\"name\": \"NodeResourcesFit\"}]}}");
    assertThat(review("admin", "team-a", "fieldValidation=Strict", usual).status())
        .as("known fields")
        .isEqualTo(201);
  }

  @Test
  void podOfAnotherScheduler_isNotPlaced() throws IOException {
    JsonNode status =
        status(
            review(
                "admin",
                "team-a",
                "",
                "{\"pod\": {\"spec\": {\"containers\": [{\"name\": \"c\", \"image\": \"i\"}]}}}"));

    assertThat(status.path("result").asText()).isEqualTo("OtherScheduler");
  }

  @Test
  void policyOfTheReview_decides() throws IOException {
    JsonNode status =
        status(
            review(
                "admin",
                "team-a",
                "",
                pod(
                    "500m",
                    ", \"policy\": {\"spec\": {\"priorities\": [{\"name\": \"NodeResourcesFit\","
                        + " \"args\": {\"scoringStrategy\": {\"type\": \"MostAllocated\"}}}]}}")));

    assertThat(status.path("result").asText()).isEqualTo("Fits");
    assertThat(
            review(
                    "admin",
                    "team-a",
                    "",
                    pod(
                        "1",
                        ", \"policy\": {\"spec\": {\"priorities\": [{\"name\": \"Unknown\"}]}}"))
                .status())
        .isEqualTo(422);
  }

  @Test
  void poolsAndPendingReasons_areListed_byUsersWhoMay() throws IOException {
    JsonNode list = json(get("admin", QueryApi.ROOT + "/pools"));
    assertThat(list.path("kind").asText()).isEqualTo("PoolList");
    assertThat(list.at("/items/0/metadata/name").asText()).isEqualTo("cluster");
    assertThat(json(get("admin", QueryApi.ROOT + "/pools/cluster")).at("/status/nodes").asInt())
        .isEqualTo(2);
    assertThat(get("admin", QueryApi.ROOT + "/pools/none").status()).isEqualTo(404);
    assertThat(get("tenant", QueryApi.ROOT + "/pools").status()).isEqualTo(403);
    assertThat(get("tenant", QueryApi.ROOT + "/pendingreasons").status()).isEqualTo(403);
    assertThat(get("admin", in("team-a", "pools")).status()).isEqualTo(404);
    assertThat(json(get("admin", QueryApi.ROOT + "/pendingreasons")).path("items")).isEmpty();

    JsonNode table =
        json(
            send(
                "GET",
                QueryApi.ROOT + "/pools",
                "",
                Map.of("x-remote-user", "admin", "accept", "application/json;as=Table;v=v1"),
                ""));
    assertThat(table.at("/rows/0/cells")).hasSameSizeAs(table.path("columnDefinitions"));
    assertThat(table.at("/rows/0/cells/4").asText()).as("CPU%").isEqualTo("75%");
  }
}
