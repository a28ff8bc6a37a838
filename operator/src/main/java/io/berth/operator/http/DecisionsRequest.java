package io.berth.operator.http;

import java.util.Map;
import java.util.TreeMap;

/**
 * A request for a page of the latest decisions.
 *
 * @param namespace the namespace of the pods; empty for all
 * @param fields the selection by fields; empty for all
 * @param after the namespace and name after which the page begins; empty for the first page
 * @param version the version of the first page; empty for the first page
 * @param limit the maximum number of items
 */
public record DecisionsRequest(
    String namespace, String fields, String after, String version, int limit) {
  /** Returns the request in the query of a URL. */
  static DecisionsRequest of(QueryParameters query, int limit) {
    return new DecisionsRequest(
        query.first("namespace"),
        query.first("fields"),
        query.first("after"),
        query.first("version"),
        limit);
  }

  /** Returns the request as parameters. */
  public Map<String, String> parameters() {
    Map<String, String> all = new TreeMap<>();
    all.put("namespace", namespace);
    all.put("fields", fields);
    all.put("after", after);
    all.put("version", version);
    all.put("limit", String.valueOf(limit));
    return all;
  }
}
