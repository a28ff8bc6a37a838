package io.berth.sandbox.discovery;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** The API discovery documents, in the aggregated and the unaggregated format. */
public final class Discovery {
  private static final int HASH_BYTES = 8;

  private static final List<String> CONNECT = List.of("create", "get");
  private static final Map<String, SubresourceKind> SUBRESOURCES =
      Map.of(
          "attach", new SubresourceKind("", "v1", "PodAttachOptions", CONNECT),
          "binding", new SubresourceKind("", "v1", "Binding", List.of("create")),
          "eviction", new SubresourceKind("policy", "v1", "Eviction", List.of("create")),
          "exec", new SubresourceKind("", "v1", "PodExecOptions", CONNECT),
          "portforward", new SubresourceKind("", "v1", "PodPortForwardOptions", CONNECT),
          "proxy",
              new SubresourceKind(
                  "",
                  "v1",
                  "PodProxyOptions",
                  List.of("create", "delete", "get", "patch", "update")),
          "log", new SubresourceKind("", "v1", "Pod", List.of("get")),
          "token",
              new SubresourceKind("authentication.k8s.io", "v1", "TokenRequest", List.of("create")),
          "finalize", new SubresourceKind("", "v1", "Namespace", List.of("update")),
          "scale",
              new SubresourceKind("autoscaling", "v1", "Scale", List.of("get", "patch", "update")));

  private final ResourceRegistry registry;

  /**
   * Creates discovery over a registry. Each document reflects the registry's content at the time of
   * the call.
   */
  public Discovery(ResourceRegistry registry) {
    this.registry = registry;
  }

  private record SubresourceKind(String group, String version, String kind, List<String> verbs) {}

  /** Returns the resources by group and version, with versions in order of preference. */
  private Map<String, Map<String, Collection<ResourceType>>> groups() {
    Map<String, Map<String, Collection<ResourceType>>> groups = new LinkedHashMap<>();
    for (ResourceType type : registry.all()) {
      groups
          .computeIfAbsent(type.group(), group -> new TreeMap<>(VersionOrder.INSTANCE))
          .computeIfAbsent(type.version(), version -> new ArrayList<>())
          .add(type);
    }
    return groups;
  }

  /** {@code /api} in the unaggregated format. */
  public ObjectNode apiVersions(String address) {
    ObjectNode document = Json.object().put("kind", "APIVersions");
    document.putArray("versions").add("v1");
    document
        .putArray("serverAddressByClientCIDRs")
        .addObject()
        .put("clientCIDR", "0.0.0.0/0")
        .put("serverAddress", address);
    return document;
  }

  /** {@code /apis} in the unaggregated format. */
  public ObjectNode apiGroups() {
    ObjectNode document = Json.object().put("kind", "APIGroupList").put("apiVersion", "v1");
    ArrayNode list = document.putArray("groups");
    groups()
        .forEach(
            (group, versions) -> {
              if (!group.isEmpty()) {
                list.add(group(group, versions.keySet()));
              }
            });
    return document;
  }

  /** {@code /apis/<group>}; empty if the group does not exist. */
  public Optional<ObjectNode> apiGroup(String name) {
    Map<String, Collection<ResourceType>> versions = groups().get(name);
    return versions == null || name.isEmpty()
        ? Optional.empty()
        : Optional.of(
            group(name, versions.keySet()).put("kind", "APIGroup").put("apiVersion", "v1"));
  }

  private static ObjectNode group(String name, Collection<String> versions) {
    ObjectNode group = Json.object().put("name", name);
    ArrayNode list = group.putArray("versions");
    for (String version : versions) {
      list.addObject().put("groupVersion", name + "/" + version).put("version", version);
    }
    group.set("preferredVersion", list.get(0).deepCopy());
    return group;
  }

