package io.berth.demo.real;

import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Guest;
import io.berth.demo.story.PoolNodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The environment of the story on a cluster with other workloads: a separate namespace, and empty
 * nodes in the pools A and B. Berth must not be installed yet. All objects, including Berth's, are
 * deleted on close.
 */
final class StoryGround implements AutoCloseable {
  private static final String POOL_LABEL = "cloud.ctrip.com/pool";
  private static final int NODES_A_POOL = 3;
  private static final Map<String, Quantity> SIZE =
      Map.of("cpu", new Quantity("4"), "memory", new Quantity("16Gi"), "pods", new Quantity("110"));

  private final KubernetesClient admin;
  private final Guest guest;
  private final String namespace = "berth-story-" + Long.toString(System.nanoTime(), 36);
  private final Set<String> othersNodes;
  private boolean controllers;

  private StoryGround(KubernetesClient admin, Checkout checkout) {
    this.admin = admin;
    this.guest = new Guest(admin, checkout);
    this.othersNodes =
        admin.nodes().list().getItems().stream()
            .map(node -> node.getMetadata().getName())
            .collect(Collectors.toSet());
  }

  /**
   * Prepares a cluster.
   *
   * @throws IllegalStateException if Berth is installed or the pools already have nodes
   */
  static StoryGround prepare(KubernetesClient admin, Checkout checkout)
      throws InterruptedException {
    StoryGround ground = new StoryGround(admin, checkout);
    ground.guest.refuseInstalled("the story");
    ground.refusePoolsInUse();
    try {
      ground.controllers = ground.guest.createNamespace(ground.namespace);
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

  /** Returns whether controllers are running, so that a Deployment creates pods. */
  boolean controllers() {
    return controllers;
  }

  /** Returns the remaining objects of the environment; empty after it has been closed. */
  List<String> leftBehind() {
    List<String> left = new ArrayList<>(guest.leftBehind());
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

  private void refusePoolsInUse() {
    if (!admin.nodes().withLabelIn(POOL_LABEL, "A", "B").list().getItems().isEmpty()) {
      throw new IllegalStateException(
          "%s has nodes labelled %s=A or B: the story needs these pools for itself"
              .formatted(admin.getMasterUrl(), POOL_LABEL));
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
    ourNodes().forEach(node -> admin.resource(node).delete());
    guest.remove();
  }
}
