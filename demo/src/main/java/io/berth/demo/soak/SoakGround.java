package io.berth.demo.soak;

import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Guest;
import io.berth.demo.tenants.Tenants;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/** The objects that a soak needs on a cluster besides those of its tenants. */
final class SoakGround {
  private static final int[] PRIORITIES = {100, 200};

  private final KubernetesClient admin;
  private final Guest guest;

  private SoakGround(KubernetesClient admin, Guest guest) {
    this.admin = admin;
    this.guest = guest;
  }

  /**
   * Creates the objects on a cluster.
   *
   * @throws IllegalStateException if Berth is already installed
   */
  static SoakGround prepare(KubernetesClient admin) throws InterruptedException {
    Checkout checkout = Checkout.find();
    SoakGround ground = new SoakGround(admin, new Guest(admin, checkout));
    ground.guest.refuseInstalled("the soak");
    try {
      BerthInstallation.install(admin, checkout);
      for (String namespace : Tenants.NAMESPACES) {
        ground.guest.createNamespace(namespace);
      }
      ground.guest.createNamespace(Tenants.PROBES);
      for (int priority : PRIORITIES) {
        ground.guest.create(
            new PriorityClassBuilder()
                .withNewMetadata()
                .withName(priorityClass(priority))
                .endMetadata()
                .withValue(priority)
                .build());
      }
      return ground;
    } catch (InterruptedException | RuntimeException e) {
      ground.guest.remove();
      throw e;
    }
  }

  /** Returns the name of the PriorityClass of a priority. */
  static String priorityClass(int priority) {
    return "soak-" + priority;
  }

  /** Removes everything, also what the tenants have created. */
  void remove() throws InterruptedException {
    admin.nodes().withLabel(ApiCluster.MARK).delete();
    guest.remove();
  }
}
