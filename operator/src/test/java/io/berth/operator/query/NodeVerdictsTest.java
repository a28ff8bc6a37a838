package io.berth.operator.query;

import static io.berth.operator.query.QueryGround.in;
import static io.berth.operator.query.QueryGround.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Requirement;
import io.berth.rules.label.LabelOperator;
import io.berth.serving.http.HttpAnswer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Verdicts about the two nodes of the cluster, of 4 CPUs each, for the pods {@code old} on n2 and
 * {@code secret} on n1, which request 3 CPUs each.
 */
class NodeVerdictsTest {
  private final QueryGround ground = new QueryGround();

  @AfterEach
  void stop() {
    ground.close();
  }

  private HttpAnswer get(String user, String pod, String node) {
    return ground.get(user, in("team-a", "decisions/" + pod + "/nodes/" + node));
  }

  private static JsonNode filter(JsonNode verdict, String plugin) {
    for (JsonNode filter : verdict.at("/status/filters")) {
      if (filter.path("plugin").asText().equals(plugin)) {
        return filter;
      }
    }
    throw new AssertionError(verdict.toPrettyString());
  }

  @Test
  void rejection_hasTheFiguresBehindIt() throws IOException {
    JsonNode verdict = json(get("admin", "old", "n1"));

    assertThat(verdict.path("kind").asText()).isEqualTo("NodeVerdict");
    assertThat(verdict.at("/status/result").asText()).isEqualTo("DoesNotFit");
    JsonNode fit = filter(verdict, "NodeResourcesFit");
    assertThat(fit.path("passes").asBoolean()).isFalse();
    assertThat(fit.path("message").asText()).isEqualTo("Insufficient cpu");
    assertThat(fit.path("figures").asText()).startsWith("asks for 3 cpu, 1 of 4 are free");
    assertThat(fit.at("/resources/0/free").asText()).isEqualTo("1");
    assertThat(filter(verdict, "TaintToleration").path("passes").asBoolean()).isTrue();
    assertThat(verdict.at("/status/winner").asText()).isEqualTo("n2");
    assertThat(verdict.at("/status/scores/0").has("winnerRaw")).isTrue();
    assertThat(verdict.at("/status/scores/0").has("raw"))
        .as("of a node that does not fit")
        .isFalse();
  }

  @Test
  void requiredNodeAffinity_hasWhatTheNodeHasInstead() throws IOException {
    NodeTerm zone =
        new NodeTerm(
            List.of(new Requirement("zone", LabelOperator.IN, List.of("a", "b"))),
            List.of(),
            false);
    NodeTerm other =
        new NodeTerm(
            List.of(new Requirement("disk", LabelOperator.EXISTS, List.of())),
            List.of(new Requirement("metadata.name", LabelOperator.IN, List.of("n2"))),
            false);
    ground.know(
        new ClusterEvent.PodUpserted(
            Pods.pod("picky")
                .namespace("team-a")
                .nodes(
                    new NodeSelection(
                        Map.of("arch", "arm"), Optional.of(List.of(zone, other)), List.of()))
                .build()));

    JsonNode affinity = filter(json(get("admin", "picky", "n1")), "NodeAffinity");

    assertThat(affinity.path("passes").asBoolean()).isFalse();
    assertThat(affinity.path("figures").asText())
        .isEqualTo(
            "requires arch=arm, the node has no such label; requires zone in (a, b), the node has"
                + " no such label, or requires disk with any value, the node has no such label and"
                + " requires metadata.name in (n2), the node has n1");
  }

  @Test
  void nodeThatFits_hasItsScores_besideThoseOfTheBest() throws IOException {
    JsonNode verdict = json(get("admin", "old", "n2"));

    assertThat(verdict.at("/status/result").asText()).isEqualTo("Fits");
    assertThat(verdict.at("/status/message").asText()).contains("the best score of 1");
    assertThat(verdict.at("/status/score")).isEqualTo(verdict.at("/status/winnerScore"));
  }

  @Test
  void userWhoMayNotListNodes_seesThePodsOwnNodeAlone() throws IOException {
    JsonNode own = json(get("tenant", "old", "n2"));

    assertThat(own.at("/status/result").asText()).isEqualTo("Fits");
    assertThat(own.toString()).doesNotContain("n1", "secret", "team-b");
    assertThat(get("tenant", "old", "n1").status()).isEqualTo(403);
    assertThat(get("tenant", "old", "none").status()).as("whether there is one").isEqualTo(403);
    assertThat(ground.get("tenant", in("team-b", "decisions/secret/nodes/n1")).status())
        .isEqualTo(403);
  }

  @Test
  void rightIsThatOfTheSubresource() {
    get("admin", "old", "n1");

    assertThat(ground.asked().getFirst().getSpec().getResourceAttributes())
        .satisfies(
            asked -> {
              assertThat(asked.getResource()).isEqualTo("decisions");
              assertThat(asked.getSubresource()).isEqualTo("nodes");
              assertThat(asked.getVerb()).isEqualTo("get");
              assertThat(asked.getName()).isEqualTo("old");
            });
  }

  @Test
  void unknownPodsNodesAndPaths_areNotFound() {
    assertThat(get("admin", "nobody", "n1").status()).isEqualTo(404);
    assertThat(get("admin", "old", "n9").status()).isEqualTo(404);
    assertThat(ground.get("admin", in("team-a", "decisions/old/nodes")).status()).isEqualTo(404);
    assertThat(ground.get("admin", in("team-a", "decisions/old/pods/n1")).status()).isEqualTo(404);
  }

  @Test
  void text_isForPeople() {
    HttpAnswer answer =
        ground.send(
            "GET",
            in("team-a", "decisions/old/nodes/n1"),
            "output=text",
            Map.of("x-remote-user", "admin"),
            "");

    assertThat(new String(answer.body(), StandardCharsets.UTF_8))
        .contains("Result    DoesNotFit: 1 of ")
        .contains("rejects  NodeResourcesFit             Insufficient cpu: asks for 3 cpu")
        .contains("passes   TaintToleration\n")
        .contains("the best one, n2");
  }
}
