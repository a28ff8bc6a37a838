package io.berth.sandbox.http;

import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The resource addressed by a request path.
 *
 * @param type the resource type
 * @param namespace the namespace; empty for cluster-scoped resources and for lists across
 *     namespaces
 * @param name the object's name; empty for a collection
 * @param subresource the subresource; empty for the object itself
 */
record Target(ResourceType type, String namespace, String name, String subresource) {
  private static final Set<String> NAMESPACE_SUBRESOURCES = Set.of("status", "finalize");

  /** The namespace to list in the store, or null for all namespaces. */
  @Nullable String scope() {
    return type.namespaced() && !namespace.isEmpty() ? namespace : null;
  }

  /**
   * Parses a path of the form {@code /api/v1/...} or {@code /apis/<group>/<version>/...}.
   *
   * @throws io.berth.sandbox.failure.ApiException 404 if no such resource is served
   */
  static Target of(ResourceRegistry registry, List<String> path) {
    boolean core = path.getFirst().equals("api");
    int at = core ? 2 : 3;
    if (path.size() <= at) {
      throw Failures.noSuchPath();
    }
    String group = core ? "" : path.get(1);
    String version = path.get(at - 1);
    List<String> rest = path.subList(at, path.size());
    String namespace = "";
    boolean inNamespace =
        rest.getFirst().equals("namespaces")
            && rest.size() > 2
            && !(core && rest.size() == 3 && NAMESPACE_SUBRESOURCES.contains(rest.get(2)));
    if (inNamespace) {
      namespace = rest.get(1);
      rest = rest.subList(2, rest.size());
    }
    ResourceType type =
        registry.find(group, version, rest.getFirst()).orElseThrow(Failures::noSuchPath);
    if (rest.size() > 3 || (type.namespaced() != inNamespace && (inNamespace || rest.size() > 1))) {
      throw Failures.noSuchPath();
    }
    String subresource = rest.size() > 2 ? rest.get(2) : "";
    if (!subresource.isEmpty() && !type.subresources().contains(subresource)) {
      throw Failures.noSuchPath();
    }
    return new Target(type, namespace, rest.size() > 1 ? rest.get(1) : "", subresource);
  }
}
