package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Random;

/**
 * The ReplicaSets of the tenants, whose pods a binding with {@code repair: Recreate} selects. Some
 * are created while the webhook for pods is unavailable.
 */
final class TenantReplicas {
  private static final int PER_NAMESPACE = 3;
  private static final String TIER = "tier";
  private static final String REPLICATED = "replicated";
  private static final String SET = "set";

  private final SharedCluster cluster;
  private final Disturbances disturbances;

  TenantReplicas(SharedCluster cluster, Disturbances disturbances) {
    this.cluster = cluster;
    this.disturbances = disturbances;
  }

  /** Creates, changes, or deletes a ReplicaSet, or changes the binding for its pods. */
  void change(Stretch stretch, Random random) {
    String namespace = stretch.namespace(random);
    ObjectNode binding =
        KubeObjects.create("SchedulerConfigBinding", namespace, Tenants.REPAIRED_BINDING);
    if (cluster.find(ObjectKey.of(binding)).isEmpty() || random.nextInt(6) == 0) {
      binding.put("apiVersion", "sched.cloud.ctrip.com/v1");
      cluster.write(binding, bindingSpec(random));
    }
    ObjectNode replicas =
        KubeObjects.create(
            "ReplicaSet", namespace, "replicated-" + random.nextInt(PER_NAMESPACE) + "x");
    replicas.put("apiVersion", "apps/v1");
    if (random.nextInt(3) == 0) {
      cluster.delete(ObjectKey.of(replicas));
      return;
    }
    if (random.nextBoolean()) {
      disturbances.stopPodWebhook();
    }
    cluster.write(replicas, spec(ObjectKey.of(replicas), random));
  }

  private static ObjectNode bindingSpec(Random random) {
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    spec.put("priority", 10).put("repair", "Recreate");
    spec.putObject("podSelector").putObject("matchLabels").put(TIER, REPLICATED);
    spec.put(
        "schedulingPolicy", TenantPolicies.NAMES.get(random.nextInt(TenantPolicies.NAMES.size())));
    return spec;
  }

  private static ObjectNode spec(ObjectKey set, Random random) {
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    spec.put("replicas", random.nextInt(1, 6));
    ObjectNode pod =
        TenantPods.pod(set.namespace(), REPLICATED, random.nextInt(50, 1_000) + "m", random);
    ObjectNode template = spec.putObject("template");
    ObjectNode labels = template.withObject("/metadata/labels").put(TIER, REPLICATED);
    labels.put("app", "app-" + random.nextInt(20)).put(SET, set.name());
    spec.putObject("selector").putObject("matchLabels").put(SET, set.name());
    template.set("spec", pod.path("spec"));
    return spec;
  }
}
