package io.berth.engine.kube;

import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.quantity.ExactQuantity;
import java.util.HashMap;
import java.util.Map;

/** Converts exact quantities to the engine's units, for the resources that it counts. */
final class Amounts {
  private static final int MAX_EXTENDED_PREFIX = 253 - "requests.".length();
  private static final int MAX_EXTENDED_NAME = 63;

  private Amounts() {}

  /** Returns the amounts of a pod: all counted resources except {@code pods}. */
  static ResourceAmounts ofPod(Map<String, ExactQuantity> quantities) {
    Map<String, Long> amounts = HashMap.newHashMap(quantities.size());
    quantities.forEach(
        (name, quantity) -> {
          if (!name.equals(ResourceAmounts.PODS) && isCounted(name)) {
            amounts.put(name, rounded(name, quantity));
          }
        });
    return ResourceAmounts.of(amounts);
  }

  /** Returns the allocatable amounts of a node. */
  static ResourceAmounts ofNode(Map<String, ExactQuantity> quantities) {
    Map<String, Long> amounts = HashMap.newHashMap(quantities.size());
    quantities.forEach(
        (name, quantity) -> {
          if (isCounted(name)) {
            amounts.put(name, rounded(name, quantity));
          }
        });
    return ResourceAmounts.of(amounts);
  }

  static long rounded(String name, ExactQuantity quantity) {
    return name.equals(ResourceAmounts.CPU) ? quantity.millis() : quantity.units();
  }

  /**
   * Returns whether a resource is compared between pods and nodes: the four native ones, huge
   * pages, attachable volumes, extended resources ({@code example.com/gpu}), and others with {@code
   * kubernetes.io/} in their names. Other names ("cores", "requests.x/y") are not node resources.
   */
  static boolean isCounted(String name) {
    return switch (name) {
      case ResourceAmounts.CPU,
          ResourceAmounts.MEMORY,
          ResourceAmounts.EPHEMERAL_STORAGE,
          ResourceAmounts.PODS ->
          true;
      default ->
          name.startsWith("hugepages-")
              || name.startsWith("attachable-volumes-")
              || name.contains("kubernetes.io/")
              || isExtended(name);
    };
  }

  private static boolean isExtended(String name) {
    int slash = name.indexOf('/');
    if (slash <= 0 || name.startsWith("requests.")) {
      return false;
    }
    return slash <= MAX_EXTENDED_PREFIX
        && isDomain(name, slash)
        && name.length() - slash - 1 > 0
        && name.length() - slash - 1 <= MAX_EXTENDED_NAME
        && Labels.isValue(name.substring(slash + 1));
  }

  private static boolean isDomain(String name, int end) {
    char before = '.';
    for (int i = 0; i < end; i++) {
      char c = name.charAt(i);
      boolean alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
      boolean separator = c == '-' || c == '.';
      if (!alphanumeric && !(separator && before != '.' && !(c == '.' && before == '-'))) {
        return false;
      }
      before = c;
    }
    return before != '.' && before != '-';
  }
}
