package io.berth.sandbox.auth;

/**
 * The attributes of a request that the authorizer decides on.
 *
 * @param verb the API verb, for example {@code list}, or {@code get} for a path
 * @param group the API group, empty for core
 * @param resource the plural resource name; empty for a non-resource path
 * @param subresource the subresource; empty for the object itself
 * @param namespace the namespace; empty for all namespaces or cluster scope
 * @param name the object's name; empty if the request names none
 * @param path the URL path of a non-resource request; otherwise empty
 */
public record Access(
    String verb,
    String group,
    String resource,
    String subresource,
    String namespace,
    String name,
    String path) {

  /** Returns an access to a non-resource path. */
  public static Access toPath(String verb, String path) {
    return new Access(verb, "", "", "", "", "", path);
  }

  /**
   * Returns the resource and subresource as RBAC rules name them, for example {@code pods/binding}.
   */
  public String fullResource() {
    return subresource.isEmpty() ? resource : resource + "/" + subresource;
  }
}
