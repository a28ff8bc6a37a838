package io.berth.demo.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingQueue;
import io.berth.crds.SchedulingQueueStatus;
import io.berth.demo.ground.BerthGround;
import java.util.Objects;

/** The stories of samples and guides about queues of tenants. */
final class QueueStories {
  private QueueStories() {}

  /** Three teams with guarantees. */
  static Story teams() {
    return new Story.Steps()
        .then("kubectl apply -f samples/queues", g -> {})
        .then(
            "kubectl -n red get pods -o wide",
            g -> assertThat(running(g, "red", "work")).isEqualTo(36))
        .then("kubectl -n green scale deployment work --replicas=11", g -> {})
        .then(
            "kubectl -n green get pods -o wide",
            g -> assertThat(running(g, "green", "work")).isEqualTo(11))
        .then("kubectl -n blue scale deployment work --replicas=7", g -> {})
        .then(
            "kubectl -n blue get pods -o wide",
            g -> {
              assertThat(running(g, "blue", "work")).isEqualTo(7);
              assertThat(running(g, "green", "work")).isEqualTo(11);
              assertThat(running(g, "red", "work")).isEqualTo(18);
            })
        .then(
            "kubectl get sq",
            g -> {
              assertThat(status(g, "red").pods()).isEqualTo(18);
              assertThat(status(g, "red").guaranteeMet()).isTrue();
            })
        .then("kubectl delete sq red", g -> {})
        .then("kubectl delete sq green", g -> {})
        .then("kubectl delete sq blue", g -> {})
        .of("queues");
  }

  /** A queue of lower priority that borrows the cluster. */
  static Story research() {
    return new Story.Steps()
        .then("kubectl apply -f samples/queue-research", g -> {})
        .then(
            "kubectl -n research get pods -o wide",
            g -> assertThat(running(g, "research", "explore")).isEqualTo(36))
        .then("kubectl -n production scale deployment serve --replicas=20", g -> {})
        .then(
            "kubectl -n production get pods -o wide",
            g -> {
              assertThat(running(g, "production", "serve")).isEqualTo(20);
              assertThat(running(g, "research", "explore")).isEqualTo(16);
            })
        .then("kubectl -n production scale deployment serve --replicas=32", g -> {})
        .then(
            "kubectl -n production get pods",
            g -> {
              assertThat(running(g, "production", "serve")).isEqualTo(30);
              assertThat(running(g, "research", "explore")).isEqualTo(6);
            })
        .then(
            "kubectl get sq",
            g ->
                assertThat(status(g, "production").firstWaits())
                    .startsWith("queue production uses 30 of 30 cpu"))
        .then("kubectl delete sq research", g -> {})
        .then("kubectl delete sq production", g -> {})
        .of("queue-research");
  }

  /** Queues that count GPUs alone. */
  static Story gpus() {
    String gpus =
        "kubectl patch node %s --subresource=status --type=merge -p"
            + " '{\"status\":{\"capacity\":{\"nvidia.com/gpu\":\"4\"},"
            + "\"allocatable\":{\"nvidia.com/gpu\":\"4\"}}}'";
    return new Story.Steps()
        .then("kubectl label node node-a-0 node-b-0 example.com/gpu=present", g -> {})
        .then(gpus.formatted("node-a-0"), g -> {})
        .then(gpus.formatted("node-b-0"), g -> {})
        .then("kubectl apply -f samples/queue-gpu", g -> {})
        .then(
            "kubectl -n speech get pods -o wide",
            g -> assertThat(running(g, "speech", "transcribe")).isEqualTo(4))
        .then("kubectl -n vision scale deployment train --replicas=6", g -> {})
        .then(
            "kubectl -n vision get pods -o wide",
            g -> {
              assertThat(running(g, "vision", "train")).isEqualTo(6);
              assertThat(running(g, "speech", "transcribe")).isEqualTo(2);
            })
        .then("kubectl get sq", g -> assertThat(status(g, "vision").guaranteeMet()).isTrue())
        .then("kubectl delete sq vision", g -> {})
        .then("kubectl delete sq speech", g -> {})
        .of("queue-gpu");
  }

  /** Teams that have queues in place of quotas. */
  static Story resourceQuotaToQueues() {
    return new Story.Steps()
        .then("kubectl apply -f teams.yaml", g -> {})
        .then("kubectl apply -f work.yaml", g -> {})
        .then(
            "kubectl -n maps get pods",
            g -> {
              assertThat(g.pods("maps", "render")).hasSize(12);
              assertThat(running(g, "maps", "render")).isEqualTo(12);
            })
        .then("kubectl apply -f queues.yaml", g -> {})
        .then("kubectl get sq", g -> assertThat(status(g, "maps").pods()).isEqualTo(12))
        .then("kubectl -n maps delete resourcequota compute", g -> {})
        .then("kubectl -n search delete resourcequota compute", g -> {})
        .then("kubectl -n maps scale deployment render --replicas=36", g -> {})
        .then(
            "kubectl -n maps get pods -o wide",
            g -> assertThat(running(g, "maps", "render")).isEqualTo(36))
        .then("kubectl -n search scale deployment index --replicas=12", g -> {})
        .then(
            "kubectl -n search get pods -o wide",
            g -> {
              assertThat(running(g, "search", "index")).isEqualTo(12);
              assertThat(running(g, "maps", "render")).isEqualTo(24);
            })
        .then("kubectl get sq", g -> assertThat(status(g, "search").guaranteeMet()).isTrue())
        .then("kubectl delete sq maps", g -> {})
        .then("kubectl delete sq search", g -> {})
        .of("resource-quota-to-queues");
  }

  private static SchedulingQueueStatus status(BerthGround ground, String queue) {
    return Objects.requireNonNull(
        ground.admin().resources(SchedulingQueue.class).withName(queue).get().getStatus());
  }

  private static int running(BerthGround ground, String namespace, String app) {
    return (int)
        ground.pods(namespace, app).stream()
            .filter(pod -> !pod.isMarkedForDeletion())
            .filter(pod -> pod.getSpec().getNodeName() != null)
            .count();
  }
}
