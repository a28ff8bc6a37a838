package io.berth.sandbox.resource;

import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.Storage;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A resource in one version, as listed by discovery.
 *
 * @param group the API group, empty for core
 * @param version the API version, for example {@code v1}
 * @param kind the kind, for example {@code Pod}
 * @param plural the plural name, for example {@code pods}
 * @param singular the singular name, for example {@code pod}
 * @param namespaced whether its objects are namespaced
 * @param shortNames short names, for example {@code po}
 * @param categories categories, for example {@code all}
 * @param subresources subresources, for example {@code status} and {@code binding}
 * @param verbs supported verbs, as in discovery
 * @param storage the storage of its objects, shared by all versions of the resource
 * @param custom whether it is defined by a CustomResourceDefinition
 */
public record ResourceType(
    String group,
    String version,
    String kind,
    String plural,
    String singular,
    boolean namespaced,
    List<String> shortNames,
    List<String> categories,
    Set<String> subresources,
    Set<String> verbs,
    Storage storage,
    boolean custom) {

  /** Returns the group and version, for example {@code v1} or {@code apps/v1}. */
  public String apiVersion() {
    return group.isEmpty() ? version : group + "/" + version;
  }

  /**
   * Returns the name with its group as in error messages, for example {@code pods} or {@code
   * deployments.apps}.
   */
  public String qualified() {
    return group.isEmpty() ? plural : plural + "." + group;
  }

  /** Returns the kind of its lists. */
  public String listKind() {
    return kind + "List";
  }

  /** Returns whether this resource has the given group and plural name. */
  public boolean is(String otherGroup, String otherPlural) {
    return group.equals(otherGroup) && plural.equals(otherPlural);
  }

  /** Returns the key of an object. The namespace is ignored for cluster-scoped resources. */
  public ObjectKey key(@Nullable String namespace, String name) {
    return new ObjectKey(namespaced && namespace != null ? namespace : "", name);
  }
}
