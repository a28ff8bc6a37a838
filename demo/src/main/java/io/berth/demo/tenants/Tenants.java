package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import java.util.List;
import java.util.Random;

/**
 * The users of the simulated cluster. Each step is drawn from the seed and the number of the step
 * alone, so that the other steps stay the same if one is left out.
 */
public final class Tenants {
  public static final List<String> NAMESPACES = List.of("team-a", "team-b", "team-c");

  /** The namespace of the pods that must be placed soon, whatever the tenants do. */
  public static final String PROBES = "probes";

  /** The name of the scheduler of all pods. */
  public static final String SCHEDULER = "berth";

  /** The annotation with the number of seconds after which a pod succeeds. */
  public static final String SECONDS = "simulation/seconds";

  /** The beginning of the names of all nodes. */
  public static final String NODE_PREFIX = "tenants-node-";

  /** The policy that asks an extender. */
  private static final String LICENSED = "licensed";

  private static final List<String> POLICIES = List.of("spread", "pack", "gentle", LICENSED);
  private static final String HOST = "kubernetes.io/hostname";
  private static final String ZONE = "topology.kubernetes.io/zone";

  /** The taint of nodes on which nothing starts that does not tolerate it. */
  private static final String TAINT = "simulation/closed";

  private final SharedCluster cluster;
  private final Disturbances disturbances;
  private final TenantLimits limits;
  private final long seed;

  public Tenants(SharedCluster cluster, Disturbances disturbances, TenantLimits limits, long seed) {
    this.cluster = cluster;
    this.disturbances = disturbances;
    this.limits = limits;
    this.seed = seed;
  }

  /** Creates the first nodes and policies; the namespaces exist. */
  public void begin() {
    Random random = new Random(seed);
    int nodes = random.nextInt(3, limits.firstNodes());
    for (int i = 0; i < nodes; i++) {
      node(NODE_PREFIX + i, random);
    }
    POLICIES.forEach(name -> policy(name, random));
  }

  /** Does something. */
  public void step(int number) {
    Random random = new Random(seed * 1_000_003L + number);
    int draw = random.nextInt(1000);
    if (draw < 370) {
      app(number, random);
    } else if (draw < 400) {
      kin(number, random);
    } else if (draw < 520) {
      group(number, random);
    } else if (draw < 720) {
      deleteSome(random);
    } else if (draw < 760) {
      relabel(random);
    } else if (draw < 800) {
      flood(number, random);
    } else if (draw < 900) {
      changeNode(number, random);
    } else if (draw < 920) {
      policy(POLICIES.get(random.nextInt(POLICIES.size())), random);
    } else if (draw < 930) {
      breakExtender(random);
    } else if (draw < 950) {
      breakWebhook(number, random);
    } else if (draw < 970) {
      disturbances.breakServer(random);
    } else if (draw < 985) {
      disturbances.stallWatches();
    } else {
      disturbances.crash();
    }
  }

  private void node(String name, Random random) {
    ObjectNode node = KubeObjects.create("Node", "", name);
    node.withObject("/metadata/labels").put(HOST, name).put(ZONE, "zone-" + random.nextInt(3));
    node.withObject("/spec");
    ObjectNode allocatable = node.withObject("/status/allocatable");
    allocatable.put("cpu", String.valueOf(random.nextInt(4, 65)));
    allocatable.put("memory", random.nextInt(16, 257) + "Gi").put("pods", "1000");
    node.withObject("/status").set("capacity", allocatable.deepCopy());
    ObjectNode ready = JsonNodeFactory.instance.objectNode();
    ready.put("type", "Ready").put("status", "True");
    KubeObjects.setCondition(node, ready);
    cluster.create(node);
  }

  private void policy(String name, Random random) {
    ObjectNode policy = KubeObjects.create("SchedulingPolicy", "", name);
    policy.put("apiVersion", "sched.cloud.ctrip.com/v1");
    ObjectNode spec = policy.withObject("/spec");
    boolean pack = name.equals("pack") || random.nextInt(4) == 0;
    spec.putArray("priorities")
        .addObject()
        .put("name", "NodeResourcesFit")
        .put("weight", random.nextInt(1, 50))
        .putObject("args")
        .putObject("scoringStrategy")
        .put("type", pack ? "MostAllocated" : "LeastAllocated");
    if (name.equals("gentle")) {
      spec.withObject("/preemption").put("maxVictimsPerPod", random.nextInt(1, 4));
    }
    if (name.equals(LICENSED)) {
      spec.putArray("extenders")
          .addObject()
          .put("urlPrefix", disturbances.extenderUrl())
          .put("filterVerb", "filter")
          .put("prioritizeVerb", "prioritize")
          .put("weight", random.nextInt(1, 10))
          .put("httpTimeout", random.nextInt(1, 4) + "s")
          .put("ignorable", random.nextInt(4) == 0)
          .put("nodeCacheCapable", true);
    }
    ObjectKey key = ObjectKey.of(policy);
    if (cluster.find(key).isEmpty()) {
      policy.withObject("/metadata").put("generation", 1);
      cluster.create(policy);
      return;
    }
    cluster.change(
        key,
        stored -> {
          ObjectNode metadata = stored.withObject("/metadata");
          metadata.put("generation", metadata.path("generation").asLong() + 1);
          stored.set("spec", spec);
        });
  }

