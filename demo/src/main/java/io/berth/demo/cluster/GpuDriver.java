package io.berth.demo.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A simulated driver for dynamic resource allocation: it publishes GPU cards of each node as
 * ResourceSlices, with the attributes of NVIDIA's driver, and creates the DeviceClasses. Cards do
 * not exist, so containers see none.
 *
 * <p>A quarter of a node's cards, rounded down, can be divided into MIG partitions; a quarter can
 * be shared by consumable capacity; the others are whole. Whole cards are in NVLink groups of two,
 * named by the attribute {@value #NVLINK_GROUP}.
 */
public final class GpuDriver implements AutoCloseable {
  /** The largest number of cards of a node. */
  public static final int MOST_CARDS = 16;

  private static final Logger LOG = LoggerFactory.getLogger(GpuDriver.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final String DRIVER = "gpu.nvidia.com";
  private static final String NVLINK_GROUP = "topology.example.com/nvlinkGroup";
  private static final String RESOURCE_API = "resource.k8s.io/v1";
  private static final int MEMORY_SLICES = 8;
  private static final int MULTIPROCESSORS = 132;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** The label of all objects that this driver creates. */
  private static final String LABEL = "berth.io/simulated-driver";

  private final KubernetesClient client;
  private final int cards;
  private final Predicate<Node> served;
  private final SharedIndexInformer<Node> nodes;
  private final Set<String> published = new HashSet<>();
  private final Repeated rounds;

  /** A MIG profile: how much of a card a partition has, and at which memory slices it can start. */
  private record Profile(
      String name, int memoryGib, int memorySlices, int multiprocessors, List<Integer> starts) {}

  private static final List<Profile> PROFILES =
      List.of(
          new Profile("1g.10gb", 10, 1, 16, List.of(0, 1, 2, 3, 4, 5, 6)),
          new Profile("3g.40gb", 40, 4, 60, List.of(0, 4)));

  private GpuDriver(KubernetesClient client, int cards, Predicate<Node> served) {
    this.client = client;
    this.cards = cards;
    this.served = served;
    this.nodes = client.nodes().inform();
    this.rounds = new Repeated("gpu-driver", INTERVAL, this::round);
  }

  /**
   * Creates the DeviceClasses, and publishes the cards of all present and future nodes until it is
   * closed.
   *
   * @param cards the number of cards of each node, from 1 to {@link #MOST_CARDS}
   */
  public static GpuDriver start(KubernetesClient client, int cards) {
    return start(client, cards, node -> true);
  }

  /** Starts a driver for some of the nodes. */
  public static GpuDriver start(KubernetesClient client, int cards, Predicate<Node> served) {
    return new GpuDriver(client, cards, served);
  }

  /** Deletes what simulated drivers have created. */
  public static void remove(KubernetesClient client) {
    for (String kind : List.of("ResourceSlice", "DeviceClass")) {
      client.genericKubernetesResources(RESOURCE_API, kind).withLabel(LABEL).delete();
    }
  }

  /** Publishes the cards of new nodes; after an error, the next round tries again. */
  private void round() {
    try {
      if (published.isEmpty()) {
        deviceClasses().forEach(this::create);
      }
      for (Node node : nodes.getStore().list()) {
        if (served.test(node) && !published.contains(node.getMetadata().getUid())) {
          slices(node).forEach(this::publish);
          published.add(node.getMetadata().getUid());
        }
      }
    } catch (KubernetesClientException e) {
      LOG.warn("GPU cards could not be published: {}; trying again", e.getMessage());
    }
  }

  private static List<ObjectNode> deviceClasses() {
    ObjectNode whole = deviceClass("gpu.nvidia.com", "gpu");
    ((ObjectNode) whole.path("spec")).put("extendedResourceName", "nvidia.com/gpu");
    return List.of(
        whole,
        deviceClass("mig.nvidia.com", "mig"),
        deviceClass("shared-gpu.example.com", "shared-gpu"));
  }

  private static ObjectNode deviceClass(String name, String type) {
    ObjectNode json = object("DeviceClass", name);
    json.putObject("spec")
        .putArray("selectors")
        .addObject()
        .putObject("cel")
        .put(
            "expression",
            "device.driver == '%s' && device.attributes['%s'].type == '%s'"
                .formatted(DRIVER, DRIVER, type));
    return json;
  }

  /** Publishes a slice, in place of one of an earlier node with the same name. */
  private void publish(ObjectNode slice) {
    client.resource(slice.toString()).createOr(NonDeletingOperation::update);
  }

  /** Creates a class; keeps one of this name that exists, which may be changed by users. */
  private void create(ObjectNode object) {
    try {
      client.resource(object.toString()).create();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
    }
  }

  private List<ObjectNode> slices(Node node) {
    int partitioned = cards / 4;
    int shared = cards / 4;
    int whole = cards - partitioned - shared;
    ArrayNode unpartitioned = JSON.arrayNode();
    for (int card = 0; card < whole; card++) {
      attribute(wholeCard(unpartitioned.addObject(), card), NVLINK_GROUP, card / 2);
    }
    for (int card = whole + partitioned; card < cards; card++) {
      sharedCard(unpartitioned.addObject(), card);
    }
    List<ObjectNode> contents = new ArrayList<>();
    contents.add(JSON.objectNode().set("devices", unpartitioned));
    if (partitioned > 0) {
      ArrayNode counters = JSON.arrayNode();
      for (int card = whole; card < whole + partitioned; card++) {
        counters.add(counterSet(card));
        contents.add(JSON.objectNode().set("devices", partitions(card)));
      }
      contents.add(JSON.objectNode().set("sharedCounters", counters));
    }
    List<ObjectNode> slices = new ArrayList<>();
    for (ObjectNode content : contents) {
      slices.add(slice(node, slices.size(), contents.size(), content));
    }
    return slices;
  }

  private static ObjectNode slice(Node node, int number, int count, ObjectNode content) {
    String nodeName = node.getMetadata().getName();
    ObjectNode json = object("ResourceSlice", nodeName + "-" + DRIVER + "-" + number);
    json.withObject("/metadata")
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", "v1")
        .put("kind", "Node")
        .put("name", nodeName)
        .put("uid", node.getMetadata().getUid());
    ObjectNode spec = json.putObject("spec").put("driver", DRIVER).put("nodeName", nodeName);
    spec.putObject("pool")
        .put("name", nodeName)
        .put("generation", 1)
        .put("resourceSliceCount", count);
    spec.setAll(content);
    return json;
  }

  private static ObjectNode wholeCard(ObjectNode device, int card) {
    device.put("name", "gpu-" + card);
    describe(device, card, "gpu");
    capacity(device, "memory", "80Gi");
    return device;
  }

  private static void sharedCard(ObjectNode device, int card) {
    device.put("name", "gpu-" + card).put("allowMultipleAllocations", true);
    describe(device, card, "shared-gpu");
    ObjectNode policy = capacity(device, "memory", "80Gi").putObject("requestPolicy");
    policy.put("default", "80Gi").putObject("validRange").put("min", "1Gi").put("step", "1Gi");
  }

  private static void describe(ObjectNode device, int card, String type) {
    ObjectNode attributes = device.putObject("attributes");
    attributes.putObject("type").put("string", type);
    attributes.putObject("productName").put("string", "NVIDIA H100 80GB HBM3");
    attributes.putObject("architecture").put("string", "Hopper");
    attributes.putObject("cudaComputeCapability").put("version", "9.0.0");
    attributes.putObject("index").put("int", card);
    attributes.putObject("resource.kubernetes.io/pcieRoot").put("string", "pci0000:" + card);
  }

  private static void attribute(ObjectNode device, String name, int value) {
    device.withObject("/attributes").putObject(name).put("int", value);
  }

  private static ObjectNode capacity(ObjectNode device, String name, String value) {
    return device.withObject("/capacity").putObject(name).put("value", value);
  }

  private static ObjectNode counterSet(int card) {
    ObjectNode set = JSON.objectNode().put("name", counterSetName(card));
    ObjectNode counters = set.putObject("counters");
    for (int slice = 0; slice < MEMORY_SLICES; slice++) {
      count(counters, "memory-slice-" + slice, 1);
    }
    count(counters, "multiprocessors", MULTIPROCESSORS);
    return set;
  }

  private static String counterSetName(int card) {
    return "gpu-" + card + "-counters";
  }

  private static void count(ObjectNode counters, String name, int value) {
    counters.putObject(name).put("value", Integer.toString(value));
  }

  /** Returns a card as one device, and each of its possible partitions as another. */
  private static ArrayNode partitions(int card) {
    ArrayNode devices = JSON.arrayNode();
    consumes(wholeCard(devices.addObject(), card), card, 0, MEMORY_SLICES, MULTIPROCESSORS);
    for (Profile profile : PROFILES) {
      for (int start : profile.starts()) {
        ObjectNode device = devices.addObject();
        device.put(
            "name", "gpu-%d-mig-%s-%d".formatted(card, profile.name().replace('.', '-'), start));
        describe(device, card, "mig");
        device.withObject("/attributes").putObject("profile").put("string", profile.name());
        capacity(device, "memory", profile.memoryGib() + "Gi");
        consumes(device, card, start, profile.memorySlices(), profile.multiprocessors());
      }
    }
    return devices;
  }

  private static void consumes(
      ObjectNode device, int card, int start, int memorySlices, int multiprocessors) {
    ObjectNode consumed =
        device.putArray("consumesCounters").addObject().put("counterSet", counterSetName(card));
    ObjectNode counters = consumed.putObject("counters");
    for (int slice = start; slice < start + memorySlices; slice++) {
      count(counters, "memory-slice-" + slice, 1);
    }
    count(counters, "multiprocessors", multiprocessors);
  }

  private static ObjectNode object(String kind, String name) {
    ObjectNode json = JSON.objectNode().put("apiVersion", RESOURCE_API).put("kind", kind);
    json.putObject("metadata").put("name", name).putObject("labels").put(LABEL, "gpu");
    return json;
  }

  @Override
  public void close() {
    rounds.close();
    nodes.close();
  }
}
