package io.berth.operator.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClassBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSliceBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The number of nodes that offer devices twice. */
class CountedNodesTest {

  private static DeviceClass serving(String name, String resource) {
    return new DeviceClassBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withExtendedResourceName(resource)
        .endSpec()
        .build();
  }

  private static ResourceSlice sliceOf(String node) {
    return new ResourceSliceBuilder().withNewSpec().withNodeName(node).endSpec().build();
  }

  private static Node node(String resource, String amount) {
    return new NodeBuilder()
        .withNewStatus()
        .addToAllocatable(resource, new Quantity(amount))
        .endStatus()
        .build();
  }

  private static final Map<String, Node> NODES =
      Map.of(
          "both", node("example.com/gpu", "8"),
          "none-left", node("example.com/gpu", "0"),
          "other", node("example.com/fpga", "2"),
          "plugin-only", node("example.com/gpu", "8"));

  @Test
  void nodesWithTheResourceAndSlices_areCounted_ifAClassNamesTheResource() {
    List<ResourceSlice> slices =
        List.of(
            sliceOf("both"),
            sliceOf("both"),
            sliceOf("none-left"),
            sliceOf("other"),
            sliceOf("unknown"),
            sliceOf(null));

    assertThat(
            CountedNodes.of(
                List.of(serving("gpu", "example.com/gpu"), serving("plain", null)),
                slices,
                name -> Optional.ofNullable(NODES.get(name))))
        .isEqualTo(Map.of("example.com/gpu", 1L));
  }

  @Test
  void withoutANamedResource_nothingIsCounted() {
    assertThat(
            CountedNodes.of(
                List.of(serving("plain", null)),
                List.of(sliceOf("both")),
                name -> Optional.ofNullable(NODES.get(name))))
        .isEmpty();
  }
}
