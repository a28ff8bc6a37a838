package io.berth.sandbox.quantity;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The total requests and limits of a pod. Init containers, sidecars, pod-level resources, and
 * overhead count as in the scheduler and in ResourceQuotas.
 */
public final class PodResources {
  private PodResources() {}

  /** Returns the requests of a pod spec by resource name. */
  public static Map<String, Amount> requests(JsonNode spec) {
    return of(spec, "requests");
  }

  /**
   * Returns the limits of a pod spec by resource name. Overhead is added only to resources that
   * have a limit.
   */
  public static Map<String, Amount> limits(JsonNode spec) {
    return of(spec, "limits");
  }

  /** Parses a map of resource names to quantities. Invalid quantities are omitted. */
  public static Map<String, Amount> list(JsonNode quantities) {
    Map<String, Amount> amounts = new LinkedHashMap<>();
    quantities
        .properties()
        .forEach(
            entry ->
                Amount.read(entry.getValue())
                    .ifPresent(amount -> amounts.put(entry.getKey(), amount)));
    return amounts;
  }

  private static Map<String, Amount> of(JsonNode spec, String kind) {
    Map<String, Amount> running = new LinkedHashMap<>();
    for (JsonNode container : spec.path("containers")) {
      add(running, own(container, kind));
    }
    Map<String, Amount> starting = new LinkedHashMap<>();
    Map<String, Amount> sidecars = new LinkedHashMap<>();
    for (JsonNode container : spec.path("initContainers")) {
      Map<String, Amount> own = own(container, kind);
      if (container.path("restartPolicy").asText("").equals("Always")) {
        add(running, own);
        add(sidecars, own);
        own = new LinkedHashMap<>(sidecars);
      } else {
        add(own, sidecars);
      }
      own.forEach((name, amount) -> starting.merge(name, amount, Amount::max));
    }
    starting.forEach((name, amount) -> running.merge(name, amount, Amount::max));
    running.putAll(own(spec, kind));
    list(spec.path("overhead"))
        .forEach(
            (name, amount) -> {
              if (kind.equals("requests") || running.containsKey(name)) {
                running.merge(name, amount, Amount::plus);
              }
            });
    return running;
  }

  private static Map<String, Amount> own(JsonNode holder, String kind) {
    return list(holder.path("resources").path(kind));
  }

  private static void add(Map<String, Amount> sum, Map<String, Amount> more) {
    more.forEach((name, amount) -> sum.merge(name, amount, Amount::plus));
  }
}
