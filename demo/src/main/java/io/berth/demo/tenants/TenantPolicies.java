package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Random;

/** The policies of the tenants, whose specs change. */
final class TenantPolicies {
  private static final String GENTLE = "gentle";
  static final String LICENSED = "licensed";
  static final String GPU = "gpu";
  private static final String MEASURED = "measured";

  /** The names of the policies that any pod may name. */
  static final List<String> NAMES = List.of("spread", "pack", GENTLE, LICENSED, MEASURED);

  /** The names of all policies. */
  static final List<String> ALL = List.of("spread", "pack", GENTLE, LICENSED, MEASURED, GPU);

  private static final List<String> CARD_CHOICES =
      List.of("LeastFragmentation", "BestFit", "Spread", "Topology");

  private final SharedCluster cluster;
  private final Disturbances disturbances;

  TenantPolicies(SharedCluster cluster, Disturbances disturbances) {
    this.cluster = cluster;
    this.disturbances = disturbances;
  }

  /** Changes the spec of a policy. */
  void changeAny(Random random) {
    write(ALL.get(random.nextInt(ALL.size())), random);
  }

  /** Creates a policy, or changes its spec. */
  void write(String name, Random random) {
    write(name, spec(name, random));
  }

  /** Creates a policy, or replaces its spec. */
  void write(String name, ObjectNode spec) {
    ObjectNode policy = KubeObjects.create("SchedulingPolicy", "", name);
    policy.put("apiVersion", "sched.cloud.ctrip.com/v1");
    cluster.write(policy, spec);
  }

  /** Draws the spec of a policy. */
  ObjectNode spec(String name, Random random) {
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    ArrayNode priorities = spec.putArray("priorities");
    boolean pack = name.equals("pack") || random.nextInt(4) == 0;
    priorities
        .addObject()
        .put("name", "NodeResourcesFit")
        .put("weight", random.nextInt(1, 50))
        .putObject("args")
        .putObject("scoringStrategy")
        .put("type", pack ? "MostAllocated" : "LeastAllocated");
    switch (name) {
      case GENTLE -> brakes(spec.putObject("preemption"), random);
      case LICENSED ->
          spec.putArray("extenders")
              .addObject()
              .put("urlPrefix", disturbances.extenderUrl())
              .put("filterVerb", "filter")
              .put("prioritizeVerb", "prioritize")
              .put("weight", random.nextInt(1, 10))
              .put("httpTimeout", random.nextInt(1, 4) + "s")
              .put("ignorable", random.nextInt(4) == 0)
              .put("nodeCacheCapable", true);
      case MEASURED ->
          priorities
              .addObject()
              .put("name", "MostAvailable")
              .put("weight", random.nextInt(1, 20))
              .putObject("args")
              .put("maxAge", random.nextInt(1, 5) + "m");
      case GPU ->
          spec.putObject("gpu")
              .put("cardChoice", CARD_CHOICES.get(random.nextInt(CARD_CHOICES.size())));
      default -> {} // nothing else
    }
    if (random.nextInt(3) == 0) {
      shadow(name, spec, random);
    }
    return spec;
  }

  /** Lets another policy be tried for a part of the pods; now and then, one that does not exist. */
  private static void shadow(String name, ObjectNode spec, Random random) {
    String other = ALL.get(random.nextInt(ALL.size()));
    spec.putObject("shadow")
        .put("policy", other.equals(name) ? "missing" : other)
        .put("percent", random.nextInt(1, 101));
  }

  private static void brakes(ObjectNode preemption, Random random) {
    preemption.put("maxVictimsPerPod", random.nextInt(1, 4));
    if (random.nextBoolean()) {
      preemption.put("maxEvictionsPerMinute", random.nextInt(1, 30));
    }
    if (random.nextBoolean()) {
      preemption.put("maxEvictionsPerMinutePerNamespace", random.nextInt(1, 10));
    }
    if (random.nextInt(3) == 0) {
      preemption.put("minRunTime", random.nextInt(1, 90) + "s");
    }
    if (random.nextInt(5) == 0) {
      preemption.put("mode", "DryRun");
    }
  }
}