  /** Returns a pod without requests, which must be placed soon. */
  public static ObjectNode probe(String name) {
    ObjectNode pod = KubeObjects.create("Pod", PROBES, name);
    ObjectNode spec = pod.withObject("/spec").put("schedulerName", SCHEDULER);
    spec.putArray("containers").addObject().put("name", "main").put("image", "probe");
    pod.withObject("/status").put("phase", "Pending");
    return pod;
  }

  private ObjectNode pod(String namespace, String name, String cpu, Random random) {
    ObjectNode pod = KubeObjects.create("Pod", namespace, name);
    ObjectNode spec = pod.withObject("/spec").put("schedulerName", SCHEDULER);
    ObjectNode container = spec.putArray("containers").addObject().put("name", "main");
    container.put("image", "image-" + random.nextInt(5));
    ObjectNode requests = container.withObject("/resources/requests");
    requests.put("cpu", cpu).put("memory", "64Mi");
    pod.withObject("/status").put("phase", "Pending");
    return pod;
  }

  /** Returns whether the cluster is as full of pods as it may be. */
  private boolean isFull() {
    return cluster.all("Pod").size() > limits.pods();
  }

  /** Creates the replicas of an app, which may have rules about each other. */
  private void app(int number, Random random) {
    if (isFull()) {
      return;
    }
    String namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
    String app = "app-" + random.nextInt(20);
    int priority = random.nextInt(3) == 0 ? random.nextInt(3) * 100 : 0;
    int replicas = random.nextInt(1, 6);
    String cpu =
        random.nextInt(4) == 0 ? random.nextInt(1, 30) + "" : random.nextInt(50, 2_000) + "m";
    int rules = random.nextInt(8);
    String policy = random.nextInt(3) == 0 ? POLICIES.get(random.nextInt(POLICIES.size())) : "";
    int seconds = random.nextInt(3) == 0 ? random.nextInt(5, 120) : 0;
    for (int i = 0; i < replicas; i++) {
      ObjectNode pod = pod(namespace, "pod-" + number + "-" + i, cpu, random);
      pod.withObject("/metadata/labels").put("app", app);
      pod.withObject("/spec").put("priority", priority);
      if (!policy.isEmpty()) {
        pod.withObject("/metadata/annotations").put(Annotations.POLICY, policy);
      }
      if (seconds > 0) {
        pod.withObject("/metadata/annotations").put(SECONDS, String.valueOf(seconds));
      }
      switch (rules) {
        case 0 -> term(pod.withObject("/spec/affinity/podAntiAffinity"), app, HOST);
        case 1 -> term(pod.withObject("/spec/affinity/podAffinity"), app, HOST);
        case 2 -> term(pod.withObject("/spec/affinity/podAffinity"), app, ZONE);
        case 3 -> spread(pod, app, ZONE);
        case 4 -> spread(pod, app, HOST);
        default -> {} // no rule
      }
      cluster.create(pod);
    }
  }

  private static void term(ObjectNode affinity, String app, String topologyKey) {
    ObjectNode term =
        affinity.putArray("requiredDuringSchedulingIgnoredDuringExecution").addObject();
    term.withObject("/labelSelector/matchLabels").put("app", app);
    term.put("topologyKey", topologyKey);
  }

  private static void spread(ObjectNode pod, String app, String topologyKey) {
    ArrayNode constraints = pod.withObject("/spec").putArray("topologySpreadConstraints");
    ObjectNode constraint = constraints.addObject().put("maxSkew", 1);
    constraint.put("topologyKey", topologyKey).put("whenUnsatisfiable", "DoNotSchedule");
    constraint.withObject("/labelSelector/matchLabels").put("app", app);
  }

  /** Creates the pods of a group, of which all or a part start together; one may be missing. */
  private void group(int number, Random random) {
    if (isFull()) {
      return;
    }
    String namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
    int size =
        random.nextInt(10) == 0
            ? random.nextInt(limits.largestGroup() / 7, limits.largestGroup())
            : random.nextInt(2, 20);
    String cpu = size > 50 ? "10m" : random.nextInt(100, 4_000) + "m";
    int priority = random.nextInt(3) * 100;
    int seconds = random.nextInt(2) == 0 ? random.nextInt(10, 90) : 0;
    int minimum = random.nextInt(4) == 0 ? random.nextInt(1, size + 1) : size;
    String policy = random.nextInt(5) == 0 ? POLICIES.get(random.nextInt(POLICIES.size())) : "";
    int created = random.nextInt(12) == 0 ? size - 1 : size;
    for (int i = 0; i < created; i++) {
      ObjectNode pod = pod(namespace, "member-" + number + "-" + i, cpu, random);
      pod.withObject("/spec").put("priority", priority);
      ObjectNode annotations = pod.withObject("/metadata/annotations");
      annotations.put(Annotations.GROUP, "group-" + number);
      annotations.put(Annotations.GROUP_MIN, String.valueOf(minimum));
      if (!policy.isEmpty()) {
        annotations.put(Annotations.POLICY, policy);
      }
      if (seconds > 0) {
        annotations.put(SECONDS, String.valueOf(seconds));
      }
      cluster.create(pod);
    }
  }

