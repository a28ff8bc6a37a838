package io.berth.operator.query;

import static io.berth.operator.query.QueryGround.in;
import static io.berth.operator.query.QueryGround.json;
import static io.berth.operator.query.QueryGround.status;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.serving.http.HttpAnswer;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributes;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reviews of the policy {@code usual}, which serves one pod of each of two namespaces. */
class PolicyReviewsTest {
  private static final String ALL = QueryApi.ROOT + "/policyreviews";
  private static final String REJECTS =
      """
      {"predicates": [
        {"name": "NodeAffinity",
         "args": {"addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
           "nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "Exists"}]}]}}}}]}
      """;

  private final QueryGround ground = new QueryGround();

  @AfterEach
  void stop() {
    ground.close();
  }

  private HttpAnswer review(String user, String name, String policySpec) {
    return ground.create(user, ALL, "", "PolicyReview", spec(name, policySpec));
  }

  private HttpAnswer local(String user, String namespace, String name, String policySpec) {
    return ground.create(
        user, in(namespace, "localpolicyreviews"), "", "LocalPolicyReview", spec(name, policySpec));
  }

  private static String spec(String name, String policySpec) {
    return "{\"policy\": {\"name\": \"%s\", \"spec\": %s}}".formatted(name, policySpec);
  }

  @Test
  void samePolicy_hasNoEffect() throws IOException {
    JsonNode status = status(review("admin", "usual", "{\"default\": true}"));

    assertThat(status.path("result").asText()).as(status.toPrettyString()).isEqualTo("NoEffect");
    assertThat(status.path("pods").asInt()).isEqualTo(2);
    assertThat(status.path("unchanged").asInt()).isEqualTo(2);
    assertThat(status.path("truncated").asBoolean()).isFalse();
  }

  @Test
  void policyThatRejectsEveryNode_rejectsPods_byName() throws IOException {
    JsonNode status =
        status(review("admin", "usual", REJECTS.replace("{\"pre", "{\"default\": true, \"pre")));

    assertThat(status.path("result").asText()).isEqualTo("PodsRejected");
    assertThat(status.path("fitNowhere").asInt()).isEqualTo(2);
    assertThat(status.at("/changes/0/namespace").asText()).isEqualTo("team-a");
    assertThat(status.at("/changes/0/name").asText()).isEqualTo("old");
    assertThat(status.at("/changes/0/effect").asText()).isEqualTo("FitsNowhere");
    assertThat(status.at("/changes/1/name").asText()).isEqualTo("secret");
    assertThat(status.at("/changes/1/message").asText()).startsWith("0/2 nodes are available");
  }

  @Test
  void policyThatDoesNotAllowANamespaceAnyMore_deniesItsPods_underItsOwnName() throws IOException {
    JsonNode status =
        status(
            review(
                "admin",
                "usual",
                "{\"default\": true, \"allowedNamespaces\": {\"names\": [\"team-a\"]}}"));

    assertThat(status.path("denied").asInt()).isEqualTo(1);
    assertThat(status.at("/changes/0/message").asText())
        .contains("SchedulingPolicy \"usual\"")
        .doesNotContain(ReviewedPolicy.NAME);
  }

  @Test
  void localReview_namesNoOtherNamespaces_andNoNodesThatTheUserMayNotSee() throws IOException {
    JsonNode status =
        status(
            local(
                "tenant",
                "team-a",
                "usual",
                "{\"default\": true, " + REJECTS.strip().substring(1)));

    assertThat(status.path("pods").asInt()).isEqualTo(1);
    assertThat(status.at("/changes/0/name").asText()).isEqualTo("old");
    assertThat(status.at("/changes/0/node").asText()).as("of the user's own pod").isEqualTo("n2");
    assertThat(status.toString()).doesNotContain("\"n1\"", "team-b", "secret", "\"today\"");
    assertThat(local("tenant", "team-b", "usual", "{}").status()).isEqualTo(403);
  }

  @Test
  void reviewOfAllNamespaces_needsTheRightsToListPodsAndNodes() {
    assertThat(review("tenant", "usual", "{}").status()).isEqualTo(403);
    assertThat(review("admin", "usual", "{}").status()).isEqualTo(201);
    assertThat(ground.asked())
        .extracting(asked -> asked.getSpec().getResourceAttributes())
        .filteredOn(asked -> asked.getVerb().equals("list"))
        .extracting(ResourceAttributes::getResource)
        .containsExactlyInAnyOrder("pods", "nodes");
  }

  @Test
  void invalidReviews_areRefused_withTheField() throws IOException {
    HttpAnswer unknownScore =
        review("admin", "usual", "{\"priorities\": [{\"name\": \"NodeResourcesFitt\"}]}");
    assertThat(unknownScore.status()).isEqualTo(422);
    assertThat(json(unknownScore).path("message").asText())
        .startsWith("PolicyReview is invalid: spec.policy.spec.priorities[0]");
    assertThat(review("admin", "", "{}").status()).isEqualTo(422);
    assertThat(review("admin", "No Name", "{}").status()).isEqualTo(422);
    assertThat(ground.create("admin", ALL, "", "PolicyReview", "{}").status()).isEqualTo(422);
    assertThat(ground.create("admin", ALL, "", "LocalPolicyReview", spec("a", "{}")).status())
        .isEqualTo(400);
    assertThat(
            ground
                .create(
                    "admin",
                    ALL,
                    "fieldValidation=Strict",
                    "PolicyReview",
                    "{\"policy\": {\"name\": \"a\", \"spec\": {}, \"labels\": {}}}")
                .status())
        .isEqualTo(400);
  }

  @Test
  void otherPathsAndMethods_areNotServed() {
    for (String method : List.of("GET", "PUT", "DELETE")) {
      assertThat(ground.send(method, ALL, "", Map.of(), "").status()).isEqualTo(405);
    }
    assertThat(ground.get("admin", in("team-a", "policyreviews")).status()).isEqualTo(404);
    assertThat(ground.get("admin", QueryApi.ROOT + "/localpolicyreviews").status()).isEqualTo(404);
    assertThat(ground.get("admin", ALL + "/one").status()).as("none is stored").isEqualTo(405);
  }
}
