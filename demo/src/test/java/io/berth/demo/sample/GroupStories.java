package io.berth.demo.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The stories of the samples about groups of pods. */
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
                                      + " placed together, and the nodes have room for 3 (pods: 6"
                                      + " exist, 0 placed, 6 missing)"));
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
                                        + " exist (pods: 3 exist, 0 placed, 4 missing)")))
        .then("kubectl apply -f samples/mpi-group/launcher.yaml", g -> {})
        .then(
            "kubectl get pods -l app=mpi -o wide",
            g -> {
              assertThat(nodes(g, "mpi")).hasSize(4);
              assertThat(g.byPool(g.pods("default", "mpi"))).hasSize(1);
            })
        .of("mpi-group");
  }

  static Story owner() {
    return new Story.Steps()
        .then(
            "kubectl apply -f samples/owner-group/policy.yaml",
            g -> g.awaitPolicy("owner-group", "Serving"))
        .then(
            "kubectl apply -f samples/owner-group/fits.yaml",
            g -> assertThat(g.pods("default", "fits")).hasSize(6))
        .then(
            "kubectl get pods -l app=fits -o wide",
            g -> {
              assertThat(new HashSet<>(nodes(g, "fits"))).hasSize(6);
              assertThat(g.pods("default", "fits"))
                  .allSatisfy(
                      pod ->
                          assertThat(pod.getMetadata().getAnnotations())
                              .containsEntry("sched.cloud.ctrip.com/group-min", "6"));
            })
        .then("kubectl delete job fits", g -> assertThat(g.pods("default", "fits")).isEmpty())
        .then(
            "kubectl apply -f samples/owner-group/too-large.yaml",
            g -> assertThat(g.pods("default", "too-large")).hasSize(12))
        .then(
            "kubectl describe pods -l app=too-large",
            g ->
                assertThat(g.pods("default", "too-large"))
                    .allSatisfy(
                        pod -> {
                          assertThat(pod.getSpec().getNodeName()).isNull();
                          assertThat(BerthGround.waitsBecause(pod))
                              .contains(
                                  "12 of its pods have to be placed together, and the nodes have"
                                      + " room for 9");
                        }))
        .of("owner-group");
  }

  static Story kueue() {
    return new Story.Steps()
        .then(
            "kubectl apply -f samples/kueue-group/policy.yaml",
            g -> g.awaitPolicy("kueue-group", "Serving"))
        .then(
            "kubectl apply -f samples/kueue-group/queued.yaml",
            g -> assertThat(g.pods("default", "ring")).hasSize(3))
        .then(
            "kubectl describe pods -l app=ring",
            g ->
                assertThat(g.pods("default", "ring"))
                    .allSatisfy(
                        pod ->
                            assertThat(BerthGround.waitsBecause(pod))
                                .contains("group default/ring waits for 3 more pods")))
        .then("kubectl apply -f samples/kueue-group/admitted.yaml", g -> {})
        .then(
            "kubectl get pods -l app=ring -o wide",
            g -> assertThat(g.byPool(g.pods("default", "ring"))).isEqualTo(Map.of("A", 3)))
        .then(
            "kubectl delete pods -l app=ring", g -> assertThat(g.pods("default", "ring")).isEmpty())
        .then("kubectl apply -f samples/kueue-group/job-queued.yaml", g -> {})
        .then(
            "kubectl get pods -l app=train", g -> assertThat(g.pods("default", "train")).isEmpty())
        .then("kubectl apply -f samples/kueue-group/job-admitted.yaml", g -> {})
        .then(
            "kubectl get pods -l app=train -o wide",
            g -> assertThat(g.byPool(g.pods("default", "train"))).isEqualTo(Map.of("B", 3)))
        .of("kueue-group");
  }

  static Story jobSet() {
    return new Story.Steps()
        .then(
            "kubectl apply -f samples/jobset-exclusive/policy.yaml",
            g -> g.awaitPolicy("jobset", "Serving"))
        .then("kubectl apply -f samples/jobset-exclusive/leaders.yaml", g -> {})
        .then(
            "kubectl get pods -l app=leaders -o wide",
            g ->
                assertThat(g.byPool(g.pods("default", "leaders")))
                    .isEqualTo(Map.of("A", 1, "B", 1, "public", 1, "none", 1)))
        .then(
            "kubectl delete pods -l app=leaders",
            g -> assertThat(g.pods("default", "leaders")).isEmpty())
        .then(
            "kubectl apply -f samples/jobset-exclusive/job.yaml",
            g -> assertThat(g.pods("default", "solve")).hasSize(2))
        .then(
            "kubectl describe pods -l app=solve",
            g ->
                assertThat(g.pods("default", "solve"))
                    .allSatisfy(
                        pod ->
                            assertThat(BerthGround.waitsBecause(pod))
                                .contains("the nodes have room for 0")))
        .then(
            "kubectl label node node-b-1 node-b-2"
                + " alpha.jobset.sigs.k8s.io/namespaced-job=default_solve-workers-0",
            g -> {})
        .then(
            "kubectl get pods -l app=solve -o wide",
            g -> assertThat(nodes(g, "solve")).hasSize(2).allMatch(it -> it.startsWith("node-b-")))
        .of("jobset-exclusive");
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
