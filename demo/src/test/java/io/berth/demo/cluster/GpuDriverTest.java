package io.berth.demo.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class GpuDriverTest {

  @Test
  void slicesOfARecreatedNode_belongToTheNewNode() {
    try (Sandbox sandbox = Sandbox.start(SandboxOptions.defaults());
        KubernetesClient client = LocalCluster.admin(sandbox);
        GpuDriver _ = GpuDriver.start(client, 8)) {
      Node first = create(client);
      awaitSlicesOf(first, client);

      client.nodes().withName("n1").delete();
      Node second = create(client);

      assertThat(second.getMetadata().getUid()).isNotEqualTo(first.getMetadata().getUid());
      awaitSlicesOf(second, client);
    }
  }

  private static Node create(KubernetesClient client) {
    return client
        .resource(new NodeBuilder().withNewMetadata().withName("n1").endMetadata().build())
        .create();
  }

  private static void awaitSlicesOf(Node node, KubernetesClient client) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              List<ResourceSlice> slices = client.resources(ResourceSlice.class).list().getItems();
              assertThat(slices)
                  .hasSize(4)
                  .allSatisfy(
                      slice ->
                          assertThat(slice.getMetadata().getOwnerReferences())
                              .singleElement()
                              .satisfies(
                                  owner ->
                                      assertThat(owner.getUid())
                                          .isEqualTo(node.getMetadata().getUid())));
            });
  }
}
