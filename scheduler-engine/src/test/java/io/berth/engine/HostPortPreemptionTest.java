package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.Idle;
import io.berth.engine.model.PodRef;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;

/** Preemption for a host port. */
class HostPortPreemptionTest {
  private final TestCluster cluster = new TestCluster();

  private static Pod onPort(String name, int port, int priority) {
    return new PodBuilder(TestCluster.pod(name, "1", priority))
        .editSpec()
        .editFirstContainer()
        .addNewPort()
        .withContainerPort(80)
        .withHostPort(port)
        .endPort()
        .endContainer()
        .endSpec()
        .build();
  }

  @Test
  void thePodThatHasThePort_isTheVictim() {
    cluster.upsert(TestCluster.node("n1", "8"));
    cluster.upsert(TestCluster.bound(onPort("other", 81, 0), "n1"));
    cluster.upsert(TestCluster.bound(onPort("holder", 80, 0), "n1"));

    cluster.upsert(onPort("p", 80, 10));

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("holder");
  }

  @Test
  void aPortThatTwoPodsHave_isFreeInADryRun_withTheFirstThatLeaves() {
    cluster.upsert(TestCluster.node("n1", "8"));
    cluster.upsert(TestCluster.bound(onPort("low", 80, 0), "n1"));
    cluster.upsert(TestCluster.bound(onPort("high", 80, 1000), "n1"));

    cluster.upsert(onPort("p", 80, 10));

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("low");
    assertThat(cluster.next()).isInstanceOf(Idle.class);
    cluster.upsert(onPort("q", 80, 0));
    assertThat(cluster.unschedulable().message()).contains("free ports");
  }
}
