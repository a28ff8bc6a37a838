package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Random;

/** The pods that tenants create. */
final class TenantPods {
  static final String HOST = "kubernetes.io/hostname";
  static final String ZONE = "topology.kubernetes.io/zone";

  private TenantPods() {}

  /** Returns a pod with one container. */
  static ObjectNode pod(String namespace, String name, String cpu, Random random) {
    ObjectNode pod = KubeObjects.create("Pod", namespace, name);
    ObjectNode spec = pod.withObject("/spec").put("schedulerName", Tenants.SCHEDULER);
    ObjectNode container = spec.putArray("containers").addObject().put("name", "main");
    container.put("image", "image-" + random.nextInt(5));
    ObjectNode requests = container.withObject("/resources/requests");
    requests.put("cpu", cpu).put("memory", "64Mi");
    pod.withObject("/status").put("phase", "Pending");
    return pod;
  }

  /**
   * Asks for GPU cards.
   *
   * @param milli thousandths of a card; a multiple of 1000 for whole cards
   * @param memory in MiB of a shared card; 0 for none
   */
  static void askForCards(ObjectNode pod, int milli, int memory) {
    ObjectNode resources = (ObjectNode) pod.at("/spec/containers/0/resources");
    for (String field : List.of("requests", "limits")) {
      ObjectNode amounts = resources.withObject("/" + field);
      amounts.put("gpu.sched.cloud.ctrip.com/milli-gpu", String.valueOf(milli));
      if (memory > 0) {
        amounts.put("gpu.sched.cloud.ctrip.com/memory-mib", String.valueOf(memory));
      }
    }
  }

  static void term(ObjectNode affinity, String app, String topologyKey) {
    ObjectNode term =
        affinity.putArray("requiredDuringSchedulingIgnoredDuringExecution").addObject();
    term.withObject("/labelSelector/matchLabels").put("app", app);
    term.put("topologyKey", topologyKey);
  }

  static void spread(ObjectNode pod, String app, String topologyKey) {
    ArrayNode constraints = pod.withObject("/spec").putArray("topologySpreadConstraints");
    ObjectNode constraint = constraints.addObject().put("maxSkew", 1);
    constraint.put("topologyKey", topologyKey).put("whenUnsatisfiable", "DoNotSchedule");
    constraint.withObject("/labelSelector/matchLabels").put("app", app);
  }
}
