package io.berth.sandbox.resource;

import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.Storage;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One resource in one version, as discovery lists it.
 *
 * @param group the API group, empty for core
 * @param version for instance {@code v1}
 * @param kind for instance {@code Pod}
 * @param plural for instance {@code pods}
 * @param singular for instance {@code pod}
 * @param namespaced whether its objects live in namespaces
 * @param shortNames for instance {@code po}
 * @param categories for instance {@code all}
 * @param subresources for instance {@code status}, {@code binding}
 * @param verbs what may be done with it, as discovery says it
 * @param storage where its objects are kept; versions of one resource share it
 * @param custom whether a CustomResourceDefinition made it
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

  /** {@code v1} or {@code apps/v1}. */
  public String apiVersion() {
    return group.isEmpty() ? version : group + "/" + version;
  }

  /** {@code pods} or {@code deployments.apps}, as failures name it. */
  public String qualified() {
    return group.isEmpty() ? plural : plural + "." + group;
  }

  /** The kind of its lists. */
  public String listKind() {
    return kind + "List";
  }

  /** Returns whether this is the built-in resource of this group and plural name. */
  public boolean is(String otherGroup, String otherPlural) {
    return group.equals(otherGroup) && plural.equals(otherPlural);
  }

  /** The key of one of its objects; the namespace is left out for cluster-scoped resources. */
  public ObjectKey key(@Nullable String namespace, String name) {
    return new ObjectKey(namespaced && namespace != null ? namespace : "", name);
  }
}
