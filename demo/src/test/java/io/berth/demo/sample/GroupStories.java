package io.berth.demo.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;

/** The stories of the samples whose subject is a group of pods. */
final class GroupStories {
  private GroupStories() {}

  static Story training() {
    return new Story.Steps()
        .then(
            "kubectl apply -f samples/training-group/policy.yaml",
            g -> g.awaitPolicy("training", "Serving"))
        .then(
            "kubectl apply -f samples/training-group/first.yaml",
            g -> assertThat(g.pods("default", "first")).hasSize(6))
        .then(
            "kubectl get pods -l app=first -o wide",
            g -> assertThat(new HashSet<>(nodes(g, "first"))).hasSize(6))
        .then(
            "kubectl apply -f samples/training-group/second.yaml",
            g -> assertThat(g.pods("default", "second")).hasSize(6))
        .then(
            "kubectl describe pods -l app=second",
            g -> {
              assertThat(nodes(g, "second")).isEmpty();
              assertThat(g.pods("default", "second"))
                  .allSatisfy(
                      pod ->
                          assertThat(BerthGround.waitsBecause(pod))
                              .isEqualTo(
                                  "group default/second cannot be placed: 6 of its pods have to be"
                                      + " placed together, and the nodes have room for 3"));
              assertThat(events(g, "second")).isNotEmpty();
            })
        .then("kubectl delete job first", g -> assertThat(g.pods("default", "first")).isEmpty())
        .then(
            "kubectl get pods -l app=second -o wide",
            g -> assertThat(new HashSet<>(nodes(g, "second"))).hasSize(6))
        .of("training-group");
  }

  static Story spark() {
    return new Story.Steps()
        .then(
            "kubectl apply -f samples/spark-group/policy.yaml",
            g -> g.awaitPolicy("spark-group", "Serving"))
        .then("kubectl apply -f samples/spark-group/driver.yaml", g -> {})
        .then(
            "kubectl get pods -l app=spark-driver -o wide",
            g -> assertThat(nodes(g, "spark-driver")).hasSize(1))
        .then(
            "kubectl apply -f samples/spark-group/executors.yaml",
            g -> assertThat(g.pods("default", "spark-executor")).hasSize(12))
        .then(
            "kubectl get pods -l app=spark-executor -o wide",
            g -> assertThat(nodes(g, "spark-executor")).hasSize(8))
        .then(
            "kubectl describe pods -l app=spark-executor",
            g ->
                assertThat(g.pods("default", "spark-executor"))
                    .filteredOn(pod -> pod.getSpec().getNodeName() == null)
                    .hasSize(4)
                    .allSatisfy(
                        pod ->
                            assertThat(BerthGround.waitsBecause(pod))
                                .contains("9 Insufficient cpu")))
        .of("spark-group");
  }

  static Story mpi() {
    return new Story.Steps()
        .then(
            "kubectl apply -f samples/mpi-group/policy.yaml", g -> g.awaitPolicy("mpi", "Serving"))
        .then(
            "kubectl apply -f samples/mpi-group/workers.yaml",
            g -> assertThat(g.pods("default", "mpi")).hasSize(3))
        .then(
            "kubectl describe pods -l app=mpi",
            g ->
                assertThat(g.pods("default", "mpi"))
                    .allSatisfy(
                        pod ->
                            assertThat(BerthGround.waitsBecause(pod))
                                .isEqualTo(
                                    "group default/ring waits for 1 more pod: 3 of at least 4"
                                        + " exist")))
        .then("kubectl apply -f samples/mpi-group/launcher.yaml", g -> {})
        .then(
            "kubectl get pods -l app=mpi -o wide",
            g -> {
              assertThat(nodes(g, "mpi")).hasSize(4);
              assertThat(g.byPool(g.pods("default", "mpi"))).hasSize(1);
            })
        .of("mpi-group");
  }

  private static List<String> nodes(BerthGround ground, String app) {
    return ground.pods("default", app).stream()
        .map(pod -> pod.getSpec().getNodeName())
        .filter(Objects::nonNull)
        .toList();
  }

  private static List<String> events(BerthGround ground, String app) {
    Pod pod = ground.pods("default", app).getFirst();
    return ground.events("default", pod.getMetadata().getName(), "FailedScheduling");
  }
}
