package io.berth.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The stored complete revisions. */
class RevisionObjectsTest {
  private Sandbox sandbox;
  private KubernetesClient client;

  @BeforeEach
  void start() throws Exception {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(sandbox.kubeconfig()))
            .build();
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName("berth").endMetadata().build())
        .create();
  }

  @AfterEach
  void stop() {
    client.close();
    sandbox.close();
  }

  private static GoodRevision revision(int generation, int percentage) {
    return new GoodRevision(
        String.valueOf(generation),
        Serialization.unmarshal(
            "percentageOfNodesToScore: " + percentage, SchedulingPolicySpec.class),
        new OwnerReferenceBuilder()
            .withApiVersion("sched.cloud.ctrip.com/v1")
            .withKind("SchedulingPolicy")
            .withName("batch")
            .withUid("u")
            .build());
  }

  private List<String> stored() {
    return client.apps().controllerRevisions().inNamespace("berth").list().getItems().stream()
        .sorted((a, b) -> Long.compare(a.getRevision(), b.getRevision()))
        .map(ControllerRevision::getMetadata)
        .map(meta -> meta.getAnnotations().get("sched.cloud.ctrip.com/policy-revision"))
        .toList();
  }

  @Test
  void theLastRevisionIsStored_andTheOneBeforeIt() {
    GoodRevisions revisions = new GoodRevisions(client, "berth");
    revisions.keep("batch", revision(1, 10));
    revisions.keep("batch", revision(2, 20));
    revisions.keep("batch", revision(2, 20));
    revisions.keep("batch", revision(3, 30));
    assertThat(stored()).containsExactly("2", "3");
    revisions.keep("batch", revision(4, 20));
    assertThat(stored()).as("after going back").containsExactly("4");
  }

  @Test
  void aNewLeaderGoesOnFromWhatTheLastOneHasStored() {
    GoodRevisions revisions = new GoodRevisions(client, "berth");
    GoodRevisions later = new GoodRevisions(client, "berth");
    revisions.keep("batch", revision(1, 10));
    later.keep("batch", revision(1, 10));
    later.keep("batch", revision(2, 20));
    assertThat(stored()).containsExactly("1", "2");
    assertThat(later.load().get("batch").revision()).isEqualTo("2");
  }
}
