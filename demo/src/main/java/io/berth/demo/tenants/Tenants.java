package io.berth.demo.tenants;

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

  /** The policy whose pods an extender decides about. */
  public static final String EXTENDED_POLICY = TenantPolicies.LICENSED;

  /** The binding of pods of ReplicaSets, with {@code repair: Recreate}. */
  public static final String REPAIRED_BINDING = "repaired";

  /** The annotation with the number of seconds after which a pod succeeds. */
  public static final String SECONDS = "simulation/seconds";

  /** The annotation of nodes whose kubelet does not answer: nothing starts or ends there. */
  public static final String DEAD = "simulation/dead";

  /** The beginning of the names of all nodes. */
  public static final String NODE_PREFIX = "tenants-node-";

  /** The average number of steps from one change of queues to the next. */
  private static final int STEPS_BETWEEN_QUEUES = 120;

  /** The average number of steps from one change of ReplicaSets to the next. */
  private static final int STEPS_BETWEEN_REPLICAS = 25;

  private final SharedCluster cluster;
  private final Disturbances disturbances;
  private final TenantLimits limits;
  private final TenantNodes nodes;
  private final TenantPolicies policies;
  private final TenantBindings bindings;
  private final TenantGroups groups;
  private final TenantQueues queues;
  private final TenantReplicas replicas;
  private final long seed;

  public Tenants(SharedCluster cluster, Disturbances disturbances, TenantLimits limits, long seed) {
    this.cluster = cluster;
    this.disturbances = disturbances;
    this.limits = limits;
    this.seed = seed;
    this.nodes = new TenantNodes(cluster, limits);
    this.policies = new TenantPolicies(cluster, disturbances);
    this.bindings = new TenantBindings(cluster);
    this.groups = new TenantGroups(cluster);
    this.queues = new TenantQueues(cluster);
    this.replicas = new TenantReplicas(cluster, disturbances);
  }

  /** Creates the first nodes and policies; the namespaces exist. */
  public void begin() {
    Random random = new Random(seed);
    int count = random.nextInt(3, limits.firstNodes());
    for (int i = 0; i < count; i++) {
      nodes.create(NODE_PREFIX + i, random);
    }
    TenantPolicies.ALL.forEach(name -> policies.write(name, random));
    bindings.begin(random);
  }

  /** Does something. */
  public void step(int number) {
    // Drawn separately, so that a step that changes neither queues nor ReplicaSets is as without
    // them.
    Random ofQueues = new Random(seed * 7_919L + number);
    if (limits.queues() && ofQueues.nextInt(STEPS_BETWEEN_QUEUES) == 0) {
      queues.change(ofQueues);
    }
    Random ofReplicas = new Random(seed * 6_271L + number);
    if (limits.replicaSets() && ofReplicas.nextInt(STEPS_BETWEEN_REPLICAS) == 0) {
      replicas.change(ofReplicas);
    }
    Random random = new Random(seed * 1_000_003L + number);
    int draw = random.nextInt(1000);
    if (draw < 30) {
      bindings.change(random);
    } else if (draw < 290) {
      app(number, random);
    } else if (draw < 320) {
      squeeze(number, random);
    } else if (draw < 360) {
      gpus(number, random);
    } else if (draw < 370) {
      budget(random);
    } else if (draw < 400) {
      kin(number, random);
    } else if (draw < 480) {
      group(number, random);
    } else if (draw < 510) {
      podGroup(number, random);
    } else if (draw < 520) {
      if (limits.podGroups()) {
        groups.change(random);
      }
    } else if (draw < 720) {
      deleteSome(random);
    } else if (draw < 760) {
      relabel(random);
    } else if (draw < 800) {
      flood(number, random);
    } else if (draw < 900) {
      nodes.change(number, random);
    } else if (draw < 920) {
      policies.write(TenantPolicies.ALL.get(random.nextInt(TenantPolicies.ALL.size())), random);
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

  /** Returns a pod without requests, which must be placed soon. */
  public static ObjectNode probe(String name) {
    ObjectNode pod = KubeObjects.create("Pod", PROBES, name);
    ObjectNode spec = pod.withObject("/spec").put("schedulerName", SCHEDULER);
    spec.putArray("containers").addObject().put("name", "main").put("image", "probe");
    pod.withObject("/status").put("phase", "Pending");
    return pod;
  }

  /** Returns one of the tenants' namespaces. */
  static String anyNamespace(Random random) {
    return NAMESPACES.get(random.nextInt(NAMESPACES.size()));
  }

  private static String anyPolicy(Random random) {
    return TenantPolicies.NAMES.get(random.nextInt(TenantPolicies.NAMES.size()));
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
    String namespace = anyNamespace(random);
    String app = "app-" + random.nextInt(20);
    int priority = random.nextInt(3) == 0 ? random.nextInt(3) * 100 : 0;
    int replicas = random.nextInt(1, 6);
    String cpu =
        random.nextInt(4) == 0 ? random.nextInt(1, 30) + "" : random.nextInt(50, 2_000) + "m";
    int rules = random.nextInt(8);
    String policy = random.nextInt(3) == 0 ? anyPolicy(random) : "";
    int seconds = random.nextInt(3) == 0 ? random.nextInt(5, 120) : 0;
    for (int i = 0; i < replicas; i++) {
      ObjectNode pod = TenantPods.pod(namespace, "pod-" + number + "-" + i, cpu, random);
      pod.withObject("/metadata/labels").put("app", app);
      pod.withObject("/spec").put("priority", priority);
      if (!policy.isEmpty()) {
        pod.withObject("/metadata/annotations").put(Annotations.POLICY, policy);
      }
      if (seconds > 0) {
        pod.withObject("/metadata/annotations").put(SECONDS, String.valueOf(seconds));
      }
      switch (rules) {
        case 0 ->
            TenantPods.term(pod.withObject("/spec/affinity/podAntiAffinity"), app, TenantPods.HOST);
        case 1 ->
            TenantPods.term(pod.withObject("/spec/affinity/podAffinity"), app, TenantPods.HOST);
        case 2 ->
            TenantPods.term(pod.withObject("/spec/affinity/podAffinity"), app, TenantPods.ZONE);
        case 3 -> TenantPods.spread(pod, app, TenantPods.ZONE);
        case 4 -> TenantPods.spread(pod, app, TenantPods.HOST);
        default -> {} // no rule
      }
      cluster.create(pod);
    }
  }

  /** Creates the pods of a group, of which all or a part start together; one may be missing. */
  private void group(int number, Random random) {
    if (isFull()) {
      return;
    }
    String namespace = anyNamespace(random);
    int size =
        random.nextInt(10) == 0
            ? random.nextInt(limits.largestGroup() / 7, limits.largestGroup())
            : random.nextInt(2, 20);
    String cpu = size > 50 ? "10m" : random.nextInt(100, 4_000) + "m";
    int priority = random.nextInt(3) * 100;
    int seconds = random.nextInt(2) == 0 ? random.nextInt(10, 90) : 0;
    int minimum = random.nextInt(4) == 0 ? random.nextInt(1, size + 1) : size;
    String policy = random.nextInt(5) == 0 ? anyPolicy(random) : "";
    int created = random.nextInt(12) == 0 ? size - 1 : size;
    for (int i = 0; i < created; i++) {
      ObjectNode pod = TenantPods.pod(namespace, "member-" + number + "-" + i, cpu, random);
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

  /**
   * Creates small pods that fill the cluster, so that some of them wait, and larger pods of higher
   * priority that displace several of them.
   */
  private void squeeze(int number, Random random) {
    if (isFull()) {
      return;
    }
    String namespace = anyNamespace(random);
    int count = random.nextInt(limits.largestFlood() / 3, limits.largestFlood());
    int millis = Math.clamp(nodes.cpuMillis() / count, 50, 4_000);
    for (int i = 0; i < count; i++) {
      cluster.create(TenantPods.pod(namespace, "small-" + number + "-" + i, millis + "m", random));
    }
    String other = anyNamespace(random);
    int larger = random.nextInt(1, 5);
    for (int i = 0; i < larger; i++) {
      String cpu = millis * random.nextInt(2, 6) + "m";
      ObjectNode pod = TenantPods.pod(other, "larger-" + number + "-" + i, cpu, random);
      pod.withObject("/spec").put("priority", 100 * random.nextInt(1, 3));
      cluster.create(pod);
    }
  }

  /** Creates many pods at once, of which none may fit. */
  private void flood(int number, Random random) {
    if (isFull()) {
      return;
    }
    String namespace = anyNamespace(random);
    String cpu = random.nextBoolean() ? "500" : "20m";
    int count = random.nextInt(limits.largestFlood() / 6, limits.largestFlood());
    for (int i = 0; i < count; i++) {
      cluster.create(TenantPods.pod(namespace, "flood-" + number + "-" + i, cpu, random));
    }
  }

  private void podGroup(int number, Random random) {
    if (limits.podGroups() && !isFull()) {
      groups.create(number, random);
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

  /**
   * Breaks or mends the webhook for the Bindings of a namespace. Many pods are created there, as by
   * a tenant who has not noticed it: alone, or in a group with more pods than its minimum.
   */
  private void breakWebhook(int number, Random random) {
    Disturbances.Webhook[] states = Disturbances.Webhook.values();
    String namespace = anyNamespace(random);
    disturbances.webhook(namespace, states[random.nextInt(states.length)]);
    if (isFull()) {
      return;
    }
    boolean together = random.nextBoolean();
    int count = random.nextInt(limits.largestFlood() / 2, limits.largestFlood());
    int minimum = random.nextInt(2, count);
    for (int i = 0; i < count; i++) {
      ObjectNode pod = TenantPods.pod(namespace, "unaware-" + number + "-" + i, "10m", random);
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
    String namespace = anyNamespace(random);
    int zone = random.nextInt(3);
    for (int i = 0; i < 2; i++) {
      ObjectNode pod = TenantPods.pod(namespace, "kin-" + number + "-" + i, "10m", random);
      pod.withObject("/metadata/labels").put("app", "kin-" + number);
      pod.withObject("/spec/nodeSelector").put(TenantPods.ZONE, "zone-" + (zone + i) % 3);
      TenantPods.term(
          pod.withObject("/spec/affinity/podAffinity"), "kin-" + number, TenantPods.HOST);
      if (i == 0) {
        int seconds = random.nextInt(5, 60);
        pod.withObject("/metadata/annotations").put(SECONDS, String.valueOf(seconds));
      }
      cluster.create(pod);
    }
  }

  /** Creates pods that ask for shares of a GPU card, or for whole cards. */
  private void gpus(int number, Random random) {
    if (isFull()) {
      return;
    }
    String namespace = anyNamespace(random);
    int replicas = random.nextInt(1, 8);
    int milli = random.nextBoolean() ? random.nextInt(1, 5) * 200 : 1_000 << random.nextInt(4);
    int memory = milli < 1_000 && random.nextBoolean() ? random.nextInt(1_000, 20_000) : 0;
    int priority = random.nextInt(3) == 0 ? random.nextInt(3) * 100 : 0;
    int seconds = random.nextBoolean() ? random.nextInt(5, 120) : 0;
    boolean together = random.nextInt(4) == 0;
    for (int i = 0; i < replicas; i++) {
      ObjectNode pod = TenantPods.pod(namespace, "gpu-" + number + "-" + i, "100m", random);
      pod.withObject("/spec").put("priority", priority);
      TenantPods.askForCards(pod, milli, memory);
      ObjectNode annotations = pod.withObject("/metadata/annotations");
      annotations.put(Annotations.POLICY, TenantPolicies.GPU);
      if (seconds > 0) {
        annotations.put(SECONDS, String.valueOf(seconds));
      }
      if (together) {
        annotations.put(Annotations.GROUP, "gpu-" + number);
        annotations.put(Annotations.GROUP_MIN, String.valueOf(replicas));
      }
      cluster.create(pod);
    }
  }

  /** Creates or removes a disruption budget for an app. */
  private void budget(Random random) {
    String namespace = anyNamespace(random);
    String app = "app-" + random.nextInt(20);
    ObjectNode budget = KubeObjects.create("PodDisruptionBudget", namespace, app);
    budget.put("apiVersion", "policy/v1");
    ObjectKey key = ObjectKey.of(budget);
    if (cluster.find(key).isPresent()) {
      cluster.delete(key);
      return;
    }
    ObjectNode spec = budget.withObject("/spec").put("minAvailable", 1);
    spec.withObject("/selector/matchLabels").put("app", app);
    budget.withObject("/status").put("disruptionsAllowed", random.nextInt(3));
    cluster.create(budget);
  }
}
