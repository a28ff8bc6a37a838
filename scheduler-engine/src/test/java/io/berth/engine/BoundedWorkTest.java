package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Work that depends on the question, not on the size of the cluster, counted in steps. */
class BoundedWorkTest {
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final String HOST = "kubernetes.io/hostname";

  private final TestCluster cluster =
      new TestCluster(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));

  private static Node inZone(String name, String zone) {
    return new NodeBuilder(TestCluster.node(name, "64"))
        .editMetadata()
        .addToLabels(ZONE, zone)
        .endMetadata()
        .build();
  }

  private static Pod labelled(Pod pod, String key, String value) {
    return new PodBuilder(pod).editMetadata().addToLabels(key, value).endMetadata().build();
  }

  /** Returns a pod that avoids domains with pods that have this label. */
  private static Pod avoiding(Pod pod, String topologyKey, String label, String value) {
    return new PodBuilder(pod)
        .editSpec()
        .withNewAffinity()
        .withNewPodAntiAffinity()
        .addNewRequiredDuringSchedulingIgnoredDuringExecution()
        .withTopologyKey(topologyKey)
        .withNewLabelSelector()
        .addToMatchLabels(label, value)
        .endLabelSelector()
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endPodAntiAffinity()
        .endAffinity()
        .endSpec()
        .build();
  }

  @Test
  void aSelectorThatOneJobHasAlone_isAnsweredByThatJobsPods() {
    int jobs = 200;
    int podsEach = 5;
    for (int i = 0; i < 10; i++) {
      cluster.upsert(inZone("n" + i, "a"));
    }
    for (int job = 0; job < jobs; job++) {
      String name = "job-" + job;
      for (int i = 0; i < podsEach; i++) {
        Pod pod = labelled(TestCluster.pod(name + "-" + i, "100m", 0), "job", name);
        cluster.upsert(avoiding(pod, HOST, "job", name));
        assertThat(cluster.placed().pod().name()).startsWith(name);
      }
    }

    assertThat(cluster.engine.state().recounts()).isLessThan(10L * jobs * podsEach);
  }

  @Test
  void labelsThatChange_areFoundByTheSelectorsThatComeLater() {
    cluster.upsert(inZone("n0", "a"));
    for (int i = 0; i < 100; i++) {
      cluster.upsert(
          TestCluster.bound(labelled(TestCluster.pod("p" + i, "100m", 0), "app", "a" + i), "n0"));
    }
    cluster.upsert(avoiding(TestCluster.pod("first", "100m", 0), HOST, "app", "a7"));
    cluster.unschedulable();

    cluster.upsert(
        TestCluster.bound(labelled(TestCluster.pod("p8", "100m", 0), "app", "renamed"), "n0"));
    cluster.remove(TestCluster.bound(TestCluster.pod("p9", "100m", 0), "n0"));

    cluster.upsert(avoiding(TestCluster.pod("second", "100m", 0), HOST, "app", "renamed"));
    cluster.unschedulable();
    cluster.upsert(avoiding(TestCluster.pod("third", "100m", 0), HOST, "app", "a8"));
    assertThat(cluster.placed().nodeName()).isEqualTo("n0");
    cluster.upsert(avoiding(TestCluster.pod("fourth", "100m", 0), HOST, "app", "a9"));
    assertThat(cluster.placed().nodeName()).isEqualTo("n0");
  }

  @Test
  void matchersThatNobodyUsesAnyMore_doNotPileUpInThePodsTheyMeant() {
    TestCluster few = new TestCluster(EngineOptions.defaults().withCacheBytes(20_000));
    few.upsert(inZone("n1", "a"));
    few.upsert(inZone("n2", "b"));
    Pod old = TestCluster.bound(labelled(TestCluster.pod("old", "100m", 0), "app", "web"), "n1");
    few.upsert(old);
    for (int i = 0; i < 300; i++) {
      Pod passing = TestCluster.pod("passing-" + i, "100m", 0);
      Pod avoids =
          new PodBuilder(avoiding(passing, HOST, "app", "web"))
              .editSpec()
              .editAffinity()
              .editPodAntiAffinity()
              .editFirstRequiredDuringSchedulingIgnoredDuringExecution()
              .editLabelSelector()
              .addNewMatchExpression()
              .withKey("generation")
              .withOperator("NotIn")
              .withValues("g" + i)
              .endMatchExpression()
              .endLabelSelector()
              .endRequiredDuringSchedulingIgnoredDuringExecution()
              .endPodAntiAffinity()
              .endAffinity()
              .endSpec()
              .build();
      few.upsert(avoids);
      assertThat(few.placed().nodeName()).isEqualTo("n2");
      few.remove(avoids);
    }

    int inUse = few.engine.state().matchers().size();
    assertThat(inUse).isLessThan(50);
    assertThat(few.engine.state().pods().byUid("uid-old"))
        .satisfies(pod -> assertThat(pod.matchers().size()).isLessThanOrEqualTo(inUse + 1));
  }

  @Test
  void aPodThatWaitsForWhatAPodOnANodeHeld_isTried_whenThatNodeIsGone() {
    cluster.upsert(inZone("n1", "a"));
    cluster.upsert(inZone("n2", "a"));
    cluster.upsert(
        TestCluster.bound(labelled(TestCluster.pod("blocker", "1", 0), "app", "db"), "n1"));
    cluster.upsert(avoiding(TestCluster.pod("waiting", "1", 0), ZONE, "app", "db"));
    cluster.unschedulable();
    cluster.later(Duration.ofSeconds(20));
    assertThat(cluster.next()).isInstanceOf(Idle.class);

    cluster.remove(inZone("n1", "a"));

    assertThat(cluster.placed().nodeName()).isEqualTo("n2");
  }

  @Test
  void aPodThatWaitsForAPodToBeNear_isTried_whenThatPodsNodeComesBack() {
    cluster.upsert(inZone("n1", "a"));
    cluster.upsert(inZone("n2", "a"));
    cluster.upsert(
        TestCluster.bound(labelled(TestCluster.pod("friend", "64", 0), "app", "db"), "n1"));
    cluster.remove(inZone("n1", "a"));
    Pod waiting =
        new PodBuilder(TestCluster.pod("waiting", "1", 0))
            .editSpec()
            .withNewAffinity()
            .withNewPodAffinity()
            .addNewRequiredDuringSchedulingIgnoredDuringExecution()
            .withTopologyKey(ZONE)
            .withNewLabelSelector()
            .addToMatchLabels("app", "db")
            .endLabelSelector()
            .endRequiredDuringSchedulingIgnoredDuringExecution()
            .endPodAffinity()
            .endAffinity()
            .endSpec()
            .build();
    cluster.upsert(waiting);
    cluster.unschedulable();
    cluster.later(Duration.ofSeconds(20));

    cluster.upsert(inZone("n1", "a"));

    assertThat(cluster.placed().nodeName()).isEqualTo("n2");
  }
}
