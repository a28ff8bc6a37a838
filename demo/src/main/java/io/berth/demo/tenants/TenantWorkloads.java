package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import java.util.Random;

/** The pods that tenants create, alone, as replicas, and in groups. */
final class TenantWorkloads {
  private final SharedCluster cluster;
  private final TenantLimits limits;
  private final TenantNodes nodes;
  private final TenantGroups groups;

  TenantWorkloads(SharedCluster cluster, TenantLimits limits, TenantNodes nodes) {
    this.cluster = cluster;
    this.limits = limits;
    this.nodes = nodes;
    this.groups = new TenantGroups(cluster, limits);
  }

  /** Returns whether the cluster is as full of pods as it may be. */
  private boolean isFull() {
    return cluster.all("Pod").size() > limits.pods();
  }

  private static String anyPolicy(Random random) {
    return TenantPolicies.NAMES.get(random.nextInt(TenantPolicies.NAMES.size()));
  }

  /** Draws the size of a large group, of which one in six is up to three times as large. */
  private int sizeOfLargeGroup(Random random) {
    int most = random.nextInt(6) == 0 ? limits.largestGroup() : limits.largestGroup() / 3;
    return random.nextInt(most / 4, most);
  }

  /** Creates the replicas of an app, which may have rules about each other. */
  void app(int number, Stretch stretch, Random random) {
    if (isFull()) {
      return;
    }
    String namespace = stretch.namespace(random);
    String app = stretch.app(random);
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
        pod.withObject("/metadata/annotations").put(Tenants.SECONDS, String.valueOf(seconds));
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

  /** Creates small pods of a policy, each of which is a workload of its own. */
  void ofPolicy(String policy, int number, Random random) {
    if (isFull()) {
      return;
    }
    int count = random.nextInt(20, 80);
    String cpu = random.nextInt(4) == 0 ? random.nextInt(1, 10) + "" : "50m";
    for (int i = 0; i < count; i++) {
      String namespace = Tenants.NAMESPACES.get(random.nextInt(Tenants.NAMESPACES.size()));
      ObjectNode pod = TenantPods.pod(namespace, "rolled-" + number + "-" + i, cpu, random);
      ObjectNode annotations = pod.withObject("/metadata/annotations");
      annotations.put(Annotations.POLICY, policy);
      annotations.put(Tenants.SECONDS, String.valueOf(random.nextInt(5, 60)));
      cluster.create(pod);
    }
  }

  /** Creates the pods of a group, of which all or a part start together; one may be missing. */
  void group(int number, Stretch stretch, Random random) {
    if (isFull()) {
      return;
    }
    String namespace = stretch.namespace(random);
    int size = stretch.isLarge(random) ? sizeOfLargeGroup(random) : random.nextInt(2, 20);
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
        annotations.put(Tenants.SECONDS, String.valueOf(seconds));
      }
      cluster.create(pod);
    }
  }

  /**
   * Creates small pods that fill the cluster, so that some of them wait, and larger pods of higher
   * priority that displace several of them.
   */
  void squeeze(int number, Stretch stretch, Random random) {
    if (isFull()) {
      return;
    }
    String namespace = stretch.namespace(random);
    int count = random.nextInt(limits.largestFlood() / 3, limits.largestFlood());
    int millis = Math.clamp(nodes.cpuMillis() / count, 50, 4_000);
    for (int i = 0; i < count; i++) {
      cluster.create(TenantPods.pod(namespace, "small-" + number + "-" + i, millis + "m", random));
    }
    String other = stretch.namespace(random);
    int larger = random.nextInt(1, 5);
    for (int i = 0; i < larger; i++) {
      String cpu = millis * random.nextInt(2, 6) + "m";
      ObjectNode pod = TenantPods.pod(other, "larger-" + number + "-" + i, cpu, random);
      pod.withObject("/spec").put("priority", 100 * random.nextInt(1, 3));
      cluster.create(pod);
    }
  }

  /** Creates many pods at once, of which none may fit. */
  void flood(int number, Stretch stretch, Random random) {
    if (isFull()) {
      return;
    }
    String namespace = stretch.namespace(random);
    String cpu = random.nextBoolean() ? "500" : "20m";
    int count = random.nextInt(limits.largestFlood() / 6, limits.largestFlood());
    for (int i = 0; i < count; i++) {
      cluster.create(TenantPods.pod(namespace, "flood-" + number + "-" + i, cpu, random));
    }
  }

  /**
   * Creates a pod that ends, and one that must be beside it although they select different zones:
   * it may start when no other pod of its kind is left.
   */
  void kin(int number, Stretch stretch, Random random) {
    if (isFull()) {
      return;
    }
    String namespace = stretch.namespace(random);
    int zone = random.nextInt(3);
    for (int i = 0; i < 2; i++) {
      ObjectNode pod = TenantPods.pod(namespace, "kin-" + number + "-" + i, "10m", random);
      pod.withObject("/metadata/labels").put("app", "kin-" + number);
      pod.withObject("/spec/nodeSelector").put(TenantPods.ZONE, "zone-" + (zone + i) % 3);
      TenantPods.term(
          pod.withObject("/spec/affinity/podAffinity"), "kin-" + number, TenantPods.HOST);
      if (i == 0) {
        int seconds = random.nextInt(5, 60);
        pod.withObject("/metadata/annotations").put(Tenants.SECONDS, String.valueOf(seconds));
      }
      cluster.create(pod);
    }
  }

  /** Creates pods that ask for shares of a GPU card, or for whole cards. */
  void gpus(int number, Stretch stretch, Random random) {
    if (isFull()) {
      return;
    }
    String namespace = stretch.namespace(random);
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
        annotations.put(Tenants.SECONDS, String.valueOf(seconds));
      }
      if (together) {
        annotations.put(Annotations.GROUP, "gpu-" + number);
        annotations.put(Annotations.GROUP_MIN, String.valueOf(replicas));
      }
      cluster.create(pod);
    }
  }

  /**
   * Creates many pods, as a tenant does who has not noticed that the webhook for its Bindings is
   * broken: alone, or in a group with more pods than its minimum.
   */
  void unaware(String namespace, int number, Stretch stretch, Random random) {
    if (isFull()) {
      return;
    }
    boolean together = random.nextBoolean();
    int count =
        stretch.isLarge(random)
            ? sizeOfLargeGroup(random)
            : random.nextInt(limits.largestFlood() / 2, limits.largestFlood());
    int minimum = random.nextInt(2, count);
    int priority = random.nextInt(3) * 100;
    for (int i = 0; i < count; i++) {
      ObjectNode pod = TenantPods.pod(namespace, "unaware-" + number + "-" + i, "10m", random);
      pod.withObject("/spec").put("priority", priority);
      if (together) {
        ObjectNode annotations = pod.withObject("/metadata/annotations");
        annotations.put(Annotations.GROUP, "unaware-" + number);
        annotations.put(Annotations.GROUP_MIN, String.valueOf(minimum));
      }
      cluster.create(pod);
    }
  }

  /** Creates the pods of a group that a PodGroup describes. */
  void podGroup(int number, Stretch stretch, Random random) {
    if (!isFull()) {
      groups.create(number, stretch, random);
    }
  }

  /** Changes or removes a PodGroup. */
  void changePodGroup(Random random) {
    groups.change(random);
  }
}