  /** Creates many pods at once, of which none may fit. */
  private void flood(int number, Random random) {
    if (isFull()) {
      return;
    }
    String namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
    String cpu = random.nextBoolean() ? "500" : "20m";
    int count = random.nextInt(limits.largestFlood() / 6, limits.largestFlood());
    for (int i = 0; i < count; i++) {
      cluster.create(pod(namespace, "flood-" + number + "-" + i, cpu, random));
    }
  }

  private List<ObjectNode> pods() {
    return cluster.all("Pod").stream()
        .filter(pod -> !ObjectKey.of(pod).namespace().equals(PROBES))
        .toList();
  }

  private void deleteSome(Random random) {
    List<ObjectNode> pods = pods();
    if (pods.isEmpty()) {
      return;
    }
    int first = random.nextInt(pods.size());
    int count = random.nextInt(4) == 0 ? pods.size() / 3 : random.nextInt(1, 8);
    for (int i = first; i < Math.min(pods.size(), first + count); i++) {
      cluster.delete(ObjectKey.of(pods.get(i)));
    }
  }

  private void relabel(Random random) {
    List<ObjectNode> pods = pods();
    if (!pods.isEmpty()) {
      cluster.change(
          ObjectKey.of(pods.get(random.nextInt(pods.size()))),
          pod -> pod.withObject("/metadata/labels").put("app", "app-" + random.nextInt(20)));
    }
  }

  private void changeNode(int number, Random random) {
    List<ObjectNode> nodes = cluster.all("Node");
    int draw = random.nextInt(10);
    if (nodes.size() < 3 || (draw < 3 && nodes.size() < limits.nodes())) {
      node(NODE_PREFIX + (100 + number), random);
      return;
    }
    ObjectKey key = ObjectKey.of(nodes.get(random.nextInt(nodes.size())));
    switch (draw) {
      case 3 -> cluster.delete(key);
      case 4, 5 -> cluster.change(key, node -> node.withObject("/spec").put("unschedulable", true));
      case 6 -> cluster.change(key, Tenants::taint);
      case 7 ->
          cluster.change(
              key,
              node ->
                  node.withObject("/status/allocatable")
                      .put("cpu", String.valueOf(random.nextInt(4, 65))));
      default -> nodes.forEach(node -> cluster.change(ObjectKey.of(node), Tenants::open));
    }
  }

  private static void taint(ObjectNode node) {
    node.withObject("/spec")
        .putArray("taints")
        .addObject()
        .put("key", TAINT)
        .put("effect", "NoSchedule");
  }

  private static void open(ObjectNode node) {
    node.withObject("/spec").remove(List.of("unschedulable", "taints"));
  }

  /**
   * Breaks or mends the webhook for the Bindings of a namespace. Many pods are created there, as by
   * a tenant who has not noticed it: alone, or in a group with more pods than its minimum.
   */
  private void breakWebhook(int number, Random random) {
    Disturbances.Webhook[] states = Disturbances.Webhook.values();
    String namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
    disturbances.webhook(namespace, states[random.nextInt(states.length)]);
    if (isFull()) {
      return;
    }
    boolean together = random.nextBoolean();
    int count = random.nextInt(limits.largestFlood() / 2, limits.largestFlood());
    int minimum = random.nextInt(2, count);
    for (int i = 0; i < count; i++) {
      ObjectNode pod = pod(namespace, "unaware-" + number + "-" + i, "10m", random);
      if (together) {
        ObjectNode annotations = pod.withObject("/metadata/annotations");
        annotations.put(Annotations.GROUP, "unaware-" + number);
        annotations.put(Annotations.GROUP_MIN, String.valueOf(minimum));
      }
      cluster.create(pod);
    }
  }

  private void breakExtender(Random random) {
    Disturbances.Extender[] states = Disturbances.Extender.values();
    disturbances.extender(states[random.nextInt(states.length)]);
  }

  /**
   * Creates a pod that ends, and one that must be beside it although they select different zones:
   * it may start when no other pod of its kind is left.
   */
  private void kin(int number, Random random) {
    if (isFull()) {
      return;
    }
    String namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
    int zone = random.nextInt(3);
    for (int i = 0; i < 2; i++) {
      ObjectNode pod = pod(namespace, "kin-" + number + "-" + i, "10m", random);
      pod.withObject("/metadata/labels").put("app", "kin-" + number);
      pod.withObject("/spec/nodeSelector").put(ZONE, "zone-" + (zone + i) % 3);
      term(pod.withObject("/spec/affinity/podAffinity"), "kin-" + number, HOST);
      if (i == 0) {
        int seconds = random.nextInt(5, 60);
        pod.withObject("/metadata/annotations").put(SECONDS, String.valueOf(seconds));
      }
      cluster.create(pod);
    }
  }
}
