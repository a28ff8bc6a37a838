package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * The changes of policies in steps: tenants begin them, pause them and let them go on, change the
 * spec or the steps in between, go back, and delete policies that are rolled out.
 */
final class TenantRollouts {
  private static final String ROLLOUT = "rollout";
  private static final String ABORT_WHEN = "abortWhen";
  private static final String PAUSED = "paused";

  private final SharedCluster cluster;
  private final TenantPolicies policies;
  private final TenantWorkloads workloads;

  /** The spec that each policy had before the last change in steps. */
  private final Map<String, ObjectNode> before = new TreeMap<>();

  TenantRollouts(SharedCluster cluster, TenantPolicies policies, TenantWorkloads workloads) {
    this.cluster = cluster;
    this.policies = policies;
    this.workloads = workloads;
  }

  /** Changes a policy in steps, or creates pods of one that changes so, or intervenes in it. */
  void change(int number, Random random) {
    List<String> gone = TenantPolicies.ALL.stream().filter(name -> policy(name).isEmpty()).toList();
    if (!gone.isEmpty() && random.nextBoolean()) {
      policies.write(gone.getFirst(), random);
      return;
    }
    List<String> open = TenantPolicies.ALL.stream().filter(this::isOpen).toList();
    if (!open.isEmpty() && random.nextInt(5) < 3) {
      workloads.ofPolicy(open.get(random.nextInt(open.size())), number, random);
    } else if (open.isEmpty() || random.nextInt(3) == 0) {
      begin(TenantPolicies.ALL.get(random.nextInt(TenantPolicies.ALL.size())), random);
    } else {
      intervene(open.get(random.nextInt(open.size())), random);
    }
  }

  private Optional<ObjectNode> policy(String name) {
    return cluster.find(new ObjectKey("SchedulingPolicy", "", name));
  }

  private boolean isOpen(String name) {
    return policy(name)
        .map(policy -> policy.at("/status/rollout/phase").asText())
        .filter(phase -> !phase.isEmpty() && !phase.equals("Complete"))
        .isPresent();
  }

  private void begin(String name, Random random) {
    ObjectNode spec = policies.spec(name, random);
    steps(spec.putObject(ROLLOUT), random);
    if (random.nextInt(2) == 0) { // its pods of other namespaces are denied
      spec.putObject("allowedNamespaces")
          .putArray("names")
          .add(Tenants.NAMESPACES.get(random.nextInt(Tenants.NAMESPACES.size())));
    }
    write(name, spec);
  }

  private static void steps(ObjectNode rollout, Random random) {
    int count = random.nextInt(1, 4);
    int percent = 0;
    ArrayNode steps = rollout.putArray("steps");
    for (int i = 0; i < count; i++) {
      percent = random.nextInt(percent + 1, 100 - count + i + 1);
      int hold = random.nextBoolean() ? random.nextInt(2, 20) : random.nextInt(20, 150);
      steps.addObject().put("percent", percent).put("hold", hold + "s");
    }
    if (random.nextInt(4) > 0) {
      ObjectNode limits = rollout.putObject(ABORT_WHEN);
      limits.put("unschedulableAbove", random.nextInt(0, 30));
      limits.put("deniedAbove", random.nextInt(0, 20));
    }
    if (random.nextInt(6) == 0) {
      rollout.put(PAUSED, true);
    }
  }

  private void intervene(String name, Random random) {
    ObjectNode spec = (ObjectNode) policy(name).orElseThrow().path("spec").deepCopy();
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> togglePause(name, spec);
      case 3 -> { // a further change
        JsonNode rollout = spec.path(ROLLOUT);
        ObjectNode other = policies.spec(name, random);
        other.set(ROLLOUT, rollout);
        write(name, other);
      }
      case 4, 5 -> goBack(name, spec);
      case 6 -> { // other steps for the same change
        steps(spec.putObject(ROLLOUT), random);
        policies.write(name, spec);
      }
      case 7 -> {
        if (spec.path(ROLLOUT) instanceof ObjectNode rollout) {
          rollout.remove(ABORT_WHEN);
        }
        policies.write(name, spec);
      }
      case 8 -> { // the change applies to all
        spec.remove(ROLLOUT);
        policies.write(name, spec);
      }
      default -> cluster.delete(new ObjectKey("SchedulingPolicy", "", name));
    }
  }

  private void togglePause(String name, ObjectNode spec) {
    if (spec.path(ROLLOUT) instanceof ObjectNode rollout) {
      if (rollout.path(PAUSED).asBoolean()) {
        rollout.remove(PAUSED);
      } else {
        rollout.put(PAUSED, true);
      }
      policies.write(name, spec);
    }
  }

  /** Writes the spec from before the change, with the same steps. */
  private void goBack(String name, ObjectNode spec) {
    ObjectNode earlier = before.get(name);
    if (earlier != null) {
      ObjectNode back = earlier.deepCopy();
      back.set(ROLLOUT, spec.path(ROLLOUT));
      write(name, back);
    }
  }

  private void write(String name, ObjectNode spec) {
    policy(name).ifPresent(policy -> before.put(name, (ObjectNode) policy.path("spec").deepCopy()));
    policies.write(name, spec);
  }
}
