package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.decision.Rejection;
import io.berth.engine.model.PodRef;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Invalid input: the engine continues, and its columns stay consistent, for any events in any
 * order.
 */
class BadInputTest {
  private final TestCluster cluster = new TestCluster();
  private final Node node = TestCluster.node("n1", "4");

  private long usedMilliCpu() {
    int slot = cluster.engine.state().nodes().slotOf("n1");
    return cluster
        .engine
        .state()
        .nodes()
        .requested(cluster.engine.state().resources().idOf("cpu"), slot);
  }

  private static Pod bound(String name, String cpu) {
    return TestCluster.bound(TestCluster.pod(name, cpu, 0), "n1");
  }

  @Test
  void aRefusedObject_isNamed_andEverythingElseGoesOn() {
    cluster.upsert(node);
    Pod bad = TestCluster.pod("bad", "1", 0);
    bad.getSpec()
        .getContainers()
        .getFirst()
        .getResources()
        .setRequests(Map.of("cpu", new Quantity("-3")));

    assertThat(cluster.upsert(bad))
        .hasValueSatisfying(
            refusal -> {
              assertThat(refusal.name()).isEqualTo("team/bad");
              assertThat(refusal.reason()).contains("negative");
            });
    cluster.upsert(TestCluster.pod("good", "1", 0));
    assertThat(cluster.placed().pod().name()).isEqualTo("good");
    assertThat(cluster.next()).isInstanceOf(Idle.class);
  }

