package io.berth.sandbox.store;

/**
 * The key of an object within its resource. Keys are ordered by namespace, then by name, which is
 * the order of lists.
 *
 * @param namespace the namespace; empty for cluster-scoped objects
 * @param name the object's name
 */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {

  /** Returns the key of a cluster-scoped object. */
  public static ObjectKey clusterScoped(String name) {
    return new ObjectKey("", name);
  }

  @Override
  public int compareTo(ObjectKey other) {
    int byNamespace = namespace.compareTo(other.namespace);
    return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
  }

  @Override
  public String toString() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }
}
