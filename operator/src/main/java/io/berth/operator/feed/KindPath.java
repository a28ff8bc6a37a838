package io.berth.operator.feed;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/**
 * The path at which the objects of one resource are listed and watched.
 *
 * @param resource the plural with its group, such as {@code replicasets.apps}
 * @param path the path of the collection, with a leading slash
 * @param selection the selector, as query parameters with a leading ampersand each; empty for all
 *     objects
 */
record KindPath<T extends HasMetadata>(
    Class<T> type, String resource, String path, String selection) {

  /** Returns the path of all objects of a type, in all namespaces. */
  static <T extends HasMetadata> KindPath<T> everywhere(Class<T> type) {
    return new KindPath<>(type, resource(type), root(type) + "/" + HasMetadata.getPlural(type), "");
  }

  /** Returns the path of the objects in one namespace that match a label selector. */
  static <T extends HasMetadata> KindPath<T> in(
      String namespace, Class<T> type, String labelSelector) {
    return new KindPath<>(
        type,
        resource(type),
        collection(namespace, type),
        "&labelSelector=" + encoded(labelSelector));
  }

  /**
   * Returns the path of one object by name; a watch of it needs no permission for other objects.
   */
  static <T extends HasMetadata> KindPath<T> one(String namespace, Class<T> type, String name) {
    return new KindPath<>(
        type,
        resource(type),
        collection(namespace, type),
        "&fieldSelector=" + encoded("metadata.name=" + name));
  }

  /**
   * Returns the path of all objects of a resource without a Java type in Berth, in all namespaces.
   *
   * @param resource its name in logs and metrics
   */
  static KindPath<GenericKubernetesResource> everywhere(
      String group, String version, String plural, String resource) {
    return new KindPath<>(
        GenericKubernetesResource.class,
        resource,
        "/apis/" + group + "/" + version + "/" + plural,
        "");
  }

  /** Returns whether an object is one of this resource. */
  boolean holds(HasMetadata object) {
    return type.isInstance(object)
        && (type != GenericKubernetesResource.class
            || path.equals("/apis/" + object.getApiVersion() + "/" + plural(object)));
  }

  /** Returns the plural of the kind, which is regular for all kinds without a Java type. */
  private static String plural(HasMetadata object) {
    return object.getKind().toLowerCase(Locale.ROOT) + "s";
  }

  String page(long limit, String continuation) {
    return path
        + "?limit="
        + limit
        + (continuation.isEmpty() ? "" : "&continue=" + encoded(continuation))
        + selection;
  }

  String watch(String resourceVersion, Duration lasting) {
    return path
        + "?watch=true&allowWatchBookmarks=true&resourceVersion="
        + encoded(resourceVersion)
        + "&timeoutSeconds="
        + Math.max(1, lasting.toSeconds())
        + selection;
  }

  private static String collection(String namespace, Class<? extends HasMetadata> type) {
    return root(type) + "/namespaces/" + namespace + "/" + HasMetadata.getPlural(type);
  }

  private static String resource(Class<? extends HasMetadata> type) {
    return HasMetadata.getFullResourceName(type);
  }

  private static String root(Class<? extends HasMetadata> type) {
    String group = HasMetadata.getGroup(type);
    String version = HasMetadata.getVersion(type);
    return group.isEmpty() ? "/api/" + version : "/apis/" + group + "/" + version;
  }

  private static String encoded(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8);
  }
}
