package io.berth.engine.kube;

import io.berth.engine.model.ResourceAmounts;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads ElasticQuotas of scheduler-plugins ({@code scheduling.x-k8s.io/v1alpha1}) and of
 * Koordinator ({@code scheduling.sigs.k8s.io/v1alpha1}).
 */
final class ElasticQuotas {
  private static final String KOORDINATOR = "quota.scheduling.koordinator.sh/";
  private static final String ROOT = "koordinator-root-quota";
  private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"");
  private static final Pattern WEIGHT =
      Pattern.compile("\"?([A-Za-z0-9./-]+)\"?\\s*:\\s*\"?([^\",}\\s]+)");
  private static final int MOST_NAMESPACES = 1_000;

  private ElasticQuotas() {}

  private static void readAmounts(QueueFields quota) {
    Map<?, ?> spec = quota.spec();
    quota.guarantee = quota.amounts(JsonMaps.mapIn(spec, "min"), "spec.min");
    quota.limit = quota.amounts(JsonMaps.mapIn(spec, "max"), "spec.max");
  }

  /** Reads a quota of scheduler-plugins, which is that of its namespace. */
  static void readOfNamespace(String namespace, QueueFields quota) {
    readAmounts(quota);
    quota.namespaces = Set.of(namespace);
  }

  /** Reads a quota of Koordinator. */
  static void readKoordinator(String namespace, String name, QueueFields quota) {
    readAmounts(quota);
    String parent = quota.labels().getOrDefault(KOORDINATOR + "parent", "");
    quota.partOf(parent.isEmpty() && !name.equals(ROOT) ? ROOT : parent);
    quota.namespaces = namespaces(namespace, name, quota);
    readWeight(quota);
    if ("false".equals(quota.labels().get(KOORDINATOR + "allow-lent-resource"))) {
      quota.notKept(
          "label " + KOORDINATOR + "allow-lent-resource: false",
          "others borrow spec.min while it is not used");
    }
    String tree = quota.labels().getOrDefault(KOORDINATOR + "tree-id", "");
    if (!tree.isEmpty()) {
      quota.notKept(
          "label " + KOORDINATOR + "tree-id: " + tree, "all quotas share all nodes of the cluster");
    }
  }

  private static Set<String> namespaces(String namespace, String name, QueueFields quota) {
    Set<String> namespaces = new HashSet<>();
    if (namespace.equals(name)) {
      namespaces.add(namespace);
    }
    Matcher quoted =
        QUOTED.matcher(quota.annotations().getOrDefault(KOORDINATOR + "namespaces", ""));
    while (quoted.find() && namespaces.size() < MOST_NAMESPACES) {
      namespaces.add(quoted.group(1));
    }
    return namespaces;
  }

  /**
   * Sets the weight: the CPU cores of the shared weight, or of the maximum, which is Koordinator's
   * default.
   */
  private static void readWeight(QueueFields quota) {
    String shared = quota.annotations().getOrDefault(KOORDINATOR + "shared-weight", "");
    if (shared.isEmpty()) {
      quota.weight = quota.limit.amountOf(ResourceAmounts.CPU) / 1000;
      return;
    }
    Matcher entry = WEIGHT.matcher(shared);
    int entries = 0;
    while (entry.find()) {
      entries++;
      if (entry.group(1).equals(ResourceAmounts.CPU)) {
        quota.weight =
            Quantities.read(entry.group(2), "annotation " + KOORDINATOR + "shared-weight").units();
      }
    }
    if (entries > 1) {
      quota.notKept(
          "annotation " + KOORDINATOR + "shared-weight by resource",
          "that of cpu, %d, counts for all resources".formatted(quota.weight));
    }
  }
}
