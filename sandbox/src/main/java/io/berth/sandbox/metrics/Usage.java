package io.berth.sandbox.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.quantity.Amount;
import io.berth.sandbox.store.Json;
import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * A usage of CPU and memory.
 *
 * @param milliCpu CPU in thousandths of a core
 * @param memoryBytes memory in bytes
 */
public record Usage(long milliCpu, long memoryBytes) {
  /**
   * Annotation with the CPU usage of a pod or node, as a quantity. It replaces the simulated usage.
   */
  public static final String CPU = "sandbox.berth.io/usage-cpu";

  /**
   * Annotation with the memory usage of a pod or node, as a quantity. It replaces the simulated
   * usage.
   */
  public static final String MEMORY = "sandbox.berth.io/usage-memory";

  private static final Usage NODE_ITSELF = new Usage(50, 256L << 20);

  Usage plus(Usage other) {
    return new Usage(milliCpu + other.milliCpu, memoryBytes + other.memoryBytes);
  }

  ObjectNode toJson() {
    return Json.object().put("cpu", milliCpu + "m").put("memory", (memoryBytes >> 10) + "Ki");
  }

  /**
   * Returns the usage of a container in a running pod: half of its requests, or an equal share of
   * the usage in the pod's annotations.
   */
  static Usage ofContainer(JsonNode pod, JsonNode container) {
    JsonNode annotations = pod.path("metadata").path("annotations");
    int containers = Math.max(1, pod.path("spec").path("containers").size());
    JsonNode requests = container.path("resources").path("requests");
    long cpu =
        annotations.has(CPU)
            ? milli(annotations.path(CPU)) / containers
            : milli(requests.path("cpu")) / 2;
    long memory =
        annotations.has(MEMORY)
            ? whole(annotations.path(MEMORY)) / containers
            : whole(requests.path("memory")) / 2;
    return new Usage(cpu, memory);
  }

  static Usage ofPod(JsonNode pod) {
    Usage sum = new Usage(0, 0);
    for (JsonNode container : pod.path("spec").path("containers")) {
      sum = sum.plus(ofContainer(pod, container));
    }
    return sum;
  }

  /**
   * Returns the usage of a node: that of its pods plus a fixed amount for the node itself, unless
   * its annotations set it.
   */
  static Usage ofNode(JsonNode node, Usage pods) {
    Usage sum = NODE_ITSELF.plus(pods);
    JsonNode annotations = node.path("metadata").path("annotations");
    return new Usage(
        annotations.has(CPU) ? milli(annotations.path(CPU)) : sum.milliCpu,
        annotations.has(MEMORY) ? whole(annotations.path(MEMORY)) : sum.memoryBytes);
  }

  private static long milli(JsonNode quantity) {
    return number(quantity).movePointRight(3).setScale(0, RoundingMode.CEILING).longValue();
  }

  private static long whole(JsonNode quantity) {
    return number(quantity).setScale(0, RoundingMode.CEILING).longValue();
  }

  private static BigDecimal number(JsonNode quantity) {
    return Amount.read(quantity).orElse(Amount.ZERO).value();
  }
}
