package io.berth.sandbox.quota;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.quantity.Amount;
import io.berth.sandbox.quantity.PodResources;
import io.berth.sandbox.resource.ResourceType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The usage of an object that counts toward ResourceQuotas, by quota resource name. */
public final class QuotaUsage {
  private static final Amount ONE = Amount.of(1);
  private static final Set<String> COUNTED =
      Set.of(
          "services",
          "secrets",
          "configmaps",
          "persistentvolumeclaims",
          "replicationcontrollers",
          "resourcequotas");
  private static final Set<String> NATIVE = Set.of("cpu", "memory", "ephemeral-storage");
  private static final Set<String> OVER = Set.of("Succeeded", "Failed");

  private QuotaUsage() {}

  /**
   * Returns the usage of an object that counts toward a quota; empty if the quota's scopes do not
   * select the object.
   */
  public static Map<String, Amount> counted(
      JsonNode quotaSpec, ResourceType type, JsonNode object) {
    boolean pod = type.is("", "pods");
    if (QuotaScopes.hasScopes(quotaSpec) && (!pod || !QuotaScopes.cover(quotaSpec, object))) {
      return Map.of();
    }
    return of(type, object);
  }

  /** Returns the usage of an object. */
  static Map<String, Amount> of(ResourceType type, JsonNode object) {
    Map<String, Amount> usage = new HashMap<>();
    usage.put("count/" + type.qualified(), ONE);
    if (type.is("", "pods")) {
      pod(object, usage);
    } else if (COUNTED.contains(type.qualified())) {
      usage.put(type.qualified(), ONE);
    }
    if (type.is("", "services")) {
      service(object.path("spec"), usage);
    } else if (type.is("", "persistentvolumeclaims")) {
      claim(object.path("spec"), usage);
    }
    return usage;
  }

  private static void pod(JsonNode pod, Map<String, Amount> usage) {
    if (OVER.contains(pod.path("status").path("phase").asText())) {
      return;
    }
    usage.put("pods", ONE);
    PodResources.requests(pod.path("spec"))
        .forEach(
            (name, amount) -> {
              usage.put("requests." + name, amount);
              if (NATIVE.contains(name) || name.startsWith("hugepages-")) {
                usage.put(name, amount);
              }
            });
    PodResources.limits(pod.path("spec"))
        .forEach((name, amount) -> usage.put("limits." + name, amount));
  }

  private static void service(JsonNode spec, Map<String, Amount> usage) {
    String type = spec.path("type").asText();
    int ports = spec.path("ports").size();
    if (type.equals("LoadBalancer")) {
      usage.put("services.loadbalancers", ONE);
    }
    if (type.equals("NodePort")
        || (type.equals("LoadBalancer")
            && spec.path("allocateLoadBalancerNodePorts").asBoolean(true))) {
      usage.put("services.nodeports", Amount.of(ports));
    }
  }

  private static void claim(JsonNode spec, Map<String, Amount> usage) {
    String prefix = spec.path("storageClassName").asText("");
    String ofClass = prefix + ".storageclass.storage.k8s.io/";
    if (!prefix.isEmpty()) {
      usage.put(ofClass + "persistentvolumeclaims", ONE);
    }
    Amount storage =
        PodResources.list(spec.path("resources").path("requests"))
            .getOrDefault("storage", Amount.ZERO);
    usage.put("requests.storage", storage);
    if (!prefix.isEmpty()) {
      usage.put(ofClass + "requests.storage", storage);
    }
  }

  /**
   * Returns the compute resources that a quota limits but that containers of the pod do not
   * specify, in the format of the error message: {@code limits.cpu for: a,b; requests.memory for:
   * a}. Empty if nothing is missing.
   */
  public static String missing(JsonNode quotaSpec, JsonNode pod) {
    List<String> missing = new ArrayList<>();
    for (String name :
        new TreeSet<>(quotaSpec.path("hard").propertyStream().map(Map.Entry::getKey).toList())) {
      String resource = name.replaceFirst("^(requests|limits)\\.", "");
      if (!resource.equals("cpu") && !resource.equals("memory")) {
        continue;
      }
      String kind = name.startsWith("limits.") ? "limits" : "requests";
      List<String> containers = new ArrayList<>();
      for (String list : List.of("initContainers", "containers")) {
        for (JsonNode container : pod.path("spec").path(list)) {
          if (!container.path("resources").path(kind).has(resource)) {
            containers.add(container.path("name").asText());
          }
        }
      }
      if (!containers.isEmpty() && !pod.path("spec").path("resources").path(kind).has(resource)) {
        missing.add(name + " for: " + String.join(",", containers));
      }
    }
    return String.join("; ", missing);
  }
}
