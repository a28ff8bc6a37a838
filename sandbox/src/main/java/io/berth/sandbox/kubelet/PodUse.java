package io.berth.sandbox.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.cel.QuantityValue;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a pod takes of its node: requests in a resource's base unit (cpu in thousandths), with init
 * containers, sidecars, overhead and pod-level resources counted as the scheduler counts them, and
 * host ports.
 */
record PodUse(Map<String, Long> requests, List<HostPort> hostPorts) {

  /** A port on the node that a pod takes. */
  record HostPort(String ip, String protocol, int port) {
    boolean conflictsWith(HostPort other) {
      return port == other.port
          && protocol.equals(other.protocol)
          && (ip.equals(other.ip) || ip.equals("0.0.0.0") || other.ip.equals("0.0.0.0"));
    }
  }

  static PodUse of(JsonNode pod) {
    JsonNode spec = pod.path("spec");
    Map<String, Long> running = new HashMap<>();
    for (JsonNode container : spec.path("containers")) {
      add(running, resources(container));
    }
    Map<String, Long> starting = new HashMap<>();
    Map<String, Long> sidecars = new HashMap<>();
    for (JsonNode container : spec.path("initContainers")) {
      Map<String, Long> own = resources(container);
      if (container.path("restartPolicy").asText("").equals("Always")) {
        add(running, own);
        add(sidecars, own);
        own = new HashMap<>(sidecars);
      } else {
        add(own, sidecars);
      }
      own.forEach((name, value) -> starting.merge(name, value, Math::max));
    }
    starting.forEach((name, value) -> running.merge(name, value, Math::max));
    running.putAll(resources(spec));
    add(running, quantities(spec.path("overhead")));
    return new PodUse(running, ports(spec));
  }

  private static List<HostPort> ports(JsonNode spec) {
    List<HostPort> ports = new ArrayList<>();
    for (String list : List.of("containers", "initContainers")) {
      for (JsonNode container : spec.path(list)) {
        boolean counts =
            list.equals("containers")
                || container.path("restartPolicy").asText("").equals("Always");
        for (JsonNode port : container.path("ports")) {
          if (counts && port.path("hostPort").asInt() > 0) {
            String ip = port.path("hostIP").asText("");
            ports.add(
                new HostPort(
                    ip.isEmpty() ? "0.0.0.0" : ip,
                    port.path("protocol").asText("TCP"),
                    port.path("hostPort").asInt()));
          }
        }
      }
    }
    return ports;
  }

  private static Map<String, Long> resources(JsonNode holder) {
    return quantities(holder.path("resources").path("requests"));
  }

  private static void add(Map<String, Long> sum, Map<String, Long> more) {
    more.forEach((name, value) -> sum.merge(name, value, Long::sum));
  }

  static Map<String, Long> quantities(JsonNode list) {
    Map<String, Long> values = new HashMap<>();
    list.properties()
        .forEach(entry -> values.put(entry.getKey(), amount(entry.getKey(), entry.getValue())));
    return values;
  }

  /** A quantity in the resource's base unit, rounded up: thousandths of a core for cpu. */
  static long amount(String resource, JsonNode quantity) {
    BigDecimal value = QuantityValue.parse(quantity.asText("")).orElse(BigDecimal.ZERO);
    BigDecimal scaled = resource.equals("cpu") ? value.movePointRight(3) : value;
    return scaled.setScale(0, RoundingMode.CEILING).longValue();
  }
}
