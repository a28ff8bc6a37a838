package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Random;

/** The nodes that come, go, close, and change. */
final class TenantNodes {
  /** The annotation with a node's GPU cards. */
  private static final String CARDS = "gpu.sched.cloud.ctrip.com/inventory";

  private static final int MEMORY_OF_A_CARD = 40_960;

  /** The taint of nodes on which nothing starts that does not tolerate it. */
  private static final String TAINT = "simulation/closed";

  private static final String UNREACHABLE = "node.kubernetes.io/unreachable";

  private final SharedCluster cluster;
  private final TenantLimits limits;
  private final TenantDevices devices;

  TenantNodes(SharedCluster cluster, TenantLimits limits, TenantDevices devices) {
    this.cluster = cluster;
    this.limits = limits;
    this.devices = devices;
  }

  /** Creates a node; every third one has GPU cards, and every third one devices. */
  void create(String name, Random random) {
    ObjectNode node = KubeObjects.create("Node", "", name);
    node.withObject("/metadata/labels")
        .put(TenantPods.HOST, name)
        .put(TenantPods.ZONE, "zone-" + random.nextInt(3));
    node.withObject("/spec");
    ObjectNode allocatable = node.withObject("/status/allocatable");
    allocatable.put("cpu", String.valueOf(random.nextInt(4, 65)));
    allocatable.put("memory", random.nextInt(16, 257) + "Gi").put("pods", "4000");
    node.withObject("/status").set("capacity", allocatable.deepCopy());
    ObjectNode ready = JsonNodeFactory.instance.objectNode();
    ready.put("type", "Ready").put("status", "True");
    KubeObjects.setCondition(node, ready);
    if (random.nextInt(3) == 0) {
      describeCards(node, random);
    }
    cluster.create(node);
    if (limits.claims() && random.nextInt(3) == 0) {
      devices.publish(name, random);
    }
  }

  /** Gives a node 1 to 8 cards in link groups of four, of which one may be broken. */
  private static void describeCards(ObjectNode node, Random random) {
    ArrayNode cards = JsonNodeFactory.instance.arrayNode();
    int count = 1 << random.nextInt(4);
    int broken = random.nextInt(12);
    for (int i = 0; i < count; i++) {
      ObjectNode card = cards.addObject().put("index", i).put("memory", MEMORY_OF_A_CARD);
      card.put("model", "A100").put("numa", i / 4).put("link", i < 4 ? "a" : "b");
      card.put("healthy", i != broken);
    }
    node.withObject("/metadata/annotations").put(CARDS, cards.toString());
    for (String list : List.of("/status/capacity", "/status/allocatable")) {
      node.withObject(list)
          .put("gpu.sched.cloud.ctrip.com/milli-gpu", String.valueOf(count * 1_000))
          .put("gpu.sched.cloud.ctrip.com/memory-mib", String.valueOf(count * MEMORY_OF_A_CARD));
    }
  }

  /** Returns the allocatable CPU of all nodes. */
  int cpuMillis() {
    return cluster.all("Node").stream()
        .mapToInt(node -> 1_000 * node.at("/status/allocatable/cpu").asInt())
        .sum();
  }

  /** Changes a node, adds or removes one, or opens all. */
  void change(int number, Random random) {
    List<ObjectNode> nodes = cluster.all("Node");
    int draw = random.nextInt(12);
    if (nodes.size() < 3 || (draw < 3 && nodes.size() < limits.nodes())) {
      create(Tenants.NODE_PREFIX + (100 + number), random);
      return;
    }
    ObjectKey key = ObjectKey.of(nodes.get(random.nextInt(nodes.size())));
    switch (draw) {
      case 3 -> {
        cluster.delete(key);
        devices.withdraw(key.name());
      }
      case 4, 5 -> cluster.change(key, node -> node.withObject("/spec").put("unschedulable", true));
      case 6 -> cluster.change(key, TenantNodes::taint);
      case 11 -> cluster.change(key, TenantNodes::die);
      case 10 -> cluster.change(key, node -> changeCards(node, random));
      case 7 ->
          cluster.change(
              key,
              node ->
                  node.withObject("/status/allocatable")
                      .put("cpu", String.valueOf(random.nextInt(4, 65))));
      default -> nodes.forEach(node -> cluster.change(ObjectKey.of(node), TenantNodes::open));
    }
  }

  private static void taint(ObjectNode node) {
    taint(node, TAINT);
  }

  private static void taint(ObjectNode node, String key) {
    node.withObject("/spec")
        .putArray("taints")
        .addObject()
        .put("key", key)
        .put("effect", "NoSchedule");
  }

  /** The kubelet does not answer any more, and the node is tainted as the node controller does. */
  private static void die(ObjectNode node) {
    node.withObject("/metadata/annotations").put(Tenants.DEAD, "true");
    taint(node, UNREACHABLE);
  }

  private static void open(ObjectNode node) {
    node.withObject("/spec").remove(List.of("unschedulable", "taints"));
    node.withObject("/metadata/annotations").remove(Tenants.DEAD);
  }

  private static void changeCards(ObjectNode node, Random random) {
    if (node.at("/metadata/annotations").has(CARDS)) {
      describeCards(node, random);
    }
  }
}