  /** {@code /api/v1} or {@code /apis/<group>/<version>}; empty if the version does not exist. */
  public Optional<ObjectNode> apiResources(String group, String version) {
    Collection<ResourceType> types = groups().getOrDefault(group, Map.of()).get(version);
    if (types == null) {
      return Optional.empty();
    }
    ObjectNode document =
        Json.object()
            .put("kind", "APIResourceList")
            .put("apiVersion", "v1")
            .put("groupVersion", group.isEmpty() ? version : group + "/" + version);
    ArrayNode list = document.putArray("resources");
    for (ResourceType type : types) {
      ObjectNode resource =
          list.addObject()
              .put("name", type.plural())
              .put("singularName", type.singular())
              .put("namespaced", type.namespaced())
              .put("kind", type.kind());
      addTexts(resource, "verbs", new TreeSet<>(type.verbs()));
      addTexts(resource, "shortNames", type.shortNames());
      addTexts(resource, "categories", type.categories());
      resource.put("storageVersionHash", storageVersionHash(type));
      for (String subresource : new TreeSet<>(type.subresources())) {
        SubresourceKind kind = kindOf(type, subresource);
        ObjectNode entry =
            list.addObject()
                .put("name", type.plural() + "/" + subresource)
                .put("singularName", "")
                .put("namespaced", type.namespaced())
                .put("kind", kind.kind());
        if (!kind.group().equals(type.group())) {
          entry.put("group", kind.group()).put("version", kind.version());
        }
        addTexts(entry, "verbs", kind.verbs());
      }
    }
    return Optional.of(document);
  }

  /** Returns a hash that changes when the storage version of the resource changes. */
  private static String storageVersionHash(ResourceType type) {
    String stored = type.group() + "/" + type.version() + "/" + type.kind();
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(stored.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(Arrays.copyOf(hash, HASH_BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static SubresourceKind kindOf(ResourceType type, String subresource) {
    return SUBRESOURCES.getOrDefault(
        subresource,
        new SubresourceKind(
            type.group(), type.version(), type.kind(), List.of("get", "patch", "update")));
  }

  private static void addTexts(ObjectNode to, String field, Collection<String> texts) {
    if (!texts.isEmpty()) {
      ArrayNode list = to.putArray(field);
      texts.forEach(list::add);
    }
  }

  /**
   * {@code /api} or {@code /apis} in the aggregated format.
   *
   * @param core true for the core group, false for all other groups
   * @param version {@code v2} or {@code v2beta1}
   */
  public ObjectNode aggregated(boolean core, String version) {
    ObjectNode document =
        Json.object()
            .put("kind", "APIGroupDiscoveryList")
            .put("apiVersion", "apidiscovery.k8s.io/" + version);
    document.putObject("metadata");
    ArrayNode items = document.putArray("items");
    groups()
        .forEach(
            (group, versions) -> {
              if (group.isEmpty() == core) {
                ObjectNode item = items.addObject();
                ObjectNode metadata = item.putObject("metadata");
                if (!core) {
                  metadata.put("name", group);
                }
                ArrayNode list = item.putArray("versions");
                versions.forEach((name, types) -> list.add(version(name, types)));
              }
            });
    return document;
  }

  private static ObjectNode version(String name, Collection<ResourceType> types) {
    ObjectNode version = Json.object().put("version", name);
    ArrayNode resources = version.putArray("resources");
    for (ResourceType type : types) {
      ObjectNode resource = resources.addObject().put("resource", type.plural());
      resource.set("responseKind", kind(type.group(), type.version(), type.kind()));
      resource
          .put("scope", type.namespaced() ? "Namespaced" : "Cluster")
          .put("singularResource", type.singular());
      addTexts(resource, "verbs", new TreeSet<>(type.verbs()));
      addTexts(resource, "shortNames", type.shortNames());
      addTexts(resource, "categories", type.categories());
      for (String subresource : new TreeSet<>(type.subresources())) {
        SubresourceKind kind = kindOf(type, subresource);
        ObjectNode entry =
            resource.withArrayProperty("subresources").addObject().put("subresource", subresource);
        entry.set("responseKind", kind(kind.group(), kind.version(), kind.kind()));
        addTexts(entry, "verbs", kind.verbs());
      }
    }
    return version.put("freshness", "Current");
  }

  private static ObjectNode kind(String group, String version, String kind) {
    return Json.object().put("group", group).put("version", version).put("kind", kind);
  }
}
