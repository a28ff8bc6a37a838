package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Affinity terms that the API server accepts, but whose meaning is surprising. */
class AffinityCornersTest {
  private static final LabelSelector NOT_PROD =
      new LabelSelectorBuilder()
          .addNewMatchExpression()
          .withKey("env")
          .withOperator("NotIn")
          .withValues("prod")
          .endMatchExpression()
          .build();

  private final TestCluster cluster = new TestCluster();

  private void namespace(String name, String env) {
    cluster.upsert(
        new NamespaceBuilder()
            .withNewMetadata()
            .withName(name)
            .withLabels(Map.of("env", env))
            .endMetadata()
            .build());
  }

  private static Pod web(String name, String namespace) {
    return new PodBuilder(TestCluster.pod(name, "1", 0))
        .editMetadata()
        .withNamespace(namespace)
        .withLabels(Map.of("app", "web"))
        .endMetadata()
        .build();
  }

  private static Pod awayFromWebOutsideProd(Pod pod) {
    return new PodBuilder(pod)
        .editSpec()
        .withNewAffinity()
        .withNewPodAntiAffinity()
        .addNewRequiredDuringSchedulingIgnoredDuringExecution()
        .withTopologyKey("kubernetes.io/hostname")
        .withNamespaceSelector(NOT_PROD)
        .withNewLabelSelector()
        .withMatchLabels(Map.of("app", "web"))
        .endLabelSelector()
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endPodAntiAffinity()
        .endAffinity()
        .endSpec()
        .build();
  }

  private void aNodeWithGeneration(String name, String generation) {
    Node node =
        new NodeBuilder(TestCluster.node(name, "4"))
            .editMetadata()
            .addToLabels("generation", generation)
            .endMetadata()
            .build();
    cluster.upsert(node);
  }

  private static Pod withGeneration(String operator, String bound) {
    return new PodBuilder(TestCluster.pod("p", "1", 0))
        .editSpec()
        .withNewAffinity()
        .withNewNodeAffinity()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .addNewNodeSelectorTerm()
        .addNewMatchExpression()
        .withKey("generation")
        .withOperator(operator)
        .withValues(bound)
        .endMatchExpression()
        .endNodeSelectorTerm()
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .endAffinity()
        .endSpec()
        .build();
  }

  /** kube-scheduler 1.36.2 counts the pods of every namespace here (kubernetes#141526). */
  @Test
  void podToBePlaced_whoseNamespaceSelectorExcludesANamespace_doesNotCountItsPods() {
    namespace("prod", "prod");
    namespace("dev", "dev");
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(TestCluster.bound(web("there", "prod"), "n1"));

    cluster.upsert(awayFromWebOutsideProd(TestCluster.pod("p", "1", 0)));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");

    cluster.upsert(TestCluster.bound(web("outside", "dev"), "n1"));
    cluster.upsert(awayFromWebOutsideProd(TestCluster.pod("q", "1", 0)));
    assertThat(cluster.unschedulable().message())
        .contains("1 node(s) didn't match pod anti-affinity rules");
  }

  @Test
  void aPlacedPod_withTheSameSelector_meansTheNamespacesThatItSelects() {
    namespace("prod", "prod");
    namespace("dev", "dev");
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(
        TestCluster.bound(awayFromWebOutsideProd(TestCluster.pod("there", "1", 0)), "n1"));

    cluster.upsert(web("p", "prod"));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");

    cluster.upsert(web("q", "dev"));
    assertThat(cluster.unschedulable().message())
        .contains("1 node(s) didn't satisfy existing pods anti-affinity rules");
  }

  @Test
  void aBoundWithASign_isNoLabelValue_andSelectsNoNode() {
    aNodeWithGeneration("n1", "3");

    cluster.upsert(withGeneration("Gt", "-1"));
    assertThat(cluster.unschedulable().message()).contains("node affinity/selector");

    cluster.remove(withGeneration("Gt", "-1"));
    cluster.upsert(withGeneration("Lt", "+5"));
    assertThat(cluster.unschedulable().message()).contains("node affinity/selector");

    cluster.remove(withGeneration("Lt", "+5"));
    cluster.upsert(withGeneration("Lt", "007"));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }
}
