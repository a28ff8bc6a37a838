package io.berth.operator.http;

import java.util.Map;
import java.util.TreeMap;

/**
 * A request for the next changes of a resource.
 *
 * @param resource its plural name
 * @param namespace the namespace of the objects; empty for all
 * @param fields the selection by fields; empty for all
 * @param position the position after which the changes begin: a version; empty for the objects that
 *     exist, and then their changes; or what the response before gave
 */
public record ChangesRequest(String resource, String namespace, String fields, String position) {
  /** The position at the latest version, without the objects that exist. */
  public static final String LATEST = "latest";

  /** Returns the request in the query of a URL. */
  static ChangesRequest of(QueryParameters query) {
    return new ChangesRequest(
        query.first("resource"),
        query.first("namespace"),
        query.first("fields"),
        query.first("position"));
  }

  /** Returns the request as parameters. */
  public Map<String, String> parameters() {
    Map<String, String> all = new TreeMap<>();
    all.put("resource", resource);
    all.put("namespace", namespace);
    all.put("fields", fields);
    all.put("position", position);
    return all;
  }

  /** Returns the same request for what comes after a position. */
  public ChangesRequest at(String next) {
    return new ChangesRequest(resource, namespace, fields, next);
  }
}
