package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.fixtures.Pods;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole GPUs that are only counted, as the device plugins of all vendors offer them. */
class CountedGpusTest {
  private static final int NODES = 4;

  private final TestCluster cluster = new TestCluster();

  private void serve(String strategy, String resource) throws JsonProcessingException {
    String spec =
        """
        {"priorities": [{"name": "NodeResourcesFit", "weight": 100, "args": {"scoringStrategy":
          {"type": "%s", "resources": [{"name": "%s", "weight": 5}, {"name": "cpu", "weight": 1}]}}}],
         "gpu": {"cardChoice": "LeastFragmentation"}}
        """
            .formatted(strategy, resource);
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(
                TestCluster.POLICY,
                new ObjectMapper().readValue(spec, SchedulingPolicySpec.class))));
  }

  private void addNodes(String resource) {
    for (int i = 0; i < NODES; i++) {
      cluster.apply(
          new ClusterEvent.NodeUpserted(
              GpuCluster.node("gpu-" + i).allocatable(resource, 4).build()));
    }
  }

  private String place(Pods pod) {
    cluster.apply(new ClusterEvent.PodUpserted(pod.build()));
    Decision.Placed placed = cluster.placed();
    cluster.apply(new ClusterEvent.BindingConfirmed(placed.pod()));
    return placed.nodeName();
  }

  private Map<String, Integer> podsByNode(String resource, int pods) {
    Map<String, Integer> byNode = new HashMap<>();
    for (int i = 0; i < pods; i++) {
      Pods pod = Pods.pod("pod-" + i).milliCpu(100).asks(resource, 1);
      byNode.merge(place(pod), 1, Integer::sum);
    }
    return byNode;
  }

  @ParameterizedTest
  @ValueSource(strings = {"nvidia.com/gpu", "amd.com/gpu", "example.com/accelerator"})
  void packing_fillsOneNodeAfterTheOther(String resource) throws JsonProcessingException {
    serve("MostAllocated", resource);
    addNodes(resource);

    assertThat(podsByNode(resource, 8).values()).containsExactlyInAnyOrder(4, 4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nvidia.com/gpu", "amd.com/gpu", "example.com/accelerator"})
  void spreading_usesEveryNodeAlike(String resource) throws JsonProcessingException {
    serve("LeastAllocated", resource);
    addNodes(resource);

    assertThat(podsByNode(resource, 8)).hasSize(NODES).containsValue(2);
  }

  @Test
  void podsWithoutGpu_areKeptOffTheNodes_whileOthersHaveRoom() throws JsonProcessingException {
    serve("MostAllocated", "nvidia.com/gpu");
    addNodes("nvidia.com/gpu");
    cluster.apply(new ClusterEvent.NodeUpserted(GpuCluster.node("plain").build()));
    Set<String> inUse = podsByNode("nvidia.com/gpu", 3).keySet();

    for (int i = 0; i < 6; i++) {
      assertThat(place(Pods.pod("cpu-" + i).milliCpu(10_000))).isEqualTo("plain");
    }

    // Then it goes to used GPUs rather than to free ones.
    assertThat(inUse).containsExactly(place(Pods.pod("more").milliCpu(10_000)));
  }
}
