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
 * A Berth that is on a cluster for a while only, beside what else is there: its manifests,
 * namespaces and further objects, all of which go again with {@link #remove()}.
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
   * Refuses a cluster on which Berth is installed.
   *
   * @param purpose what it would be installed for, to be named in the message
   * @throws IllegalStateException when any of its objects is there
   */
  public void refuseInstalled(String purpose) {
    for (HasMetadata object : installation) {
      if (find(object) != null) {
        throw new IllegalStateException(
            "%s has a %s %s already: %s installs Berth and removes it again; name a cluster without it"
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
   * @return whether controllers run there: whether a Deployment would make pods
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

  /** Creates an object that goes again with the rest. */
  public void create(HasMetadata object) {
    add(object);
    admin.resource(object).create();
  }

  /** Has an object that is there, or will be, go with the rest. */
  public void add(HasMetadata object) {
    installation.add(object);
  }

  /** Returns what is left of what was installed or created there; empty once it is removed. */
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

  /** Removes everything, also what no controller would remove. */
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

  /** Does for namespaces that are being deleted what the namespace controller would. */
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

  /** The object as it is on the cluster; null where it, or its kind, is not there. */
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
