package io.berth.operator.query;

import io.berth.operator.query.ResourceAccess.Action;
import io.berth.webhook.error.ObjectNames;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The target of a request for a resource.
 *
 * @param namespace empty for all namespaces, or for a cluster-scoped resource
 * @param name empty for all objects
 * @param node the node of the decision's subresource about one node; empty if it is not requested
 */
record RequestTarget(QueryResource resource, String namespace, String name, String node) {
  private static final String NAMESPACES = "namespaces";
  private static final int WITH_NODE = 4;

  /** Returns the target of a path below the version; empty if there is no such resource. */
  static Optional<RequestTarget> of(String path) {
    List<String> names = Arrays.asList(path.substring(QueryApi.ROOT.length() + 1).split("/", -1));
    String namespace = "";
    if (names.getFirst().equals(NAMESPACES)) {
      if (names.size() < 3 || !ObjectNames.isValid(names.get(1))) {
        return Optional.empty();
      }
      namespace = names.get(1);
      names = names.subList(2, names.size());
    }
    Optional<QueryResource> resource = QueryResource.of(names.getFirst());
    if (resource.isEmpty()) {
      return Optional.empty();
    }
    String node = "";
    if (names.size() == WITH_NODE
        && resource.get() == QueryResource.DECISIONS
        && names.get(2).equals(QueryResource.NODES)) {
      node = names.getLast();
      names = names.subList(0, 2);
      if (!ObjectNames.isValid(node)) {
        return Optional.empty();
      }
    }
    String name = names.size() > 1 ? names.get(1) : "";
    return names.size() <= 2 && isPossible(resource.get(), namespace, names, name)
        ? Optional.of(new RequestTarget(resource.get(), namespace, name, node))
        : Optional.empty();
  }

  private static boolean isPossible(
      QueryResource resource, String namespace, List<String> names, String name) {
    if (!resource.isNamespaced()) {
      return namespace.isEmpty() && (names.size() == 1 || !name.isEmpty());
    }
    if (names.size() > 1 && !ObjectNames.isValid(name)) {
      return false;
    }
    boolean isListOfAll = !resource.isReview() && names.size() == 1;
    return !namespace.isEmpty() || isListOfAll;
  }

  /** Returns whether it is one review, which cannot be read or changed because none is stored. */
  boolean isOneReview() {
    return resource.isReview() && !name.isEmpty();
  }

  /** Returns the only method that is possible. */
  String method() {
    return resource.isReview() ? "POST" : "GET";
  }

  /** Returns the action for which the user needs the right. */
  Action action() {
    String verb = resource.isReview() ? "create" : name.isEmpty() ? "list" : "get";
    String part = node.isEmpty() ? "" : "/" + QueryResource.NODES;
    return new Action(verb, QueryApi.GROUP, resource.plural() + part, namespace, name);
  }

  /** Returns the action of a list or watch, which may select one object by its name. */
  Action action(ListOptions options) {
    return new Action(
        options.watch() ? "watch" : "list",
        QueryApi.GROUP,
        resource.plural(),
        namespace,
        options.name());
  }
}
