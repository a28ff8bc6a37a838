package io.berth.demo.simulation;

import io.berth.demo.tenants.ObjectKey;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a path of the API.
 *
 * @param group empty for the core API
 * @param namespace empty for a kind without namespaces
 * @param name empty for all objects of the resource
 * @param subresource the part after the name; empty if there is none
 * @param query the part after the question mark; empty if there is none
 */
record ApiPath(
    String group,
    String namespace,
    String resource,
    String name,
    String subresource,
    String query) {

  static ApiPath of(String path) {
    String[] ends = path.split("\\?", 2);
    String[] parts = ends[0].split("/");
    boolean core = part(parts, 1).equals("api");
    int at = core ? 3 : 4; // /api/VERSION/ or /apis/GROUP/VERSION/
    boolean namespaced = part(parts, at).equals("namespaces") && !part(parts, at + 2).isEmpty();
    int resource = namespaced ? at + 2 : at;
    return new ApiPath(
        core ? "" : part(parts, 2),
        namespaced ? part(parts, at + 1) : "",
        part(parts, resource),
        part(parts, resource + 1),
        part(parts, resource + 2),
        part(ends, 1));
  }

  private static String part(String[] parts, int index) {
    return index < parts.length ? parts[index] : "";
  }

  /** Returns the pod of this path; null if it is of no pod. */
  @Nullable ObjectKey pod() {
    return resource.equals("pods") && !name.isEmpty() ? ObjectKey.pod(namespace, name) : null;
  }
}
