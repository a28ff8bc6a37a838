package io.berth.sandbox.http;

import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The target of a request's path.
 *
 * @param type the resource
 * @param namespace empty for cluster-scoped resources and for lists across namespaces
 * @param name empty for a collection
 * @param subresource empty for the object itself
 */
record Target(ResourceType type, String namespace, String name, String subresource) {
  private static final Set<String> NAMESPACE_SUBRESOURCES = Set.of("status", "finalize");

  /** The namespace, or null for all of them, as the store takes it. */
  @Nullable String scope() {
    return type.namespaced() && !namespace.isEmpty() ? namespace : null;
  }

  /**
   * Finds the resource of {@code /api/v1/...} or {@code /apis/group/version/...}, or throws 404.
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
