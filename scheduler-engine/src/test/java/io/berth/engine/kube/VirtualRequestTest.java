package io.berth.engine.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.model.ResourceAmounts;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The annotation with a pod's expected usage. */
class VirtualRequestTest {
  private static Pod pod(String annotation, String nodeName) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("pod")
        .withNamespace("team")
        .withUid("uid")
        .addToAnnotations("sched.cloud.ctrip.com/virtual-request", annotation)
        .endMetadata()
        .withNewSpec()
        .withNodeName(nodeName)
        .addNewContainer()
        .withName("c")
        .withImage("image")
        .withNewResources()
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .endStatus()
        .build();
  }

  private static ResourceAmounts read(String annotation) {
    return switch (new KubeEvents().upserted(pod(annotation, ""))) {
      case ClusterEvent.PodUpserted upserted -> upserted.pod().spec().virtualRequest();
      case ClusterEvent other -> throw new AssertionError(other.toString());
    };
  }

  @Test
  void quantitiesAreRead() {
    assertThat(read("{\"cpu\": \"1500m\", \"memory\": \"2Gi\", \"nvidia.com/gpu\": 1}"))
        .isEqualTo(
            ResourceAmounts.of(Map.of("cpu", 1500L, "memory", 2L << 30, "nvidia.com/gpu", 1L)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "much|give a JSON object of quantities, such as {\"cpu\": \"500m\"}",
        "[]|give a JSON object of quantities",
        "{\"cpu\": \"much\"}|cpu: ",
        "{\"cpu\": \"-1\"}|cpu: ",
        "{\"cpu\": {}}|cpu: give a quantity, such as \"500m\"",
        "{\"cores\": \"1\"}|cores: no node has such a resource"
      })
  void whatCannotBeRead_isReported_andKeepsNoPodFromBeingPlaced(String annotation, String words) {
    for (String node : List.of("", "node")) {
      assertThat(new KubeEvents().upserted(pod(annotation, node)))
          .isInstanceOfSatisfying(
              ClusterEvent.PodUpserted.class,
              upserted -> {
                assertThat(upserted.pod().spec().virtualRequest())
                    .isEqualTo(ResourceAmounts.none());
                assertThat(upserted.partly().orElseThrow().reason())
                    .contains("annotation sched.cloud.ctrip.com/virtual-request", words);
              });
    }
  }
}
