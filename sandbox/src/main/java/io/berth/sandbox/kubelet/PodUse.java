package io.berth.sandbox.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.quantity.Amount;
import io.berth.sandbox.quantity.PodResources;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The resources of a node that a pod uses: host ports, and requests in the base unit of each
 * resource (CPU in thousandths of a core). Init containers, sidecars, overhead, and pod-level
 * resources count as in the scheduler.
 */
record PodUse(Map<String, Long> requests, List<HostPort> hostPorts) {

  /** A host port that a pod uses. */
  record HostPort(String ip, String protocol, int port) {
    boolean conflictsWith(HostPort other) {
      return port == other.port
          && protocol.equals(other.protocol)
          && (ip.equals(other.ip) || ip.equals("0.0.0.0") || other.ip.equals("0.0.0.0"));
    }
  }

  static PodUse of(JsonNode pod) {
    JsonNode spec = pod.path("spec");
    return new PodUse(inBaseUnits(PodResources.requests(spec)), ports(spec));
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

  static Map<String, Long> quantities(JsonNode list) {
    return inBaseUnits(PodResources.list(list));
  }

  /**
   * Converts quantities to the base unit of their resource, rounded up: thousandths of a core for
   * CPU.
   */
  private static Map<String, Long> inBaseUnits(Map<String, Amount> amounts) {
    Map<String, Long> values = new HashMap<>();
    amounts.forEach(
        (resource, amount) -> {
          BigDecimal value = amount.value();
          BigDecimal scaled = resource.equals("cpu") ? value.movePointRight(3) : value;
          values.put(resource, scaled.setScale(0, RoundingMode.CEILING).longValue());
        });
    return values;
  }
}
