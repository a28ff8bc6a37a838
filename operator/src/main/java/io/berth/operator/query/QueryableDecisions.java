package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.feed.FedPod;
import io.berth.operator.http.ChangesRequest;
import io.berth.operator.http.DecisionsRequest;
import io.berth.operator.http.Explainer;
import io.berth.operator.http.QueryParameters;
import io.berth.operator.record.DecisionFields;
import io.berth.serving.http.HttpAnswer;
import java.util.Collection;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** The latest decisions of the leader. */
final class QueryableDecisions implements ObjectSource {
  /** The most decisions in one response, also if the client asks for more. */
  private static final int MOST = 2_000;

  private final Explainer explainer;
  private final BiFunction<String, String, Optional<FedPod>> pods;
  private final Predicate<String> isNode;

  /**
   * @param pods returns a cached pod by its namespace and name
   * @param isNode whether there is a node of this name
   */
  QueryableDecisions(
      Explainer explainer,
      BiFunction<String, String, Optional<FedPod>> pods,
      Predicate<String> isNode) {
    this.explainer = explainer;
    this.pods = pods;
    this.isNode = isNode;
  }

  @Override
  public Collection<String> fields() {
    return DecisionFields.NAMES;
  }

  /** Returns a page; its token for the next one has the version of the first, and a name. */
  @Override
  public ObjectNode list(
      String namespace, ListOptions options, QueryParameters query, boolean namesNodes)
      throws ApiException {
    int limit = Math.min(MOST, query.number("limit").orElse(MOST));
    String[] token = query.first("continue").split("/", 2);
    if (token.length < 2 && !token[0].isEmpty()) {
      throw new ApiException(
          400, "continue \"%s\" is not valid; give that of the page before".formatted(token[0]));
    }
    JsonNode page =
        Answers.json(
            explainer.decisions(
                new DecisionsRequest(
                    namespace,
                    options.fields().text(),
                    token.length > 1 ? token[1] : "",
                    token[0],
                    limit),
                false));
    String version = page.path("version").asText();
    if (version.isEmpty() && !options.fields().isEmpty()) {
      throw new ApiException(
          503, "the leader is of an older release, which cannot select by fields; try again later");
    }
    DecisionObjects writer = new DecisionObjects(namesNodes, pods, isNode);
    ObjectNode list = QueryApi.object("DecisionList");
    ObjectNode metadata = list.putObject("metadata").put("resourceVersion", version);
    ArrayNode items = list.putArray("items");
    String last = "";
    for (JsonNode explained : page.path("items")) {
      items.add(writer.of(explained));
      last = explained.path("namespace").asText() + "/" + explained.path("pod").asText();
    }
    if (page.path("remaining").asInt() > 0) {
      metadata
          .put("continue", version + "/" + last)
          .put("remainingItemCount", page.path("remaining").asInt());
    }
    return list;
  }

  @Override
  public ObjectNode get(String namespace, String name, boolean namesNodes) throws ApiException {
    return new DecisionObjects(namesNodes, pods, isNode)
        .of(Answers.json(explainer.explain(namespace, name, true, false)));
  }

  @Override
  public HttpAnswer changes(String namespace, ListOptions options, String position) {
    return explainer.changes(
        new ChangesRequest(
            QueryResource.DECISIONS.plural(), namespace, options.fields().text(), position),
        false);
  }

  @Override
  public ObjectNode object(JsonNode changed, boolean namesNodes) {
    return new DecisionObjects(namesNodes, pods, isNode).of(changed);
  }
}
