package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.http.ChangesRequest;
import io.berth.operator.http.Explainer;
import io.berth.operator.http.FieldSelector;
import io.berth.operator.http.PublishedObjects;
import io.berth.operator.http.QueryParameters;
import io.berth.operator.record.ChangePage;
import io.berth.serving.http.HttpAnswer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * The objects of a resource that has no namespaces: those that the leader computes from its caches.
 * While no replica leads, those of this replica are listed; their versions are not the leader's.
 */
final class QueryableClusterObjects implements ObjectSource, PublishedObjects {
  private static final String NAME = "metadata.name";
  private static final List<String> FIELDS = List.of(NAME);

  private final QueryResource resource;
  private final ComputedObjects own;
  private final Explainer explainer;

  QueryableClusterObjects(QueryResource resource, ComputedObjects own, Explainer explainer) {
    this.resource = resource;
    this.own = own;
    this.explainer = explainer;
  }

  @Override
  public Collection<String> fields() {
    return FIELDS;
  }

  private static Predicate<ObjectNode> wanted(FieldSelector fields) {
    return object -> fields.matches(field -> object.at("/metadata/name").asText());
  }

  @Override
  public HttpAnswer list() {
    ComputedObjects.Snapshot now = own.now();
    ObjectNode list =
        JsonNodeFactory.instance.objectNode().put("version", String.valueOf(now.version()));
    list.putArray("items").addAll(now.objects());
    return new HttpAnswer(
        200, "application/json", list.toString().getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public HttpAnswer changes(ChangesRequest asked) {
    return ChangePage.of(
        own, wanted(FieldSelector.parse(asked.fields(), FIELDS)), asked.position());
  }

  @Override
  public ObjectNode list(
      String namespace, ListOptions options, QueryParameters query, boolean namesNodes)
      throws ApiException {
    HttpAnswer ofLeader = explainer.objects(resource.plural(), false);
    JsonNode found = Answers.json(ofLeader.status() == 200 ? ofLeader : list());
    ObjectNode list = QueryApi.object(resource.kind() + "List");
    list.putObject("metadata").put("resourceVersion", found.path("version").asText());
    ArrayNode items = list.putArray("items");
    Predicate<ObjectNode> wanted = wanted(options.fields());
    for (JsonNode object : found.path("items")) {
      if (wanted.test((ObjectNode) object)) {
        items.add(object);
      }
    }
    return list;
  }

  @Override
  public ObjectNode get(String namespace, String name, boolean namesNodes) throws ApiException {
    ListOptions options = ListOptions.read(resource, QueryParameters.of(""), FIELDS);
    for (JsonNode object :
        list(namespace, options, QueryParameters.of(""), namesNodes).path("items")) {
      if (object.at("/metadata/name").asText().equals(name)) {
        return (ObjectNode) object;
      }
    }
    throw new ApiException(
        404, "%s.%s \"%s\" not found".formatted(resource.plural(), QueryApi.GROUP, name));
  }

  @Override
  public HttpAnswer changes(String namespace, ListOptions options, String position) {
    return explainer.changes(
        new ChangesRequest(resource.plural(), "", options.fields().text(), position), false);
  }

  @Override
  public ObjectNode object(JsonNode changed, boolean namesNodes) {
    return changed.deepCopy();
  }
}
