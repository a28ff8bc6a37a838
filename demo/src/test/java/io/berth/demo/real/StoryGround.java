package io.berth.demo.real;

import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Manifests;
import io.berth.demo.cluster.Patience;
import io.berth.demo.story.PoolNodes;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the story needs on a cluster that has other things on it: a namespace of its own, empty
 * nodes in the pools A and B, and that there is no Berth yet. All of it, and Berth with it, is gone
 * when this is closed.
 */
final class StoryGround implements AutoCloseable {
  private static final String POOL_LABEL = "cloud.ctrip.com/pool";
  private static final int NODES_A_POOL = 3;
  private static final Duration CONTROLLERS_PATIENCE = Duration.ofSeconds(5);
  private static final Duration REMOVAL_PATIENCE = Duration.ofSeconds(60);
  private static final Map<String, Quantity> SIZE =
      Map.of("cpu", new Quantity("4"), "memory", new Quantity("16Gi"), "pods", new Quantity("110"));

  private final KubernetesClient admin;
  private final List<HasMetadata> installation;
  private final String namespace = "berth-story-" + Long.toString(System.nanoTime(), 36);
  private final Set<String> othersNodes;
  private boolean controllers;

  private StoryGround(KubernetesClient admin, Checkout checkout) {
    this.admin = admin;
    Manifests manifests = new Manifests(admin);
    this.installation = new ArrayList<>();
    checkout.manifests().forEach(file -> installation.addAll(manifests.read(file)));
    this.othersNodes =
        admin.nodes().list().getItems().stream()
            .map(node -> node.getMetadata().getName())
            .collect(Collectors.toSet());
  }

  /**
   * Prepares a cluster.
   *
   * @throws IllegalStateException when Berth is installed there, or there are nodes in the pools
   */
  static StoryGround prepare(KubernetesClient admin, Checkout checkout)
      throws InterruptedException {
    StoryGround ground = new StoryGround(admin, checkout);
    ground.refuseWhatIsInUse();
    try {
      ground.createNamespace();
      ground.createNodes();
      return ground;
    } catch (InterruptedException | RuntimeException e) {
      ground.remove();
      throw e;
    }
  }

  String namespace() {
    return namespace;
  }

  /** Whether controllers run there: whether a Deployment makes pods. */
  boolean controllers() {
    return controllers;
  }

  /** What is left of what was installed or created there; empty once this is closed. */
  List<String> leftBehind() {
    List<String> left = new ArrayList<>();
    for (HasMetadata object : installation) {
      if (find(object) != null) {
        left.add(object.getKind() + " " + object.getMetadata().getName());
      }
    }
    if (admin.namespaces().withName(namespace).get() != null) {
      left.add("Namespace " + namespace);
    }
    ourNodes().forEach(node -> left.add("Node " + node.getMetadata().getName()));
    return left;
  }

  @Override
  public void close() {
    try {
      remove();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void refuseWhatIsInUse() {
    for (HasMetadata object : installation) {
      if (find(object) != null) {
        throw new IllegalStateException(
            "%s has a %s %s already: the story installs Berth and removes it again; name a cluster without it"
                .formatted(admin.getMasterUrl(), object.getKind(), object.getMetadata().getName()));
      }
    }
    if (!admin.nodes().withLabelIn(POOL_LABEL, "A", "B").list().getItems().isEmpty()) {
      throw new IllegalStateException(
          "%s has nodes labelled %s=A or B: the story needs these pools for itself"
              .formatted(admin.getMasterUrl(), POOL_LABEL));
    }
  }

  private void createNamespace() throws InterruptedException {
    admin
        .namespaces()
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    var accounts = admin.serviceAccounts().inNamespace(namespace);
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
  }

  private void createNodes() {
    for (String pool : List.of("A", "B")) {
      for (int i = 0; i < NODES_A_POOL; i++) {
        String name = "%s-%s-%d".formatted(namespace, pool.toLowerCase(Locale.ROOT), i);
        PoolNodes.add(admin, name, pool, SIZE);
      }
    }
  }

  private List<Node> ourNodes() {
    return admin.nodes().withLabelIn(POOL_LABEL, "A", "B").list().getItems().stream()
        .filter(node -> !othersNodes.contains(node.getMetadata().getName()))
        .toList();
  }

  private void remove() throws InterruptedException {
    admin.apps().deployments().inNamespace(namespace).delete();
    admin.pods().inNamespace(namespace).withGracePeriod(0).delete();
    admin.namespaces().withName(namespace).delete();
    List<HasMetadata> latestFirst = new ArrayList<>(installation);
    Collections.reverse(latestFirst);
    for (HasMetadata object : latestFirst) {
      if (find(object) != null) {
        admin.resource(object).delete();
      }
    }
    ourNodes().forEach(node -> admin.resource(node).delete());
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
    List<String> names = new ArrayList<>(List.of(namespace));
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
