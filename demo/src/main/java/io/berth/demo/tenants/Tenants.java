package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The users of the simulated cluster. Each step is drawn from the seed and the number of the step
 * alone, with the mix of its {@link Stretch}, so that the other steps stay the same if one is left
 * out.
 */
public final class Tenants {
  public static final List<String> NAMESPACES = List.of("team-a", "team-b", "team-c");

  /** The namespace of the pods that must be placed soon, whatever the tenants do. */
  public static final String PROBES = "probes";

  /** The name of the scheduler of all pods. */
  public static final String SCHEDULER = "berth";

  /** The policy whose pods an extender decides about. */
  public static final String EXTENDED_POLICY = TenantPolicies.LICENSED;

  /** The resource that pods get by claims alone: no device plugin counts it. */
  public static final String EXTENDED_RESOURCE = TenantDevices.EXTENDED;

  /** The binding of pods of ReplicaSets, with {@code repair: Recreate}. */
  public static final String REPAIRED_BINDING = "repaired";

  /** The annotation with the number of seconds after which a pod succeeds. */
  public static final String SECONDS = "simulation/seconds";

  /** The annotation of pods that are deleted while they get devices. */
  public static final String IMPATIENT = "simulation/impatient";

  /** The annotation of nodes whose kubelet does not answer: nothing starts or ends there. */
  public static final String DEAD = "simulation/dead";

  /** The beginning of the names of all nodes. */
  public static final String NODE_PREFIX = "tenants-node-";

  /** The number of steps that are drawn from the same mix. */
  public static final int STEPS_OF_A_MIX = Stretch.STEPS;

  private final Disturbances disturbances;
  private final TenantLimits limits;
  private final TenantNodes nodes;
  private final TenantPolicies policies;
  private final TenantRollouts rollouts;
  private final TenantBindings bindings;
  private final TenantQueues queues;
  private final TenantWorkloads workloads;
  private final TenantChanges changes;
  private final TenantReplicas replicas;
  private final TenantDevices devices;
  private final TenantClaims claims;
  private final long seed;
  private final List<StepKind> kinds;

  public Tenants(SharedCluster cluster, Disturbances disturbances, TenantLimits limits, long seed) {
    this.disturbances = disturbances;
    this.limits = limits;
    this.seed = seed;
    this.devices = new TenantDevices(cluster);
    this.claims = new TenantClaims(cluster, limits);
    this.nodes = new TenantNodes(cluster, limits, devices);
    this.policies = new TenantPolicies(cluster, disturbances);
    this.bindings = new TenantBindings(cluster);
    this.queues = new TenantQueues(cluster);
    this.replicas = new TenantReplicas(cluster, disturbances);
    this.workloads = new TenantWorkloads(cluster, limits, nodes);
    this.rollouts = new TenantRollouts(cluster, policies, workloads);
    this.changes = new TenantChanges(cluster);
    this.kinds = kinds();
  }

  /** Returns the kinds of steps, with their weights in thousandths of a mix of everything. */
  private List<StepKind> kinds() {
    List<StepKind> all = new ArrayList<>();
    all.add(StepKind.always(240, workloads::app));
    all.add(StepKind.always(160, (number, stretch, random) -> changes.deleteSome(stretch, random)));
    all.add(StepKind.always(100, (number, stretch, random) -> nodes.change(number, random)));
    all.add(StepKind.sometimes(80, workloads::group));
    all.add(StepKind.sometimes(40, changes::loseMembers));
    all.add(StepKind.sometimes(30, workloads::squeeze));
    all.add(StepKind.sometimes(40, workloads::gpus));
    all.add(StepKind.sometimes(30, workloads::kin));
    all.add(StepKind.sometimes(40, workloads::flood));
    all.add(StepKind.sometimes(40, (number, stretch, random) -> changes.relabel(stretch, random)));
    all.add(StepKind.sometimes(10, (number, stretch, random) -> changes.budget(stretch, random)));
    all.add(StepKind.sometimes(30, (number, stretch, random) -> bindings.change(stretch, random)));
    all.add(StepKind.sometimes(20, (number, stretch, random) -> policies.changeAny(random)));
    all.add(StepKind.sometimes(10, (number, stretch, random) -> breakExtender(random)));
    all.add(StepKind.sometimes(40, this::breakWebhook));
    all.add(StepKind.sometimes(30, workloads::podGroup));
    all.add(StepKind.sometimes(10, (number, stretch, random) -> workloads.changePodGroup(random)));
    if (limits.queues()) {
      all.add(StepKind.sometimes(8, (number, stretch, random) -> queues.change(random)));
    }
    if (limits.rollouts()) {
      all.add(StepKind.sometimes(90, (number, stretch, random) -> rollouts.change(number, random)));
    }
    if (limits.replicaSets()) {
      all.add(
          StepKind.sometimes(40, (number, stretch, random) -> replicas.change(stretch, random)));
    }
    if (limits.claims()) {
      all.add(StepKind.sometimes(110, claims::create));
      all.add(StepKind.sometimes(10, (number, stretch, random) -> claims.delete(random)));
      all.add(StepKind.sometimes(20, (number, stretch, random) -> devices.change(random)));
    }
    all.add(StepKind.faultOfAll(20, (number, stretch, random) -> disturbances.breakServer(random)));
    all.add(StepKind.faultOfAll(15, (number, stretch, random) -> disturbances.stallWatches()));
    all.add(StepKind.faultOfAll(15, (number, stretch, random) -> disturbances.crash()));
    return List.copyOf(all);
  }

  /** Creates the first nodes and policies; the namespaces exist. */
  public void begin() {
    Random random = new Random(seed);
    if (limits.claims()) {
      devices.begin();
    }
    int count = random.nextInt(3, limits.firstNodes());
    for (int i = 0; i < count; i++) {
      nodes.create(NODE_PREFIX + i, random);
    }
    TenantPolicies.ALL.forEach(name -> policies.write(name, random));
    bindings.begin(random);
  }

  /** Does something. */
  public void step(int number) {
    Stretch stretch = Stretch.of(seed, (number - 1) / Stretch.STEPS, kinds);
    Random random = Stretch.randomOf(seed, number);
    stretch.kind(random).action().run(number, stretch, random);
  }

  /** Returns a pod without requests, which must be placed soon. */
  public static ObjectNode probe(String name) {
    ObjectNode pod = KubeObjects.create("Pod", PROBES, name);
    ObjectNode spec = pod.withObject("/spec").put("schedulerName", SCHEDULER);
    spec.putArray("containers").addObject().put("name", "main").put("image", "probe");
    pod.withObject("/status").put("phase", "Pending");
    return pod;
  }

  /** Breaks or mends the webhook for the Bindings of a namespace, where many pods are created. */
  private void breakWebhook(int number, Stretch stretch, Random random) {
    String namespace = stretch.namespace(random);
    disturbances.webhook(namespace, stretch.webhook(random));
    workloads.unaware(namespace, number, stretch, random);
  }

  private void breakExtender(Random random) {
    Disturbances.Extender[] states = Disturbances.Extender.values();
    disturbances.extender(states[random.nextInt(states.length)]);
  }
}
