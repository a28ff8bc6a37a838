package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodAffinityTerm;
import io.fabric8.kubernetes.api.model.PodAffinityTermBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Affinity by host name with so many nodes that pods are counted on those with pods only. */
class ManyHostsTest {
  private static final int NODES = 1_200;

  private static final PodAffinityTerm SAME_APP_ON_HOST =
      new PodAffinityTermBuilder()
          .withTopologyKey("kubernetes.io/hostname")
          .withLabelSelector(new LabelSelectorBuilder().addToMatchLabels("app", "web").build())
          .build();

  private static final Affinity APART =
      new AffinityBuilder()
          .withNewPodAntiAffinity()
          .withRequiredDuringSchedulingIgnoredDuringExecution(SAME_APP_ON_HOST)
          .endPodAntiAffinity()
          .build();

  private static final Affinity PREFERABLY_APART =
      new AffinityBuilder()
          .withNewPodAntiAffinity()
          .addNewPreferredDuringSchedulingIgnoredDuringExecution()
          .withWeight(100)
          .withPodAffinityTerm(SAME_APP_ON_HOST)
          .endPreferredDuringSchedulingIgnoredDuringExecution()
          .endPodAntiAffinity()
          .build();

  private static final Affinity TOGETHER =
      new AffinityBuilder()
          .withNewPodAffinity()
          .withRequiredDuringSchedulingIgnoredDuringExecution(SAME_APP_ON_HOST)
          .endPodAffinity()
          .build();

  private final TestCluster cluster = new TestCluster();
  private final Map<String, Pod> podOn = new HashMap<>();

  @BeforeEach
  void start() {
    for (int i = 0; i < NODES; i++) {
      cluster.upsert(TestCluster.node("n" + i, "8"));
    }
  }

  private static Pod pod(String name, @Nullable Affinity affinity) {
    return new PodBuilder(TestCluster.pod(name, "1", 0))
        .editMetadata()
        .addToLabels("app", "web")
        .endMetadata()
        .editSpec()
        .withAffinity(affinity)
        .endSpec()
        .build();
  }

  private String place(String name, Affinity affinity) {
    Pod pod = pod(name, affinity);
    cluster.upsert(pod);
    Decision.Placed placed = cluster.placed();
    cluster.apply(new ClusterEvent.BindingConfirmed(placed.pod()));
    cluster.upsert(TestCluster.bound(pod, placed.nodeName()));
    podOn.put(placed.nodeName(), pod);
    return placed.nodeName();
  }

  @Test
  void podsWithRequiredAntiAffinity_areOnDifferentNodes_asLongAsThereAreAny() {
    Set<String> nodes = new HashSet<>();
    for (int i = 0; i < NODES; i++) {
      assertThat(nodes.add(place("p" + i, APART))).isTrue();
    }
    cluster.upsert(pod("late", APART));
    cluster.unschedulable();

    cluster.remove(podOn.get("n700"));
    cluster.later(Duration.ofMinutes(1));
    assertThat(cluster.placed().nodeName()).isEqualTo("n700");
  }

  @Test
  void podsWithPreferredAntiAffinity_fillTheNodesEvenly() {
    Map<String, Integer> perNode = new HashMap<>();
    for (int i = 0; i < 2 * NODES; i++) {
      perNode.merge(place("p" + i, PREFERABLY_APART), 1, Integer::sum);
      if (i == NODES - 1) {
        assertThat(perNode).hasSize(NODES);
      }
    }
    assertThat(perNode.values()).containsOnly(2);
  }

  @Test
  void podWithRequiredAffinity_isOnTheOnlyNodeWithOthers() {
    cluster.upsert(TestCluster.bound(pod("first", TOGETHER), "n900"));
    assertThat(place("second", TOGETHER)).isEqualTo("n900");
  }

  @Test
  void podOfANewShape_isCheckedOnlyOnNodesWithPodsThatCount() {
    for (int i = 0; i < 10; i++) {
      place("p" + i, APART);
    }
    long withoutAffinity = evaluationsFor(pod("plain", null), "a");
    long withAffinity = evaluationsFor(pod("apart", APART), "b");

    assertThat(withAffinity - withoutAffinity).isLessThan(NODES / 2);
  }

  /** Returns the number of evaluations for a pod of a shape of its own. */
  private long evaluationsFor(Pod pod, String toleratedTaint) {
    long before = cluster.engine.plans().evaluations();
    cluster.upsert(
        new PodBuilder(pod)
            .editSpec()
            .addNewToleration()
            .withKey(toleratedTaint)
            .endToleration()
            .endSpec()
            .build());
    cluster.placed();
    return cluster.engine.plans().evaluations() - before;
  }
}
