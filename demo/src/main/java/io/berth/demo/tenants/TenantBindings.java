package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Random;

/** The bindings by which a platform gives pods policies and affinity, and the config they name. */
final class TenantBindings {
  private static final String GROUP_VERSION = "sched.cloud.ctrip.com/v1";
  private static final String ZONES = "zones";
  private static final int PER_NAMESPACE = 3;

  private final SharedCluster cluster;

  TenantBindings(SharedCluster cluster) {
    this.cluster = cluster;
  }

  /** Creates the config. */
  void begin(Random random) {
    config(random);
  }

  /** Changes the config, or a binding, or removes a binding. */
  void change(Stretch stretch, Random random) {
    if (random.nextInt(6) == 0) {
      config(random);
      return;
    }
    String namespace = stretch.namespace(random);
    ObjectNode binding =
        KubeObjects.create(
            "SchedulerConfigBinding", namespace, "binding-" + random.nextInt(PER_NAMESPACE));
    if (random.nextInt(3) == 0) {
      cluster.delete(ObjectKey.of(binding));
    } else {
      write(binding, spec(stretch, random));
    }
  }

  private void config(Random random) {
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    spec.putArray("parameters")
        .addObject()
        .put("name", "Zones")
        .put("type", "stringList")
        .putArray("default")
        .add("zone-0")
        .add("zone-1");
    ObjectNode affinity = spec.putObject("nodeAffinity");
    ObjectNode term =
        random.nextInt(4) == 0
            ? affinity
                .putObject("requiredDuringSchedulingIgnoredDuringExecution")
                .putArray("nodeSelectorTerms")
                .addObject()
            : affinity
                .putArray("preferredDuringSchedulingIgnoredDuringExecution")
                .addObject()
                .put("weight", random.nextInt(1, 100))
                .putObject("preference");
    ObjectNode expression = term.putArray("matchExpressions").addObject();
    expression.put("key", TenantPods.ZONE).put("operator", "In").putArray("values").add("${Zones}");
    write(KubeObjects.create("NodeSchedulerConfig", "", ZONES), spec);
  }

  private static ObjectNode spec(Stretch stretch, Random random) {
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    spec.put("priority", random.nextInt(5));
    ObjectNode labels = spec.putObject("podSelector").putObject("matchLabels");
    if (random.nextInt(4) > 0) {
      labels.put("app", stretch.app(random));
    }
    if (random.nextInt(3) > 0) {
      List<String> names = TenantPolicies.NAMES;
      spec.put(
          "schedulingPolicy",
          random.nextInt(10) == 0 ? "missing" : names.get(random.nextInt(names.size())));
    }
    if (random.nextInt(3) == 0 || !spec.has("schedulingPolicy")) {
      ObjectNode config = spec.putArray("nodeConfigs").addObject();
      config.put("name", random.nextInt(10) == 0 ? "missing" : ZONES);
      config.putObject("args").putArray("Zones").add("zone-" + random.nextInt(3));
    }
    if (random.nextInt(3) == 0) {
      spec.put("podOverrides", "Deny");
    }
    if (random.nextInt(8) == 0) {
      spec.put("enforcement", "DryRun");
    }
    if (random.nextInt(5) == 0) {
      spec.putObject("rollout").put("percent", random.nextInt(0, 101));
    }
    if (random.nextInt(4) == 0 && !spec.has("enforcement")) {
      spec.put("repair", "Recreate");
    }
    return spec;
  }

  private void write(ObjectNode resource, ObjectNode spec) {
    resource.put("apiVersion", GROUP_VERSION);
    cluster.write(resource, spec);
  }
}
