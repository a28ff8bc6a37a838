package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Random;

/** The SchedulingQueues of the tenants: one for some of their namespaces each, and one above. */
final class TenantQueues {
  private static final String GROUP_VERSION = "sched.cloud.ctrip.com/v1";
  private static final String WHOLE = "whole";

  private final SharedCluster cluster;

  TenantQueues(SharedCluster cluster) {
    this.cluster = cluster;
  }

  /** Creates, changes, or deletes some of the queues. */
  void change(Random random) {
    if (random.nextInt(5) == 0) {
      cluster.all("SchedulingQueue").forEach(queue -> cluster.delete(ObjectKey.of(queue)));
      return;
    }
    for (String namespace : Tenants.NAMESPACES) {
      ObjectNode queue = queue(namespace);
      switch (random.nextInt(4)) {
        case 0 -> cluster.delete(ObjectKey.of(queue));
        case 1 -> {} // stays as it is
        default -> write(queue, spec(namespace, random));
      }
    }
    if (random.nextBoolean()) {
      write(queue(WHOLE), amounts(random, 40));
    }
  }

  private static ObjectNode queue(String name) {
    return KubeObjects.create("SchedulingQueue", "", name);
  }

  private static ObjectNode spec(String namespace, Random random) {
    ObjectNode spec = amounts(random, 12);
    spec.putObject("namespaces").putArray("names").add(namespace);
    int weight = random.nextInt(1, 4);
    spec.put("weight", weight);
    if (weight == 1) {
      spec.put("usageHalfLife", "10m");
    }
    if (random.nextInt(4) == 0) {
      spec.put("priority", random.nextInt(3));
    }
    if (random.nextInt(3) == 0) {
      spec.put("parent", WHOLE);
    }
    if (random.nextInt(4) == 0) {
      spec.put("minRunTime", random.nextInt(1, 30) + "s");
    }
    if (random.nextInt(4) == 0) {
      spec.putObject("borrowing").put("scaleUp", false);
    }
    return spec;
  }

  /** Returns a spec with a guarantee, and sometimes a limit above it. */
  private static ObjectNode amounts(Random random, int most) {
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    int guarantee = random.nextInt(most);
    spec.putObject("guarantee").put("cpu", String.valueOf(guarantee));
    if (random.nextInt(3) > 0) {
      spec.putObject("limit").put("cpu", String.valueOf(guarantee + random.nextInt(most)));
    }
    return spec;
  }

  private void write(ObjectNode resource, ObjectNode spec) {
    resource.put("apiVersion", GROUP_VERSION);
    cluster.write(resource, spec);
  }
}
