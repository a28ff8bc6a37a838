package io.berth.sandbox.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.rules.DefaultTolerations;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;

class PodDefaultingTest {
  private final PodDefaulting defaulting = new PodDefaulting();

  @Test
  void barePod_getsWhatTheApiServerGives() {
    ObjectNode pod = object("spec: {containers: [{name: a, image: nginx}]}");

    defaulting.applyToPod(pod);

    assertThat(pod)
        .isEqualTo(
            tree(
                """
                spec:
                  containers:
                  - name: a
                    image: nginx
                    imagePullPolicy: Always
                    terminationMessagePath: /dev/termination-log
                    terminationMessagePolicy: File
                    resources: {}
                  restartPolicy: Always
                  dnsPolicy: ClusterFirst
                  schedulerName: default-scheduler
                  terminationGracePeriodSeconds: 30
                  securityContext: {}
                  enableServiceLinks: true
                status: {phase: Pending, qosClass: BestEffort}
                """));
  }

  @Test
  void requests_comeFromLimits_andDecideTheQosClass() {
    ObjectNode pod =
        object(
            """
            spec:
              containers: [{name: a, image: 'a:1', resources: {limits: {cpu: 1, memory: 1Gi}}}]
            """);

    defaulting.applyToPod(pod);

    assertThat(pod.at("/spec/containers/0/resources/requests"))
        .isEqualTo(tree("{cpu: 1, memory: 1Gi}"));
    assertThat(pod.at("/status/qosClass").asText()).isEqualTo("Guaranteed");
    assertThat(pod.at("/spec/containers/0/imagePullPolicy").asText()).isEqualTo("IfNotPresent");
  }

  @Test
  void gatedPod_saysSo() {
    ObjectNode pod = object("spec: {containers: [], schedulingGates: [{name: wait}]}");

    defaulting.applyToPod(pod);

    assertThat(pod.at("/status/conditions/0/reason").asText()).isEqualTo("SchedulingGated");
  }

  @Test
  void tolerations_ofNodesInTroubleAreAdded_unlessThePodHasItsOwn() {
    ObjectNode bare = object("{}");
    ObjectNode own = object("tolerations: [{operator: Exists}]");

    DefaultTolerations.add(bare);
    DefaultTolerations.add(own);

    assertThat(bare.path("tolerations"))
        .extracting(toleration -> toleration.path("key").asText())
        .containsExactly("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable");
    assertThat(own.path("tolerations")).hasSize(1);
  }

  private static ObjectNode object(String yaml) {
    return (ObjectNode) tree(yaml);
  }

  private static JsonNode tree(String yaml) {
    try {
      return new YAMLMapper().readTree(yaml);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
