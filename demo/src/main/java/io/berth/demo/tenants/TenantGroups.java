package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Random;

/** Groups that PodGroup objects describe, in the dialects of Kubernetes and scheduler-plugins. */
final class TenantGroups {
  private static final String KUBERNETES = "scheduling.k8s.io/v1alpha2";
  private static final String SCHEDULER_PLUGINS = "scheduling.x-k8s.io/v1alpha1";
  private static final String LABEL = "scheduling.x-k8s.io/pod-group";

  private final SharedCluster cluster;
  private final TenantLimits limits;

  TenantGroups(SharedCluster cluster, TenantLimits limits) {
    this.cluster = cluster;
    this.limits = limits;
  }

  /** Creates the pods of a group, and before, after, or never the object that describes it. */
  void create(int number, Stretch stretch, Random random) {
    String namespace = stretch.namespace(random);
    boolean kubernetes = random.nextBoolean() && limits.kubernetesGroups();
    String name = "pod-group-" + number;
    int size = random.nextInt(2, 16);
    int minimum = random.nextInt(4) == 0 ? random.nextInt(1, size + 2) : size;
    int when = random.nextInt(10);
    String cpu = random.nextInt(100, 4_000) + "m";
    int seconds = random.nextBoolean() ? random.nextInt(5, 90) : 0;
    ObjectNode group = group(kubernetes, namespace, name, minimum, random);
    if (when < 6) {
      cluster.create(group);
    }
    for (int i = 0; i < size; i++) {
      ObjectNode pod = TenantPods.pod(namespace, "of-group-" + number + "-" + i, cpu, random);
      if (kubernetes) {
        pod.withObject("/spec/schedulingGroup").put("podGroupName", name);
      } else {
        pod.withObject("/metadata/labels").put(LABEL, name);
      }
      if (seconds > 0) {
        pod.withObject("/metadata/annotations").put(Tenants.SECONDS, String.valueOf(seconds));
      }
      cluster.create(pod);
    }
    if (when >= 6 && when < 9) {
      cluster.create(group);
    }
  }

  /** Changes the minimum of a group, or removes its object. */
  void change(Random random) {
    var groups = cluster.all("PodGroup");
    if (groups.isEmpty()) {
      return;
    }
    ObjectNode group = groups.get(random.nextInt(groups.size()));
    if (random.nextInt(3) == 0) {
      cluster.delete(ObjectKey.of(group));
      return;
    }
    int minimum = random.nextInt(1, 12);
    boolean kubernetes = group.path("apiVersion").asText().equals(KUBERNETES);
    cluster.change(ObjectKey.of(group), changed -> minimum(kubernetes, changed, minimum));
  }

  private static ObjectNode group(
      boolean kubernetes, String namespace, String name, int minimum, Random random) {
    ObjectNode group = KubeObjects.create("PodGroup", namespace, name);
    group.put("apiVersion", kubernetes ? KUBERNETES : SCHEDULER_PLUGINS);
    group.withObject("/metadata").put("generation", 1);
    minimum(kubernetes, group, minimum);
    if (!kubernetes && random.nextInt(3) == 0) {
      group.withObject("/spec").put("scheduleTimeoutSeconds", random.nextInt(5, 60));
    }
    return group;
  }

  private static void minimum(boolean kubernetes, ObjectNode group, int minimum) {
    if (kubernetes) {
      group.withObject("/spec/schedulingPolicy/gang").put("minCount", minimum);
    } else {
      group.withObject("/spec").put("minMember", minimum);
    }
  }
}
