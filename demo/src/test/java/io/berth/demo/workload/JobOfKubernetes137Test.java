package io.berth.demo.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.demo.ground.BerthGround;
import io.berth.sandbox.release.KubernetesVersion;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A Job with the Workload and the PodGroup of {@code scheduling.k8s.io/v1beta1}, on an API server
 * that emulates Kubernetes 1.37 and has these kinds built in. The row with {@code v1alpha2} is in
 * {@code WorkloadControllersTest}.
 */
class JobOfKubernetes137Test {
  private static final String NAMESPACE = "jobs";

  private static List<Pod> pods(BerthGround ground) {
    return ground.admin().pods().inNamespace(NAMESPACE).list().getItems();
  }

  private static void offerOnly(BerthGround ground, int count) {
    List<String> names =
        ground.admin().nodes().list().getItems().stream()
            .map(node -> node.getMetadata().getName())
            .toList();
    for (int i = 0; i < names.size(); i++) {
      boolean cordoned = i >= count;
      ground
          .admin()
          .nodes()
          .withName(names.get(i))
          .edit(
              node -> {
                node.getSpec().setUnschedulable(cordoned);
                return node;
              });
    }
  }

  private static void createJob(BerthGround ground) throws IOException {
    try (InputStream file =
        JobOfKubernetes137Test.class.getResourceAsStream("/workloads/job-podgroup-v1beta1.yaml")) {
      String objects = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      for (String object : objects.split("\n---\n")) {
        ground.admin().resource(object).inNamespace(NAMESPACE).create();
      }
    }
  }

  @Test
  void podsOfAJobWithAPodGroupOfV1beta1_arePlacedTogether_orNotAtAll() throws Exception {
    try (BerthGround ground = BerthGround.start(BerthGround.options(), KubernetesVersion.V1_37)) {
      ground.apply(
          """
          apiVersion: sched.cloud.ctrip.com/v1
          kind: SchedulingPolicy
          metadata: {name: batch}
          spec: {default: true}
          """);
      ground.awaitPolicy("batch", "Serving");
      ground.createNamespace(NAMESPACE, Map.of());
      offerOnly(ground, 2);

      createJob(ground);
      await()
          .atMost(BerthGround.SOON)
          .untilAsserted(
              () ->
                  assertThat(pods(ground))
                      .hasSize(3)
                      .allMatch(pod -> pod.getSpec().getNodeName() == null)
                      .allMatch(pod -> BerthGround.waitsBecause(pod).contains("3 of its pods")));

      offerOnly(ground, 3);

      await()
          .atMost(BerthGround.SOON)
          .untilAsserted(
              () ->
                  assertThat(pods(ground))
                      .hasSize(3)
                      .allMatch(pod -> pod.getSpec().getNodeName() != null));
    }
  }
}