  @Test
  void aRefusedUpdateOfANode_leavesItAsItWas() {
    cluster.upsert(node);
    Node broken = TestCluster.node("n1", "4");
    broken.setStatus(null);

    assertThat(cluster.upsert(broken)).isPresent();
    cluster.upsert(TestCluster.pod("p", "1", 0));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  /** Returns a node with more labels than Berth reads. */
  private static Node overlabelled(String name) {
    Node labelled = TestCluster.node(name, "4");
    Map<String, String> labels = new HashMap<>();
    for (int i = 0; i <= 1000; i++) {
      labels.put("label-" + i, "x");
    }
    labelled.getMetadata().setLabels(labels);
    return labelled;
  }

  private DecisionRecord rejection() {
    return ((Decision.Unschedulable) cluster.next()).record();
  }

  @Test
  void aNodeThatCannotBeRead_isCountedAndNamedToPods_untilItCan() {
    cluster.upsert(node);
    cluster.upsert(overlabelled("n2"));
    cluster.upsert(TestCluster.pod("large", "8", 0));

    DecisionRecord record = rejection();
    assertThat(record.message())
        .startsWith(
            "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) that Berth cannot read: n2,"
                + " the node has 1001 labels; the limit is 1000.")
        .contains("preemption: 0/2 nodes are available: ");
    assertThat(record.rejections().stream().mapToInt(Rejection::nodes).sum())
        .as("the counts add up to the nodes")
        .isEqualTo(record.nodes());

    cluster.upsert(TestCluster.node("n2", "16"));
    assertThat(cluster.placed().nodeName()).isEqualTo("n2");
  }

  @Test
  void aNodeThatCannotBeRead_isForgottenWhenItGoes() {
    cluster.upsert(overlabelled("n1"));
    cluster.upsert(TestCluster.pod("p", "1", 0));
    assertThat(rejection().message())
        .isEqualTo(
            "no nodes available to schedule pods: 1 node(s) that Berth cannot read: n1, the node"
                + " has 1001 labels; the limit is 1000");

    cluster.remove(overlabelled("n1"));
    cluster.upsert(TestCluster.pod("q", "1", 0));
    assertThat(rejection().message()).isEqualTo("no nodes available to schedule pods");
  }

  @Test
  void podsThatComeBeforeTheirNode_countWhenItComes() {
    cluster.upsert(bound("a", "3"));
    cluster.upsert(node);

    assertThat(usedMilliCpu()).isEqualTo(3000);
    cluster.remove(bound("a", "3"));
    assertThat(usedMilliCpu()).isZero();
  }

  @Test
  void podsOfANodeThatGoesAndComes_countAgain() {
    cluster.upsert(node);
    cluster.upsert(bound("a", "3"));
    cluster.remove(node);
    cluster.upsert(node);

    assertThat(usedMilliCpu()).isEqualTo(3000);
  }

  @Test
  void repeatedEvents_countOnce() {
    cluster.upsert(node);
    cluster.upsert(node);
    cluster.upsert(bound("a", "1"));
    cluster.upsert(bound("a", "1"));
    assertThat(usedMilliCpu()).isEqualTo(1000);

    cluster.remove(bound("a", "1"));
    cluster.remove(bound("a", "1"));
    assertThat(usedMilliCpu()).isZero();
    cluster.remove(node);
    cluster.remove(node);
    cluster.upsert(TestCluster.pod("p", "1", 0));
    assertThat(cluster.unschedulable().message()).isEqualTo("no nodes available to schedule pods");
  }

  @Test
  void eventsAboutUnknownPods_changeNothing() {
    cluster.upsert(node);
    PodRef unknown = new PodRef("team", "ghost", "ghost");

    cluster.apply(new ClusterEvent.PodRemoved(unknown));
    cluster.apply(new ClusterEvent.BindingConfirmed(unknown));
    cluster.apply(new ClusterEvent.BindingFailed(unknown, "gone", true));
    cluster.apply(new ClusterEvent.NodeRemoved("ghost"));
    cluster.apply(new ClusterEvent.PolicyRemoved("ghost"));

    cluster.upsert(TestCluster.pod("p", "1", 0));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void anEventOlderThanTheBinding_doesNotUnbindThePod() {
    cluster.upsert(node);
    cluster.upsert(bound("a", "1"));
    cluster.upsert(TestCluster.pod("a", "1", 0));

    assertThat(cluster.next()).isInstanceOf(Idle.class);
    assertThat(usedMilliCpu()).isEqualTo(1000);
  }

  @Test
  void aPodRecreatedUnderItsName_replacesTheOldOne() {
    cluster.upsert(node);
    cluster.upsert(bound("a", "3"));
    Pod again = new PodBuilder(bound("a", "1")).editMetadata().withUid("new").endMetadata().build();
    cluster.upsert(again);
    assertThat(usedMilliCpu()).isEqualTo(1000);

    cluster.remove(bound("a", "3"));
    assertThat(usedMilliCpu()).isEqualTo(1000);
    cluster.remove(again);
    assertThat(usedMilliCpu()).isZero();
  }

  @Test
  void anAnswerForTheOldNamesake_isDropped() {
    cluster.upsert(node);
    Pod old = TestCluster.pod("a", "1", 0);
    cluster.upsert(old);
    cluster.placed();
    Pod again = new PodBuilder(old).editMetadata().withUid("new").endMetadata().build();
    cluster.upsert(again);

    cluster.apply(new ClusterEvent.BindingFailed(TestCluster.ref(old), "conflict", true));
    cluster.later(Duration.ofSeconds(20));

    assertThat(cluster.placed().pod().uid()).isEqualTo("new");
    assertThat(cluster.next()).isInstanceOf(Idle.class);
    assertThat(usedMilliCpu()).isEqualTo(1000);
  }

  @Test
  void finishedPods_freeWhatTheyHeld_andTerminatingOnesHoldIt() {
    cluster.upsert(node);
    cluster.upsert(bound("a", "1"));
    cluster.upsert(bound("b", "1"));
    cluster.upsert(
        new PodBuilder(bound("a", "1")).editStatus().withPhase("Succeeded").endStatus().build());
    cluster.upsert(
        new PodBuilder(bound("b", "1"))
            .editMetadata()
            .withDeletionTimestamp("2026-01-01T00:00:00Z")
            .endMetadata()
            .build());

    assertThat(usedMilliCpu()).isEqualTo(1000);
  }

  @Test
  void aPodThatIsResizedInPlace_holdsTheLargerAmount() {
    cluster.upsert(node);
    cluster.upsert(bound("a", "1"));
    cluster.upsert(
        new PodBuilder(bound("a", "2"))
            .editStatus()
            .addNewContainerStatus()
            .withName("c")
            .withNewResources()
            .withRequests(Map.of("cpu", new Quantity("1")))
            .endResources()
            .endContainerStatus()
            .endStatus()
            .build());
    assertThat(usedMilliCpu()).isEqualTo(2000);
  }

  @Test
  void podsOfOtherSchedulers_countOnlyOnceBound() {
    cluster.upsert(node);
    Pod foreign =
        new PodBuilder(TestCluster.pod("f", "3", 0))
            .editSpec()
            .withSchedulerName("default-scheduler")
            .endSpec()
            .build();
    cluster.upsert(foreign);
    assertThat(cluster.next()).isInstanceOf(Idle.class);
    assertThat(usedMilliCpu()).isZero();

    cluster.upsert(TestCluster.bound(foreign, "n1"));
    assertThat(usedMilliCpu()).isEqualTo(3000);
  }

  @Test
  void anAssumedPod_isNotTriedAgain_whateverChangesInIt() {
    cluster.upsert(node);
    Pod pod = TestCluster.pod("a", "1", 0);
    cluster.upsert(pod);
    cluster.placed();

    cluster.upsert(new PodBuilder(pod).editMetadata().addToLabels("x", "y").endMetadata().build());
    cluster.later(Duration.ofMinutes(10));

    assertThat(cluster.next()).isInstanceOf(Idle.class);
    assertThat(usedMilliCpu()).isEqualTo(1000);
  }

  private static Pod unreadable(String name) {
    return new PodBuilder(bound(name, "1"))
        .editSpec()
        .editFirstContainer()
        .editResources()
        .addToRequests("memory", new Quantity("lots"))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  @Test
  void aNodeWithAPodThatCannotBeRead_takesNoMore_untilItIsGoneOrCanBe() {
    cluster.upsert(node);
    assertThat(cluster.upsert(unreadable("bad"))).isPresent();
    cluster.upsert(TestCluster.pod("p", "100m", 0));
    assertThat(cluster.unschedulable().message())
        .startsWith(
            "0/1 nodes are available: 1 node(s) had a pod whose requests cannot be parsed.");

    cluster.upsert(bound("bad", "1"));
    cluster.later(Duration.ofSeconds(20));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");

    cluster.upsert(unreadable("bad"));
    cluster.upsert(TestCluster.pod("q", "100m", 0));
    cluster.unschedulable();
    assertThat(usedMilliCpu()).as("what was known of it still counts").isEqualTo(1100);
    cluster.remove(unreadable("bad"));
    cluster.later(Duration.ofSeconds(20));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
    assertThat(usedMilliCpu()).isEqualTo(200);
  }

  @Test
  void aPodThatCannotBeReadAnyMore_isNotPlacedAgain_onceItIsOnANode() {
    cluster.upsert(node);
    cluster.upsert(TestCluster.pod("bad", "1", 0));
    cluster.upsert(unreadable("bad"));

    assertThat(cluster.next()).isInstanceOf(Idle.class);
  }

  @Test
  void aFinishedPodThatCannotBeRead_holdsNothing() {
    cluster.upsert(node);
    Pod finished =
        new PodBuilder(unreadable("bad")).editStatus().withPhase("Failed").endStatus().build();
    assertThat(cluster.upsert(finished)).isPresent();
    cluster.upsert(TestCluster.pod("p", "1", 0));

    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void aNodeThatComesAfterItsUnreadablePod_takesNone() {
    cluster.upsert(unreadable("bad"));
    cluster.upsert(node);
    cluster.upsert(TestCluster.pod("p", "1", 0));

    cluster.unschedulable();
  }
}
