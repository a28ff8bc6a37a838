package io.berth.demo.soak;

import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Guest;
import io.berth.demo.tenants.Tenants;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.List;

/** The objects that a soak needs on a cluster besides those of its tenants. */
final class SoakGround {
  private static final int[] PRIORITIES = {100, 200};

  /** The PodGroups of scheduler-plugins, which are installed if the cluster has none. */
  private static final ResourceDefinitionContext POD_GROUPS =
      new ResourceDefinitionContext.Builder()
          .withGroup("scheduling.x-k8s.io")
          .withVersion("v1alpha1")
          .withKind("PodGroup")
          .withPlural("podgroups")
          .withNamespaced(true)
          .build();

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
      ground.installPodGroups();
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

  private void installPodGroups() {
    String name = POD_GROUPS.getPlural() + "." + POD_GROUPS.getGroup();
    var definitions = admin.apiextensions().v1().customResourceDefinitions();
    if (definitions.withName(name).get() != null) {
      return;
    }
    guest.create(
        new CustomResourceDefinitionBuilder()
            .withNewMetadata()
            .withName(name)
            // The API server asks for it, as the group is one of Kubernetes' projects.
            .addToAnnotations("api-approved.kubernetes.io", "unapproved, for tests")
            .endMetadata()
            .withNewSpec()
            .withGroup(POD_GROUPS.getGroup())
            .withScope("Namespaced")
            .withNewNames()
            .withKind(POD_GROUPS.getKind())
            .withPlural(POD_GROUPS.getPlural())
            .endNames()
            .addNewVersion()
            .withName(POD_GROUPS.getVersion())
            .withServed(true)
            .withStorage(true)
            .withNewSchema()
            .withNewOpenAPIV3Schema()
            .withType("object")
            .withXKubernetesPreserveUnknownFields(true)
            .endOpenAPIV3Schema()
            .endSchema()
            .withNewSubresources()
            .withNewStatus()
            .endStatus()
            .endSubresources()
            .endVersion()
            .endSpec()
            .build());
  }

  /** Returns the PodGroups of scheduler-plugins. */
  static List<GenericKubernetesResource> podGroups(KubernetesClient admin) {
    return admin.genericKubernetesResources(POD_GROUPS).inAnyNamespace().list().getItems();
  }

  /** Returns whether the cluster serves resource claims. */
  static boolean servesClaims(KubernetesClient admin) {
    return admin.supports("resource.k8s.io/v1", "ResourceClaim");
  }

  /** Returns the name of the PriorityClass of a priority. */
  static String priorityClass(int priority) {
    return "soak-" + priority;
  }

  /** Removes everything, also what the tenants have created. */
  void remove() throws InterruptedException {
    admin.nodes().withLabel(ApiCluster.MARK).delete();
    if (servesClaims(admin)) {
      admin.resources(ResourceSlice.class).withLabel(ApiCluster.MARK).delete();
      admin.resources(DeviceClass.class).withLabel(ApiCluster.MARK).delete();
    }
    guest.remove();
  }
}
