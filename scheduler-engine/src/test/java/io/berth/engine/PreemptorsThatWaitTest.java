package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.berth.engine.model.PodRef;
import io.berth.engine.time.Due;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Preemptors wait for their victims, and for nothing else. */
class PreemptorsThatWaitTest {
  private static final Pod VICTIM = TestCluster.bound(TestCluster.pod("victim", "3", 0), "n1");
  private static final Pod ELSEWHERE =
      TestCluster.bound(TestCluster.pod("elsewhere", "4", 100), "n2");
  private static final Pod PREEMPTOR = TestCluster.pod("preemptor", "3", 100);

  private final TestCluster cluster = new TestCluster();

  /**
   * Node n1 is full of a victim, n2 of a pod that cannot be a victim; a pod is nominated for n1.
   */
  private void nominated() {
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(TestCluster.node("n2", "4"));
    cluster.upsert(VICTIM);
    cluster.upsert(ELSEWHERE);
    cluster.upsert(PREEMPTOR);
    assertThat(cluster.nominated().nodeName()).isEqualTo("n1");
  }

  private static Pod evicted(Pod pod) {
    return new PodBuilder(pod)
        .editMetadata()
        .withDeletionTimestamp("2026-01-01T00:00:00Z")
        .withFinalizers("example.com/held")
        .endMetadata()
        .editStatus()
        .addNewCondition()
        .withType("DisruptionTarget")
        .withStatus("True")
        .withReason("PreemptionByScheduler")
        .endCondition()
        .endStatus()
        .build();
  }

  private static Pod nominatedFor(Pod pod, String nodeName) {
    return new PodBuilder(pod).editStatus().withNominatedNodeName(nodeName).endStatus().build();
  }

  @Test
  void roomThatBecomesFreeElsewhere_isTakenAtOnce_thoughTheVictimIsStillThere() {
    nominated();
    cluster.upsert(evicted(VICTIM));
    cluster.later(Duration.ofMillis(300));

    cluster.remove(ELSEWHERE);

    assertThat(cluster.placed().nodeName()).isEqualTo("n2");
    assertThat(cluster.engine.nominations().nodeOf("uid-preemptor")).isEmpty();
  }

  @Test
  void aTryWhileTheVictimTerminates_keepsTheNomination_andSaysSo() {
    nominated();
    cluster.upsert(evicted(VICTIM));
    Pod other = TestCluster.bound(TestCluster.pod("other", "1", 100), "n1");
    cluster.upsert(other);
    cluster.remove(other);

    Decision.Unschedulable waiting = cluster.unschedulable();

    assertThat(waiting.message()).contains("terminating pod on the nominated node");
    assertThat(waiting.nominatedNode()).contains("n1");
    assertThat(cluster.engine.nominations().nodeOf("uid-preemptor")).contains("n1");
  }

