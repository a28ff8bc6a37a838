package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The fabric8 client and its informers on a sandbox. */
class ClientTest {
  private static Sandbox sandbox;
  private static KubernetesClient client;

  @BeforeAll
  static void start() {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(sandbox.kubeconfig()))
            .build();
  }

  @AfterAll
  static void stop() {
    client.close();
    sandbox.close();
  }

  private static ConfigMap map(String name, String value) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("default")
        .endMetadata()
        .addToData("k", value)
        .build();
  }

  @Test
  void informers_followWhatHappens() {
    try (SharedIndexInformer<ConfigMap> informer =
        client.configMaps().inNamespace("default").inform()) {
      client.resource(map("seen", "1")).create();
      await().until(() -> informer.getIndexer().getByKey("default/seen") != null);

      client
          .configMaps()
          .inNamespace("default")
          .withName("seen")
          .edit(map -> new ConfigMapBuilder(map).addToData("k", "2").build());
      await()
          .until(
              () -> informer.getIndexer().getByKey("default/seen").getData().get("k").equals("2"));

      client.configMaps().inNamespace("default").withName("seen").delete();
      await().until(() -> informer.getIndexer().getByKey("default/seen") == null);
    }
  }

  @Test
  void serverSideApply_createsAndChanges() {
    PatchContext apply =
        new PatchContext.Builder()
            .withPatchType(PatchType.SERVER_SIDE_APPLY)
            .withFieldManager("test")
            .withForce(true)
            .build();

    client.resource(map("applied", "1")).patch(apply);
    ConfigMap changed = client.resource(map("applied", "2")).patch(apply);

    assertThat(changed.getData()).containsEntry("k", "2");
    assertThat(changed.getMetadata().getManagedFields()).hasSize(1);
    assertThat(changed.getMetadata().getManagedFields().getFirst().getOperation())
        .isEqualTo("Apply");
  }
}
