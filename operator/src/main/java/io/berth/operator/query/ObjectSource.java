package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.http.QueryParameters;
import io.berth.serving.http.HttpAnswer;
import java.util.Collection;

/** The objects of one resource that can be read. */
interface ObjectSource {

  /** Returns the fields by which they can be selected. */
  Collection<String> fields();

  /**
   * Returns a list.
   *
   * @param namespace empty for all namespaces
   * @param namesNodes whether the user may see the names of nodes
   */
  ObjectNode list(String namespace, ListOptions options, QueryParameters query, boolean namesNodes)
      throws ApiException;

  /** Returns one object. */
  ObjectNode get(String namespace, String name, boolean namesNodes) throws ApiException;

  /** Returns the changes after a position, as of {@link io.berth.operator.http.Explainer}. */
  HttpAnswer changes(String namespace, ListOptions options, String position);

  /** Returns the object of a change, as far as the user may see it. */
  ObjectNode object(JsonNode changed, boolean namesNodes);
}
