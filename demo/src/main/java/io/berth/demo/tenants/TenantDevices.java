package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Random;

/**
 * The devices of nodes, as a driver publishes them: a slice for each node that has devices, whose
 * generation rises with each change. Devices have a model, and a group of links of two.
 */
final class TenantDevices {
  /** The extended resource that claims for devices serve. */
  static final String EXTENDED = "example.com/gpu";

  /** The class of all devices. */
  static final String CLASS = "gpu.example.com";

  static final List<String> MODELS = List.of("a100", "h100");

  private static final String API = "resource.k8s.io/v1";
  private static final String SLICE = "ResourceSlice";
  private static final String TAINT = CLASS + "/unhealthy";
  private static final int DEVICES_OF_A_LINK = 2;

  private final SharedCluster cluster;

  TenantDevices(SharedCluster cluster) {
    this.cluster = cluster;
  }

  /** Creates the class of all devices. */
  void begin() {
    ObjectNode deviceClass = object("DeviceClass", "", CLASS);
    ObjectNode spec = deviceClass.putObject("spec").put("extendedResourceName", EXTENDED);
    select(spec, "device.driver == '%s'".formatted(CLASS));
    cluster.create(deviceClass);
  }

  static ObjectNode object(String kind, String namespace, String name) {
    return KubeObjects.create(kind, namespace, name).put("apiVersion", API);
  }

  /** Adds a selector to a class or a request. */
  static void select(ObjectNode of, String expression) {
    of.withArray("selectors").addObject().putObject("cel").put("expression", expression);
  }

  private static ObjectKey sliceOf(String node) {
    return new ObjectKey(SLICE, "", node + "-devices");
  }

  /** Publishes 1 to 8 devices of a node. */
  void publish(String node, Random random) {
    ObjectNode slice = object(SLICE, "", sliceOf(node).name());
    ObjectNode spec = slice.putObject("spec").put("driver", CLASS).put("nodeName", node);
    spec.putObject("pool").put("name", node).put("generation", 1).put("resourceSliceCount", 1);
    spec.set("devices", devices(1 << random.nextInt(4), random));
    cluster.create(slice);
  }

  /** Withdraws the devices of a node that is deleted. */
  void withdraw(String node) {
    cluster.delete(sliceOf(node));
  }

  private static ArrayNode devices(int count, Random random) {
    ArrayNode devices = KubeObjects.create("", "", "").putArray("devices");
    String model = MODELS.get(random.nextInt(MODELS.size()));
    for (int i = 0; i < count; i++) {
      ObjectNode attributes = devices.addObject().put("name", "gpu-" + i).putObject("attributes");
      attributes.putObject("model").put("string", model);
      attributes.putObject("link").put("int", i / DEVICES_OF_A_LINK);
    }
    return devices;
  }

  /** Publishes other devices of a node, or taints one, or lets the driver leave and come back. */
  void change(Random random) {
    List<ObjectNode> nodes = cluster.all("Node");
    List<ObjectNode> slices = cluster.all(SLICE);
    int draw = random.nextInt(5);
    if (slices.isEmpty() || draw == 0) {
      if (!nodes.isEmpty()) {
        String node = ObjectKey.of(nodes.get(random.nextInt(nodes.size()))).name();
        if (cluster.find(sliceOf(node)).isEmpty()) {
          publish(node, random);
        }
      }
      return;
    }
    ObjectKey key = ObjectKey.of(slices.get(random.nextInt(slices.size())));
    switch (draw) {
      case 1 -> cluster.delete(key);
      case 2 -> cluster.change(key, slice -> replace(slice, random));
      case 3 -> cluster.change(key, slice -> taint(slice, random));
      default -> slices.forEach(each -> cluster.change(ObjectKey.of(each), TenantDevices::heal));
    }
  }

  private static void replace(ObjectNode slice, Random random) {
    raiseGeneration(slice);
    slice.withObject("/spec").set("devices", devices(1 << random.nextInt(4), random));
  }

  private static void taint(ObjectNode slice, Random random) {
    ArrayNode devices = (ArrayNode) slice.at("/spec/devices");
    ObjectNode device = (ObjectNode) devices.get(random.nextInt(devices.size()));
    device.putArray("taints").addObject().put("key", TAINT).put("effect", "NoSchedule");
    raiseGeneration(slice);
  }

  private static void heal(ObjectNode slice) {
    boolean healed = false;
    for (JsonNode device : slice.at("/spec/devices")) {
      healed |= ((ObjectNode) device).remove("taints") != null;
    }
    if (healed) {
      raiseGeneration(slice);
    }
  }

  private static void raiseGeneration(ObjectNode slice) {
    ObjectNode pool = slice.withObject("/spec/pool");
    pool.put("generation", pool.path("generation").asLong() + 1);
  }
}
