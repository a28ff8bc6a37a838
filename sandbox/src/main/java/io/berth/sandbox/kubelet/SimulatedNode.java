package io.berth.sandbox.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.store.Json;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Creation and status of simulated Node objects, as a kubelet registers and reports them. */
public final class SimulatedNode {
  private record Reported(String status, String reason) {}

  /** The conditions that a kubelet reports, in the kubelet's order. */
  private static final Map<String, Reported> REPORTED = reported();

  private SimulatedNode() {}

  private static Map<String, Reported> reported() {
    Map<String, Reported> conditions = new LinkedHashMap<>();
    conditions.put("MemoryPressure", new Reported("False", "KubeletHasSufficientMemory"));
    conditions.put("DiskPressure", new Reported("False", "KubeletHasNoDiskPressure"));
    conditions.put("PIDPressure", new Reported("False", "KubeletHasSufficientPID"));
    conditions.put("Ready", new Reported("True", "KubeletReady"));
    return Collections.unmodifiableMap(conditions);
  }

  /**
   * The properties of a simulated node.
   *
   * @param name the node's name and hostname
   * @param pool value of the label {@code cloud.ctrip.com/pool}
   * @param zone value of the label {@code topology.kubernetes.io/zone}
   * @param resources capacity and allocatable by resource name, including cpu, memory, and pods
   * @param labels additional labels
   */
  public record Shape(
      String name,
      String pool,
      String zone,
      Map<String, String> resources,
      Map<String, String> labels) {
    public Shape {
      resources = Map.copyOf(resources);
      labels = Map.copyOf(labels);
    }
  }

  /** Returns the Node object to create. Once created, the kubelets report it as ready. */
  public static ObjectNode of(Shape shape) {
    ObjectNode node = Json.object();
    node.put("apiVersion", "v1").put("kind", "Node");
    ObjectNode metadata = node.putObject("metadata").put("name", shape.name);
    ObjectNode labels = metadata.putObject("labels");
    labels
        .put("beta.kubernetes.io/arch", "amd64")
        .put("beta.kubernetes.io/os", "linux")
        .put("kubernetes.io/arch", "amd64")
        .put("kubernetes.io/hostname", shape.name)
        .put("kubernetes.io/os", "linux");
    if (!shape.pool.isEmpty()) {
      labels.put("cloud.ctrip.com/pool", shape.pool);
    }
    if (!shape.zone.isEmpty()) {
      labels.put("topology.kubernetes.io/region", "sandbox");
      labels.put("topology.kubernetes.io/zone", shape.zone);
    }
    shape.labels.forEach(labels::put);
    node.putObject("spec");
    ObjectNode status = node.putObject("status");
    for (String list : new String[] {"capacity", "allocatable"}) {
      ObjectNode resources = status.putObject(list);
      shape.resources.forEach(resources::put);
    }
    return node;
  }

  /**
   * Adds the status that a kubelet reports for a new node, in place. Fields that are already set
   * are kept.
   *
   * @param release the kubelet version to report
   * @return whether the node was changed
   */
  static boolean report(ObjectNode node, int number, String now, String release) {
    ObjectNode status = node.withObject("status");
    boolean changed = false;
    if (status.path("capacity").isEmpty()) {
      JsonNode allocatable = status.path("allocatable");
      ObjectNode capacity = status.putObject("capacity");
      if (allocatable instanceof ObjectNode given && !given.isEmpty()) {
        capacity.setAll(given);
      } else {
        capacity.put("cpu", "8").put("memory", "32Gi").put("pods", "110");
        capacity.put("ephemeral-storage", "100Gi");
      }
      changed = true;
    }
    if (status.path("allocatable").isEmpty()) {
      status.set("allocatable", status.path("capacity").deepCopy());
      changed = true;
    }
    if (status.path("conditions").isEmpty()) {
      REPORTED.forEach(
          (type, reported) -> condition(status, type, reported.status, reported.reason, now));
      changed = true;
    }
    if (status.path("addresses").isEmpty()) {
      var addresses = status.putArray("addresses");
      addresses.addObject().put("address", address(number)).put("type", "InternalIP");
      addresses
          .addObject()
          .put("address", node.path("metadata").path("name").asText())
          .put("type", "Hostname");
      changed = true;
    }
    if (status.path("nodeInfo").path("kubeletVersion").asText("").isEmpty()) {
      ObjectNode info = status.putObject("nodeInfo");
      info.put("architecture", "amd64").put("operatingSystem", "linux");
      info.put("bootID", "").put("machineID", "").put("systemUUID", "");
      info.put("containerRuntimeVersion", "sandbox://1.0.0").put("kernelVersion", "6.0.0");
      info.put("kubeProxyVersion", "").put("kubeletVersion", release);
      info.put("osImage", "Berth sandbox");
      changed = true;
    }
    return changed;
  }

  /**
   * Updates allocatable from the capacity, in place: a new resource becomes fully allocatable, and
   * an extended resource that was removed from the capacity is removed. Other resources are left
   * unchanged.
   *
   * @return whether the node was changed
   */
  static boolean followCapacity(ObjectNode node) {
    if (!lagsBehindCapacity(node)) {
      return false;
    }
    JsonNode capacity = node.path("status").path("capacity");
    ObjectNode allocatable = (ObjectNode) node.path("status").path("allocatable");
    for (var resource : capacity.properties()) {
      if (!allocatable.has(resource.getKey())) {
        allocatable.set(resource.getKey(), resource.getValue());
      }
    }
    allocatable
        .properties()
        .removeIf(each -> each.getKey().contains("/") && !capacity.has(each.getKey()));
    return true;
  }

  /** Returns whether {@link #followCapacity} would change a node that has allocatable resources. */
  static boolean lagsBehindCapacity(JsonNode node) {
    JsonNode capacity = node.path("status").path("capacity");
    JsonNode allocatable = node.path("status").path("allocatable");
    return allocatable.isObject()
        && (capacity.properties().stream().anyMatch(each -> !allocatable.has(each.getKey()))
            || allocatable.properties().stream()
                .anyMatch(each -> each.getKey().contains("/") && !capacity.has(each.getKey())));
  }

  /**
   * Updates the heartbeat times of the conditions that a kubelet reports, in place. Conditions that
   * are Unknown are set to healthy again.
   */
  static boolean beat(ObjectNode node, String now) {
    boolean beaten = false;
    for (JsonNode each : node.path("status").path("conditions")) {
      if (each instanceof ObjectNode condition
          && REPORTED.containsKey(condition.path("type").asText())) {
        Reported reported = REPORTED.get(condition.path("type").asText());
        if (condition.path("status").asText().equals("Unknown")) {
          condition
              .put("status", reported.status)
              .put("reason", reported.reason)
              .put("message", "kubelet is simulated: " + reported.reason)
              .put("lastTransitionTime", now);
        }
        condition.put("lastHeartbeatTime", now);
        beaten = true;
      }
    }
    return beaten;
  }

  static String address(int number) {
    return "10." + (128 + (number >> 16) % 64) + "." + ((number >> 8) & 255) + "." + (number & 255);
  }

  private static void condition(
      ObjectNode status, String type, String value, String reason, String now) {
    status
        .withArray("conditions")
        .addObject()
        .put("lastHeartbeatTime", now)
        .put("lastTransitionTime", now)
        .put("message", "kubelet is simulated: " + reason)
        .put("reason", reason)
        .put("status", value)
        .put("type", type);
  }
}
