package io.berth.demo.trial;

import io.berth.crds.Installation;
import io.berth.crds.SchedulingQueue;
import io.berth.crds.SchedulingQueueSpec;
import io.berth.crds.queue.QueueNamespaces;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Guest;
import io.berth.demo.cluster.Manifests;
import io.berth.demo.cluster.ReadyNodes;
import io.berth.demo.history.Amounts;
import io.berth.demo.history.TenantQueue;
import io.berth.demo.story.NodeTaints;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The objects that a trial needs on a cluster: Berth's objects, a namespace for the second Berth,
 * nodes with a taint that only the pods of the trial tolerate, a PriorityClass, a namespace for the
 * pods, and queues.
 */
final class TrialGround {
  /**
   * The key of the taint and the label of the nodes. Pods tolerate the taint and select the label.
   */
  static final String MARK = "berth.io/trial";

  static final String POOL_LABEL = "berth.io/trial-pool";
  static final int HIGH = 1000;

  private static final Set<String> NOT_NEEDED =
      Set.of(
          "Deployment",
          "Service",
          "PodDisruptionBudget",
          "NetworkPolicy",
          "MutatingWebhookConfiguration",
          "ValidatingWebhookConfiguration");
  private static final Map<String, Quantity> SIZE =
      Map.of("cpu", new Quantity("4"), "memory", new Quantity("16Gi"), "pods", new Quantity("20"));

  /** A quarter of the CPUs of eight nodes. */
  private static final Map<String, Quantity> GUARANTEE = Map.of("cpu", new Quantity("8"));

  /** Less than the pods of the queue would use. */
  private static final Map<String, Quantity> LIMIT = Map.of("cpu", new Quantity("3"));

  private final KubernetesClient admin;
  private final Guest guest;
  private final Checkout checkout;
  private final String id = Long.toString(System.nanoTime(), 36);
  private boolean claims;

  private TrialGround(KubernetesClient admin, Checkout checkout) {
    this.admin = admin;
    this.checkout = checkout;
    this.guest = new Guest(admin, checkout);
  }

  /**
   * Creates the objects on a cluster.
   *
   * @throws IllegalStateException if Berth is already installed
   */
  static TrialGround prepare(KubernetesClient admin, Checkout checkout, int nodes)
      throws InterruptedException {
    TrialGround ground = new TrialGround(admin, checkout);
    ground.guest.refuseInstalled("the trial");
    try {
      new Manifests(admin)
          .apply(checkout.manifests(), object -> !NOT_NEEDED.contains(object.getKind()));
      ground.guest.createNamespace(ground.secondNamespace());
      ground.copyRole();
      boolean controllers = ground.guest.createNamespace(ground.namespace());
      // Without its controller, claims are neither made nor released.
      ground.claims = controllers && admin.supports("resource.k8s.io/v1", "ResourceClaim");
      if (ground.claims) {
        TrialDevices.classAndTemplate(ground).forEach(ground.guest::create);
      }
      ground.createPriorityClass(ground.highPriority(), HIGH);
      ground.createQueue(ground.restOfPods(), Map.of(), Map.of());
      ground.createQueue(ground.guaranteedQueue(), GUARANTEE, Map.of());
      ground.createQueue(ground.limitedQueue(), Map.of(), LIMIT);
      for (int i = 0; i < nodes; i++) {
        ground.createNode(i);
      }
      return ground;
    } catch (InterruptedException | RuntimeException e) {
      ground.remove();
      throw e;
    }
  }

  /** Returns the namespace of the pods. */
  String namespace() {
    return "trial-" + id;
  }

  /** Returns the namespace of the second Berth's Lease. */
  String secondNamespace() {
    return "trial-second-" + id;
  }

  /** Returns the PriorityClass of pods that can preempt others. */
  String highPriority() {
    return "trial-high-" + id;
  }

  /** Returns the queue of pods that name none: the first that admits their namespace, by name. */
  private String restOfPods() {
    return "trial-" + id + "-a-rest";
  }

  /** Returns the name of the queue with a guarantee. */
  String guaranteedQueue() {
    return "trial-" + id + "-b-guaranteed";
  }

  /** Returns the name of the queue with a limit. */
  String limitedQueue() {
    return "trial-" + id + "-c-limited";
  }

  /** Returns the queues whose pods are checked. */
  List<TenantQueue> queues() {
    return List.of(
        new TenantQueue(guaranteedQueue(), Amounts.of(GUARANTEE), Amounts.NONE),
        new TenantQueue(limitedQueue(), Amounts.NONE, Amounts.of(LIMIT)));
  }

  /** Returns whether a node belongs to the trial. */
  boolean isOurs(String node) {
    return node.startsWith(nodePrefix());
  }

  void remove() throws InterruptedException {
    guest.remove();
  }

  private String nodePrefix() {
    return "trial-node-" + id + "-";
  }

  /** Copies the Roles and RoleBindings of Berth's namespace to the second namespace. */
  private void copyRole() {
    Manifests manifests = new Manifests(admin);
    checkout.manifests().stream()
        .flatMap(file -> manifests.read(file).stream())
        .filter(object -> Installation.NAMESPACE.equals(object.getMetadata().getNamespace()))
        .map(this::inSecondNamespace)
        .forEach(copy -> copy.ifPresent(guest::create));
  }

  private Optional<HasMetadata> inSecondNamespace(HasMetadata object) {
    return switch (object) {
      case Role role ->
          Optional.of(
              new RoleBuilder(role)
                  .editMetadata()
                  .withNamespace(secondNamespace())
                  .endMetadata()
                  .build());
      case RoleBinding binding ->
          Optional.of(
              new RoleBindingBuilder(binding)
                  .editMetadata()
                  .withNamespace(secondNamespace())
                  .endMetadata()
                  .build());
      default -> Optional.empty();
    };
  }

  private void createPriorityClass(String name, int value) {
    guest.create(
        new PriorityClassBuilder()
            .withNewMetadata()
            .withName(name)
            .endMetadata()
            .withValue(value)
            .build());
  }

  private void createQueue(
      String name, Map<String, Quantity> guarantee, Map<String, Quantity> limit) {
    SchedulingQueue queue = new SchedulingQueue();
    queue.setMetadata(new ObjectMetaBuilder().withName(name).build());
    queue.setSpec(
        new SchedulingQueueSpec(
            null,
            guarantee,
            limit,
            1,
            0,
            null,
            null,
            null,
            new QueueNamespaces(List.of(namespace()), null)));
    guest.create(queue);
  }

  private void createNode(int i) {
    String name = nodePrefix() + i;
    guest.create(
        new NodeBuilder()
            .withNewMetadata()
            .withName(name)
            .addToLabels(MARK, id)
            .addToLabels(POOL_LABEL, i % 2 == 0 ? "even" : "odd")
            .addToLabels("kubernetes.io/hostname", name)
            .endMetadata()
            .withNewSpec()
            .addNewTaint("NoSchedule", MARK, null, id)
            .endSpec()
            .withStatus(ReadyNodes.status(claims ? TrialDevices.with(SIZE) : SIZE))
            .build());
    if (claims) {
      guest.create(TrialDevices.of(name, this));
    }
    NodeTaints.clear(admin, admin.nodes().withName(name).get());
  }

  /** Returns whether pods may use devices by resource claims. */
  boolean hasClaims() {
    return claims;
  }

  /** Returns the value of {@link #MARK}. */
  String id() {
    return id;
  }
}
