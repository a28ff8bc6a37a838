package io.berth.operator.feed;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * The path at which the objects of one kind are listed and watched.
 *
 * @param resource the plural with its group, such as {@code replicasets.apps}
 * @param path the path of the collection, with a leading slash
 * @param selection selects among its objects: further parameters of the query, each with a leading
 *     ampersand; empty for all
 */
record KindPath<T extends HasMetadata>(
    Class<T> type, String resource, String path, String selection) {

  /** All objects of a kind, in all namespaces. */
  static <T extends HasMetadata> KindPath<T> everywhere(Class<T> type) {
    return new KindPath<>(type, resource(type), root(type) + "/" + HasMetadata.getPlural(type), "");
  }

  /** The objects of one namespace that a selector names. */
  static <T extends HasMetadata> KindPath<T> in(
      String namespace, Class<T> type, String labelSelector) {
    return new KindPath<>(
        type,
        resource(type),
        collection(namespace, type),
        "&labelSelector=" + encoded(labelSelector));
  }

  /** The object of one namespace that has a name; a watch of it needs no right to others. */
  static <T extends HasMetadata> KindPath<T> one(String namespace, Class<T> type, String name) {
    return new KindPath<>(
        type,
        resource(type),
        collection(namespace, type),
        "&fieldSelector=" + encoded("metadata.name=" + name));
  }

  /** All objects of a kind that Berth has no type for, in all namespaces. */
  static KindPath<GenericKubernetesResource> everywhere(
      String group, String version, String plural) {
    return new KindPath<>(
        GenericKubernetesResource.class,
        plural + "." + group,
        "/apis/" + group + "/" + version + "/" + plural,
        "");
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
