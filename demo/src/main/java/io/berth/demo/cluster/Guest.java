package io.berth.demo.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A temporary installation of Berth on a cluster that may contain other objects: its manifests,
 * namespaces, and additional objects, all of which are deleted by {@link #remove()}.
 */
public final class Guest {
  private static final Duration CONTROLLERS_PATIENCE = Duration.ofSeconds(5);
  private static final Duration REMOVAL_PATIENCE = Duration.ofSeconds(60);

  private final KubernetesClient admin;
  private final List<HasMetadata> installation = new ArrayList<>();
  private final Set<String> namespaces = new LinkedHashSet<>();
  private boolean controllers;

  public Guest(KubernetesClient admin, Checkout checkout) {
    this.admin = admin;
    Manifests manifests = new Manifests(admin);
    checkout.manifests().forEach(file -> installation.addAll(manifests.read(file)));
  }

  /**
   * Rejects a cluster on which Berth is already installed.
   *
   * @param purpose the purpose of the installation, for the message
   * @throws IllegalStateException if any of its objects exists
   */
  public void refuseInstalled(String purpose) {
    for (HasMetadata object : installation) {
      if (find(object) != null) {
        throw new IllegalStateException(
            "%s already has the %s %s: %s installs Berth and removes it again; use a cluster without it"
                .formatted(
                    admin.getMasterUrl(),
                    object.getKind(),
                    object.getMetadata().getName(),
                    purpose));
      }
    }
  }

  /**
   * Creates a namespace with its default ServiceAccount.
   *
   * @return whether controllers are running, so that a Deployment would create pods
   */
  public boolean createNamespace(String name) throws InterruptedException {
    namespaces.add(name);
    admin
        .namespaces()
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
    var accounts = admin.serviceAccounts().inNamespace(name);
    controllers =
        Patience.within(CONTROLLERS_PATIENCE, () -> accounts.withName("default").get() != null);
    if (!controllers) {
      accounts
          .resource(
              new ServiceAccountBuilder()
                  .withNewMetadata()
                  .withName("default")
                  .endMetadata()
                  .build())
          .create();
    }
    return controllers;
  }

  /** Creates an object that is deleted with the rest. */
  public void create(HasMetadata object) {
    add(object);
    admin.resource(object).create();
  }

  /**
   * Registers an object that was or will be created elsewhere, so that it is deleted with the rest.
   */
  public void add(HasMetadata object) {
    installation.add(object);
  }

  /** Returns the registered objects and namespaces that still exist. */
  public List<String> leftBehind() {
    List<String> left = new ArrayList<>();
    for (HasMetadata object : installation) {
      if (find(object) != null) {
        left.add(object.getKind() + " " + object.getMetadata().getName());
      }
    }
    for (String namespace : namespaces) {
      if (admin.namespaces().withName(namespace).get() != null) {
        left.add("Namespace " + namespace);
      }
    }
    return left;
  }

  /** Deletes everything, including objects that only a controller would delete. */
  public void remove() throws InterruptedException {
    for (String namespace : namespaces) {
      admin.apps().deployments().inNamespace(namespace).delete();
      admin.pods().inNamespace(namespace).withGracePeriod(0).delete();
      admin.namespaces().withName(namespace).delete();
    }
    List<HasMetadata> latestFirst = new ArrayList<>(installation);
    Collections.reverse(latestFirst);
    for (HasMetadata object : latestFirst) {
      if (find(object) != null) {
        admin.resource(object).delete();
      }
    }
    Patience.within(
        REMOVAL_PATIENCE,
        () -> {
          if (!controllers) {
            endNamespaces();
          }
          return leftBehind().isEmpty();
        });
  }

  /** Finalizes terminating namespaces in place of the namespace controller. */
  private void endNamespaces() {
    List<String> names = new ArrayList<>(namespaces);
    installation.stream()
        .filter(Namespace.class::isInstance)
        .forEach(object -> names.add(object.getMetadata().getName()));
    for (String name : names) {
      Namespace ending = admin.namespaces().withName(name).get();
      if (ending != null && ending.getMetadata().getDeletionTimestamp() != null) {
        empty(name);
        Namespace ended =
            new NamespaceBuilder(ending)
                .editOrNewSpec()
                .withFinalizers(List.of())
                .endSpec()
                .build();
        admin.raw("/api/v1/namespaces/" + name + "/finalize", "PUT", ended);
      }
    }
  }

  private void empty(String name) {
    admin.pods().inNamespace(name).withGracePeriod(0).delete();
    admin.apps().replicaSets().inNamespace(name).delete();
    admin.apps().controllerRevisions().inNamespace(name).delete();
    admin.serviceAccounts().inNamespace(name).delete();
    admin.secrets().inNamespace(name).delete();
    admin.configMaps().inNamespace(name).delete();
    admin.leases().inNamespace(name).delete();
    admin.rbac().roleBindings().inNamespace(name).delete();
    admin.rbac().roles().inNamespace(name).delete();
    admin.v1().events().inNamespace(name).delete();
  }

  /** Returns the object on the cluster; null if it or its kind does not exist. */
  private @Nullable HasMetadata find(HasMetadata object) {
    try {
      return admin.resource(object).get();
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return null;
      }
      throw e;
    }
  }
}
