package io.berth.sandbox.auth;

/**
 * A request to the authorizer.
 *
 * @param verb for instance {@code list}, or {@code get} for a path
 * @param group the API group, empty for core
 * @param resource the plural name; empty if this is about a path
 * @param subresource empty for the object itself
 * @param namespace empty for all namespaces or cluster scope
 * @param name empty if no object is named
 * @param path the URL's path if this is not about a resource
 */
public record Access(
    String verb,
    String group,
    String resource,
    String subresource,
    String namespace,
    String name,
    String path) {

  /** Access to a path that is no resource. */
  public static Access toPath(String verb, String path) {
    return new Access(verb, "", "", "", "", "", path);
  }

  /** Resource and subresource as rules name them. */
  public String fullResource() {
    return subresource.isEmpty() ? resource : resource + "/" + subresource;
  }
}