  @Test
  void ofSeveralVictims_theLastWakesThePreemptor() {
    cluster.upsert(TestCluster.node("n1", "4"));
    Pod first = TestCluster.bound(TestCluster.pod("first", "2", 0), "n1");
    Pod second = TestCluster.bound(TestCluster.pod("second", "2", 0), "n1");
    cluster.upsert(first);
    cluster.upsert(second);
    cluster.upsert(TestCluster.pod("big", "4", 100));
    assertThat(cluster.nominated().victims()).hasSize(2);

    cluster.remove(first);
    assertThat(cluster.next()).isInstanceOf(Idle.class);
    cluster.remove(second);

    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void whatElseLeavesTheNode_maySpareTheWaitForTheOtherVictims() {
    cluster.upsert(TestCluster.node("n1", "4"));
    Pod first = TestCluster.bound(TestCluster.pod("first", "1", 0), "n1");
    Pod second = TestCluster.bound(TestCluster.pod("second", "1", 0), "n1");
    Pod equal = TestCluster.bound(TestCluster.pod("equal", "1", 100), "n1");
    cluster.upsert(first);
    cluster.upsert(second);
    cluster.upsert(equal);
    cluster.upsert(TestCluster.pod("big", "3", 100));
    assertThat(cluster.nominated().victims()).hasSize(2);

    cluster.remove(equal);
    assertThat(cluster.unschedulable().nominatedNode()).contains("n1");
    cluster.remove(first);

    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void aRefusedEviction_freesThePreemptor_whichEvictsAnotherInstead() {
    nominated();
    cluster.upsert(TestCluster.node("n3", "4"));
    cluster.upsert(TestCluster.bound(TestCluster.pod("dearer", "3", 50), "n3"));
    cluster.next();

    cluster.apply(new ClusterEvent.EvictionFailed(TestCluster.ref(VICTIM), "denied by a webhook"));

    Decision.Nominated again = cluster.nominated();
    assertThat(again.nodeName()).isEqualTo("n3");
    assertThat(again.victims()).extracting(PodRef::name).containsExactly("dearer");
  }

  @Test
  void aRefusedVictim_isAskedForAgain_afterAPauseThatDoubles() {
    nominated();
    Instant refused = cluster.now();
    cluster.apply(new ClusterEvent.EvictionFailed(TestCluster.ref(VICTIM), "denied by a webhook"));
    Decision.Unschedulable hopeless = cluster.unschedulable();
    assertThat(hopeless.nominatedNode()).isEmpty();
    assertThat(cluster.next()).isEqualTo(new Idle(Due.at(refused.plusSeconds(30))));

    cluster.later(Duration.ofSeconds(30));
    assertThat(cluster.nominated().victims()).containsExactly(TestCluster.ref(VICTIM));
    cluster.apply(new ClusterEvent.EvictionFailed(TestCluster.ref(VICTIM), "denied by a webhook"));
    cluster.unschedulable();

    assertThat(cluster.next()).isEqualTo(new Idle(Due.at(refused.plusSeconds(90))));
  }

  @Test
  void rejectionsOfEvictionsThatWereRequestedTogether_countOnce() {
    nominated();
    Instant refused = cluster.now();
    for (int i = 0; i < 6; i++) {
      cluster.apply(
          new ClusterEvent.EvictionFailed(TestCluster.ref(VICTIM), "denied by a webhook"));
    }
    cluster.unschedulable();

    assertThat(cluster.next()).isEqualTo(new Idle(Due.at(refused.plusSeconds(30))));
  }

  @Test
  void aRefusalForAVictimThatIsGoingAllTheSame_changesNothing() {
    nominated();
    cluster.upsert(evicted(VICTIM));

    cluster.apply(new ClusterEvent.EvictionFailed(TestCluster.ref(VICTIM), "no answer"));

    assertThat(cluster.next()).isInstanceOf(Idle.class);
    assertThat(cluster.engine.nominations().nodeOf("uid-preemptor")).contains("n1");
  }

  @Test
  void aVictimWhoseBindingFails_countsAsGone() {
    cluster.upsert(TestCluster.node("n1", "4"));
    Pod victim = TestCluster.pod("victim", "3", 0);
    cluster.upsert(victim);
    cluster.placed();
    cluster.upsert(PREEMPTOR);
    assertThat(cluster.nominated().victims()).containsExactly(TestCluster.ref(victim));

    cluster.apply(new ClusterEvent.BindingFailed(TestCluster.ref(victim), "preempted", true));

    assertThat(cluster.placed().pod().name()).isEqualTo("preemptor");
  }

  @Test
  void nomineesThatYield_areNamed_andLookForOtherRoom() {
    nominated();
    cluster.upsert(TestCluster.pod("urgent", "3", 200));

    Decision.Nominated urgent = cluster.nominated();
    assertThat(urgent.nodeName()).isEqualTo("n1");
    assertThat(urgent.yielding()).containsExactly(TestCluster.ref(PREEMPTOR));

    assertThat(cluster.unschedulable().pod().name()).isEqualTo("preemptor");
  }

  @Test
  void aNodeThatGoes_sendsThoseWhoWereToGoThere_lookingAtOnce() {
    nominated();
    cluster.upsert(TestCluster.node("n3", "4"));
    cluster.upsert(TestCluster.bound(TestCluster.pod("dearer", "3", 50), "n3"));
    cluster.next();

    cluster.remove(TestCluster.node("n1", "4"));

    assertThat(cluster.nominated().nodeName()).isEqualTo("n3");
  }

  @Test
  void whatTheWatchShowsLateOfOwnWrites_isNotTakenForAWish() {
    nominated();
    Pod urgent = TestCluster.pod("urgent", "3", 200);
    cluster.upsert(urgent);
    cluster.nominated();
    cluster.unschedulable();
    assertThat(cluster.engine.nominations().nodeOf("uid-preemptor")).isEmpty();

    cluster.upsert(nominatedFor(PREEMPTOR, "n1"));
    assertThat(cluster.engine.nominations().nodeOf("uid-preemptor")).isEmpty();
    cluster.upsert(PREEMPTOR);
    assertThat(cluster.engine.nominations().nodeOf("uid-preemptor")).isEmpty();
  }

  @Test
  void aNodeThatOthersNominate_isTriedFirst() {
    cluster.upsert(TestCluster.node("n1", "64"));
    cluster.upsert(TestCluster.node("n2", "4"));
    cluster.upsert(TestCluster.pod("big", "128", 0));
    cluster.unschedulable();
    Pod small = TestCluster.pod("small", "3", 0);

    cluster.upsert(nominatedFor(small, "n2"));

    assertThat(cluster.placed().nodeName()).isEqualTo("n2");
  }

  @Test
  void aNodeThatOthersNominateInstead_takesThePlaceOfTheNomination() {
    nominated();
    cluster.upsert(nominatedFor(PREEMPTOR, "n1"));

    cluster.upsert(nominatedFor(PREEMPTOR, "n2"));

    assertThat(cluster.engine.nominations().nodeOf("uid-preemptor")).contains("n2");
  }
}
