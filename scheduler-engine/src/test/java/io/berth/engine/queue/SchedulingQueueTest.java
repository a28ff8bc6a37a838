package io.berth.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SchedulingQueueTest {

  private record Pod(String name, String shape, boolean gated) {}

  /** Events are the names of plugins, whose rejections they resolve. */
  private static final class Rules implements QueueRules<Pod, String> {
    final Set<String> placed = new HashSet<>();
    final Map<String, Integer> questions = new HashMap<>();
    final Map<String, Long> needs = new HashMap<>();
    long offered = Long.MAX_VALUE;

    @Override
    public boolean isPlaced(String uid) {
      return placed.contains(uid);
    }

    @Override
    public Optional<String> gatedBy(Pod pod) {
      return pod.gated() ? Optional.of("waits for a gate") : Optional.empty();
    }

    @Override
    public Object shapeOf(Pod pod) {
      return pod.shape();
    }

    @Override
    public boolean concerns(String plugin, String event) {
      return plugin.equals(event);
    }

    @Override
    public boolean mayHelp(Pod pod, String plugin, String event) {
      questions.merge(pod.shape(), 1, Integer::sum);
      return plugin.equals(event);
    }

    @Override
    public long needOf(Pod pod, String plugin) {
      return needs.getOrDefault(pod.shape(), Long.MIN_VALUE);
    }

    @Override
    public long offeredBy(String event, String plugin, int priority) {
      return offered;
    }

    @Override
    public String labelOf(String event) {
      return event + "Event";
    }
  }

  private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
  private final Rules rules = new Rules();
  private final SchedulingQueue<Pod, String> queue =
      new SchedulingQueue<>(rules, QueueTimes.DEFAULT);

  private static Instant at(double seconds) {
    return T0.plus(Duration.ofMillis(Math.round(seconds * 1000)));
  }

  private QueuePlace put(String uid, int priority, double seconds) {
    return queue.put(uid, new Pod(uid, "shape", false), priority, List.of(), at(seconds));
  }

  private List<String> popAll(double seconds) {
    List<String> uids = new ArrayList<>();
    for (Optional<SchedulingQueue.Popped<Pod>> popped = queue.pop(at(seconds));
        popped.isPresent();
        popped = queue.pop(at(seconds))) {
      uids.add(popped.get().key());
    }
    return uids;
  }

  private void reject(String uid, double seconds, String... plugins) {
    assertThat(queue.pop(at(seconds))).map(SchedulingQueue.Popped::key).contains(uid);
    queue.rejected(uid, Set.of(plugins), at(seconds));
  }

  @Test
  void pop_givesTheHighestPriorityFirstAndThenTheFirstThatCame() {
    put("low-1", 0, 0);
    put("high-1", 10, 1);
    put("low-2", 0, 2);
    put("high-2", 10, 3);
    put("negative", -5, 3);

    assertThat(popAll(4)).containsExactly("high-1", "high-2", "low-1", "low-2", "negative");
    assertThat(queue.size(QueuePlace.IN_FLIGHT)).isEqualTo(5);
  }

  @Test
  void pop_emptyQueue_givesNothingAndNothingIsDue() {
    assertThat(queue.pop(T0)).isEmpty();
    assertThat(queue.nextDue()).isEqualTo(Due.NEVER);
  }

  @Test
  void nextDue_anActivePod_isNow() {
    put("a", 0, 0);

    assertThat(queue.nextDue()).isEqualTo(Due.AT_ONCE);
  }

  @Test
  void put_twice_keepsOneEntryInItsOrder() {
    put("a", 0, 0);
    put("b", 0, 1);
    put("a", 0, 2);

    assertThat(popAll(3)).containsExactly("a", "b");
  }

  @Test
  void put_aNewPriority_movesTheActivePod() {
    put("a", 0, 0);
    put("b", 0, 1);
    put("b", 7, 2);

    assertThat(popAll(3)).containsExactly("b", "a");
  }

  @Test
  void pop_countsAttemptsAndHandsOutTheLatestPod() {
    put("a", 0, 0);
    queue.put("a", new Pod("newer", "shape", false), 0, List.of(), at(1));

    SchedulingQueue.Popped<Pod> first = queue.pop(at(1)).orElseThrow();
    queue.failed("a", at(1));
    SchedulingQueue.Popped<Pod> second = queue.pop(at(2)).orElseThrow();

    assertThat(first.unit().name()).isEqualTo("newer");
    assertThat(first.attempt()).isEqualTo(1);
    assertThat(second.attempt()).isEqualTo(2);
  }

  @Test
  void rejected_waitsForAnEventThatItsPluginNamed() {
    put("a", 0, 0);
    reject("a", 0, "NodeAffinity", "NodeResourcesFit");

    assertThat(queue.placeOf("a")).isEqualTo(QueuePlace.UNSCHEDULABLE);
    assertThat(queue.wake("TaintToleration", at(2))).isZero();
    assertThat(queue.pop(at(2))).isEmpty();
    assertThat(queue.wake("NodeResourcesFit", at(3))).isOne();
    assertThat(popAll(3)).containsExactly("a");
  }

  @Test
  void wake_whileThePauseLasts_waitsBehindActivePodsForItsRest() {
    put("a", 9, 0);
    reject("a", 0, "NodeAffinity");
    put("b", 0, 0);
    put("c", 0, 0);

    queue.wake("NodeAffinity", at(0.25));

    assertThat(queue.placeOf("a")).isEqualTo(QueuePlace.BACKOFF);
    assertThat(queue.pop(at(0.999))).map(SchedulingQueue.Popped::key).contains("b");
    assertThat(queue.pop(at(1))).map(SchedulingQueue.Popped::key).contains("a");
  }

  @Test
  void pop_whileNoPodIsActive_takesARejectedPodBeforeItsPauseIsOver() {
    put("a", 0, 0);
    reject("a", 0, "NodeAffinity");
    queue.wake("NodeAffinity", at(0.25));

    assertThat(queue.nextDue()).isEqualTo(Due.AT_ONCE);
    assertThat(queue.pop(at(0.25))).map(SchedulingQueue.Popped::key).contains("a");
  }

  @Test
  void pop_whileNoPodIsActive_prefersThePauseThatEndsFirst_andThenThePriority() {
    put("low", 0, 0);
    put("high", 9, 0);
    put("late", 99, 0);
    for (String uid : popAll(0)) {
      queue.rejected(uid, Set.of("NodeAffinity"), at(uid.equals("late") ? 1.5 : 0.5));
    }
    queue.wake("NodeAffinity", at(0.5));

    assertThat(popAll(0.6)).containsExactly("high", "low", "late");
  }

  @Test
  void pop_whileNoPodIsActive_leavesAFailedPodToItsPause() {
    put("a", 0, 0);
    queue.pop(at(0));
    queue.failed("a", at(0.5));

    assertThat(queue.pop(at(1.4))).isEmpty();
    assertThat(queue.nextDue()).isEqualTo(Due.at(at(1.5)));
    assertThat(popAll(1.5)).containsExactly("a");
  }

  @Test
  void backoff_doublesFromOneSecondToTen() {
    put("a", 0, 0);
    double now = 0;
    for (double pause : new double[] {1, 2, 4, 8, 10, 10}) {
      reject("a", now, "NodeAffinity");
      put("active", 9, now);
      queue.wake("NodeAffinity", at(now));
      assertThat(queue.pop(at(now + pause - 0.001)))
          .map(SchedulingQueue.Popped::key)
          .contains("active");
      assertThat(queue.placeOf("a")).isEqualTo(QueuePlace.BACKOFF);
      queue.done("active");
      now += pause;
    }
  }

  @Test
  void failed_pausesWithoutAnEvent_andARejectionForgetsTheFailures() {
    put("a", 0, 0);
    queue.pop(at(0));
    assertThat(queue.failed("a", at(0))).isEqualTo(QueuePlace.BACKOFF);
    queue.pop(at(1));
    queue.failed("a", at(1));
    assertThat(queue.nextDue()).isEqualTo(Due.at(at(3)));

    reject("a", 3, "NodeAffinity");
    put("active", 9, 3);
    queue.wake("NodeAffinity", at(3));

    assertThat(queue.pop(at(4))).map(SchedulingQueue.Popped::key).contains("active");
    assertThat(queue.placeOf("a")).isEqualTo(QueuePlace.ACTIVE);
  }

  @Test
  void rejected_withATimeToTryAgain_isTriedThenThoughNoEventHelps() {
    put("a", 0, 0);
    queue.pop(at(0));
    queue.rejected("a", Set.of("NodeAffinity"), Due.at(at(30)), at(0));

    assertThat(queue.nextDue()).isEqualTo(Due.at(at(30)));
    assertThat(queue.pop(at(29.9))).isEmpty();
    assertThat(popAll(30)).containsExactly("a");
  }

  @Test
  void rejected_withATimeBeyondTheLongestWait_isTriedAfterThat() {
    put("a", 0, 0);
    queue.pop(at(0));
    queue.rejected("a", Set.of("NodeAffinity"), Due.at(at(3000)), at(0));

    assertThat(queue.nextDue()).isEqualTo(Due.at(at(300)));
  }

  @Test
  void longestWaits_endInTheirOrder_whateverThePausesWere() {
    put("often", 0, 0);
    for (double second : new double[] {0, 10, 20, 30}) {
      reject("often", second, "NodeAffinity");
      queue.wake("NodeAffinity", at(second + 10));
    }
    reject("often", 40, "NodeAffinity");
    put("once", 0, 45);
    reject("once", 45, "NodeAffinity");

    assertThat(queue.nextDue()).isEqualTo(Due.at(at(340)));
    assertThat(queue.pop(at(340))).map(SchedulingQueue.Popped::key).contains("often");
  }

  @Test
  void activate_triesAPodThatWaitsForAnEvent_andOneInFlightWhenItComesBack() {
    put("waiting", 0, 0);
    reject("waiting", 0, "NodeAffinity");
    put("flying", 0, 0);
    queue.pop(at(0));

    assertThat(queue.activate("waiting", at(2))).isTrue();
    assertThat(queue.activate("flying", at(2))).isTrue();
    assertThat(queue.activate("unknown", at(2))).isFalse();

    assertThat(queue.placeOf("waiting")).isEqualTo(QueuePlace.ACTIVE);
    assertThat(queue.rejected("flying", Set.of("NodeAffinity"), at(2)))
        .isEqualTo(QueuePlace.BACKOFF);
  }

  @Test
  void rejected_byNoPlugin_isAFailure() {
    put("a", 0, 0);
    queue.pop(at(0));

    assertThat(queue.rejected("a", Set.of(), at(0))).isEqualTo(QueuePlace.BACKOFF);
  }

  @Test
  void backoff_endsInOrderOfTimeAndThenOfPriority() {
    put("a", 0, 0);
    put("b", 5, 0);
    put("c", 0, 0);
    popAll(0);
    queue.failed("a", at(0));
    queue.failed("b", at(0.5));
    queue.failed("c", at(0));

    assertThat(popAll(1.2)).containsExactly("a", "c");
    assertThat(popAll(1.5)).containsExactly("b");
  }

  @Test
  void unschedulable_isTriedAgainAfterFiveMinutes() {
    put("a", 0, 0);
    reject("a", 0, "NodeAffinity");

    assertThat(queue.nextDue()).isEqualTo(Due.at(at(300)));
    assertThat(queue.pop(at(299.9))).isEmpty();
    assertThat(popAll(300)).containsExactly("a");
  }

  @Test
  void retried_comesBehindThoseThatWaitAlready() {
    put("a", 0, 0);
    put("b", 0, 0);
    reject("a", 1, "NodeAffinity");
    queue.wake("NodeAffinity", at(2));

    assertThat(popAll(2)).containsExactly("b", "a");
  }

  @Test
  void eventWhileInFlight_isNotLost() {
    put("a", 0, 0);
    queue.pop(at(0));
    queue.wake("NodeAffinity", at(0));

    assertThat(queue.rejected("a", Set.of("NodeAffinity"), at(0))).isEqualTo(QueuePlace.BACKOFF);
    assertThat(popAll(1)).containsExactly("a");
  }

  @Test
  void eventWhileInFlight_thatDoesNotHelp_leavesItUnschedulable() {
    put("a", 0, 0);
    queue.pop(at(0));
    queue.wake("NodePorts", at(0));

    assertThat(queue.rejected("a", Set.of("NodeAffinity"), at(0)))
        .isEqualTo(QueuePlace.UNSCHEDULABLE);
  }

  @Test
  void eventBeforeThePodWasTakenOut_doesNotCount() {
    put("a", 0, 0);
    put("b", 0, 0);
    queue.pop(at(0));
    queue.wake("NodeAffinity", at(0));
    queue.pop(at(0));

    assertThat(queue.rejected("b", Set.of("NodeAffinity"), at(0)))
        .isEqualTo(QueuePlace.UNSCHEDULABLE);
    assertThat(queue.rejected("a", Set.of("NodeAffinity"), at(0))).isEqualTo(QueuePlace.BACKOFF);
  }

  @Test
  void eventsBehindAPodThatNeverComesBack_areBounded_andThePodIsRetried() {
    put("stuck", 0, 0);
    put("other", 0, 0);
    queue.pop(at(0));
    for (int i = 0; i < InFlightEvents.LIMIT + 1; i++) {
      queue.wake("NodePorts", at(0));
    }

    assertThat(queue.rejected("stuck", Set.of("NodeAffinity"), at(0)))
        .isEqualTo(QueuePlace.BACKOFF);
  }

  @Test
  void ownUpdateWhileInFlight_countsForThatPodAlone() {
    put("a", 0, 0);
    put("b", 0, 0);
    popAll(0);
    queue.put("a", new Pod("a", "tolerant", false), 0, List.of("TaintToleration"), at(0));

    assertThat(queue.rejected("a", Set.of("TaintToleration"), at(0))).isEqualTo(QueuePlace.BACKOFF);
    assertThat(queue.rejected("b", Set.of("TaintToleration"), at(0)))
        .isEqualTo(QueuePlace.UNSCHEDULABLE);
  }

  @Test
  void ownUpdate_wakesTheUnschedulablePodOnlyIfItMayHelp() {
    put("a", 0, 0);
    reject("a", 0, "TaintToleration");

    queue.put("a", new Pod("a", "shape", false), 0, List.of("NodeAffinity"), at(5));
    assertThat(queue.placeOf("a")).isEqualTo(QueuePlace.UNSCHEDULABLE);

    queue.put("a", new Pod("a", "tolerant", false), 0, List.of("TaintToleration"), at(6));
    assertThat(popAll(6)).containsExactly("a");
  }

  @Test
  void gated_isNotTriedAndNotWokenUntilItsGateOpens() {
    assertThat(queue.put("a", new Pod("a", "shape", true), 9, List.of(), at(0)))
        .isEqualTo(QueuePlace.GATED);
    queue.wake("NodeAffinity", at(1));

    assertThat(queue.pop(at(1000))).isEmpty();
    assertThat(queue.nextDue()).isEqualTo(Due.NEVER);
    assertThat(queue.put("a", new Pod("a", "shape", false), 9, List.of(), at(1001)))
        .isEqualTo(QueuePlace.ACTIVE);
    assertThat(popAll(1001)).containsExactly("a");
    assertThat(queue.size(QueuePlace.GATED)).isZero();
  }

  @Test
  void placedPod_neverEnters() {
    rules.placed.add("a");

    assertThat(put("a", 0, 0)).isEqualTo(QueuePlace.ABSENT);
    assertThat(queue.pop(at(0))).isEmpty();
  }

  @Test
  void placedWhileWaiting_isDroppedByItsUpdate() {
    put("a", 0, 0);
    reject("a", 0, "NodeAffinity");
    rules.placed.add("a");

    put("a", 0, 1);

    assertThat(queue.placeOf("a")).isEqualTo(QueuePlace.ABSENT);
    assertThat(queue.nextDue()).isEqualTo(Due.NEVER);
  }

  @Test
  void placedWithoutANotice_isDroppedWhenItLeaves() {
    put("a", 5, 0);
    put("b", 0, 0);
    rules.placed.add("a");

    assertThat(popAll(0)).containsExactly("b");
    assertThat(queue.placeOf("a")).isEqualTo(QueuePlace.ABSENT);
  }

  @Test
  void placedWhileInFlight_doesNotComeBack() {
    put("a", 0, 0);
    put("b", 0, 0);
    popAll(0);
    rules.placed.add("a");
    rules.placed.add("b");

    assertThat(queue.rejected("a", Set.of("NodeAffinity"), at(0))).isEqualTo(QueuePlace.ABSENT);
    assertThat(queue.failed("b", at(0))).isEqualTo(QueuePlace.ABSENT);
    assertThat(queue.size(QueuePlace.IN_FLIGHT)).isZero();
  }

  @Test
  void anAnswerForAPodThatIsNotInFlight_changesNothing() {
    put("a", 0, 0);

    queue.rejected("a", Set.of("NodeAffinity"), at(0));
    queue.failed("unknown", at(0));
    queue.done("a");

    assertThat(queue.placeOf("a")).isEqualTo(QueuePlace.ACTIVE);
    assertThat(popAll(0)).containsExactly("a");
  }

  @Test
  void removedWhileInFlight_doesNotComeBack() {
    put("a", 0, 0);
    queue.pop(at(0));

    assertThat(queue.remove("a")).isTrue();
    assertThat(queue.rejected("a", Set.of("NodeAffinity"), at(0))).isEqualTo(QueuePlace.ABSENT);
    assertThat(queue.remove("a")).isFalse();
  }

  @Test
  void wake_asksOncePerGroupOfAlikePods() {
    for (int i = 0; i < 1000; i++) {
      put("replica-" + i, 0, 0);
    }
    for (String uid : popAll(0)) {
      queue.rejected(uid, Set.of("NodeAffinity"), at(0));
    }
    rules.questions.clear();

    assertThat(queue.wake("NodePorts", at(5))).isZero();
    assertThat(queue.wake("NodeAffinity", at(5))).isEqualTo(1000);
    assertThat(rules.questions).containsExactly(Map.entry("shape", 1));
    assertThat(popAll(5)).hasSize(1000).startsWith("replica-0", "replica-1");
  }

  @Test
  void removingFromTheMiddle_keepsTheOrder() {
    for (int i = 0; i < 50; i++) {
      put("p" + i, i % 7, 0);
    }
    for (int i = 0; i < 50; i += 3) {
      queue.remove("p" + i);
    }
    List<String> expected = new ArrayList<>();
    for (int priority = 6; priority >= 0; priority--) {
      for (int i = 0; i < 50; i++) {
        if (i % 3 != 0 && i % 7 == priority) {
          expected.add("p" + i);
        }
      }
    }

    assertThat(popAll(0)).isEqualTo(expected);
  }

  @Test
  void aHundredThousandPods_areTakenInTheirOrder() {
    for (int i = 0; i < 100_000; i++) {
      put("p" + i, i % 10, 0);
    }

    List<String> order = popAll(0);

    assertThat(order).hasSize(100_000).startsWith("p9", "p19", "p29").endsWith("p99990");
  }

  @Test
  void podsThatCome_areCountedByPlaceAndEvent() {
    put("a", 0, 0);
    queue.put("g", new Pod("g", "shape", true), 0, List.of(), at(0));
    reject("a", 0, "Fit");
    queue.wake("Fit", at(0.5));
    reject("a", 2, "Fit");
    popAll(400);
    queue.put("g", new Pod("g", "shape", false), 0, List.of(), at(400));

    Map<String, Long> counts = new TreeMap<>();
    queue.incoming().forEach((place, event, pods) -> counts.put(place + " " + event, pods));
    assertThat(counts)
        .isEqualTo(
            Map.of(
                "ACTIVE UnschedulablePodAdd", 1L,
                "GATED UnschedulablePodAdd", 1L,
                "UNSCHEDULABLE ScheduleAttemptFailure", 2L,
                "BACKOFF FitEvent", 1L,
                "ACTIVE BackoffComplete", 1L,
                "ACTIVE UnschedulableTimeout", 1L,
                "ACTIVE UnschedulablePodUpdatePodSchedulingGatesEliminated", 1L));
  }

  @Test
  void aPodsTime_beginsWhenItsGatesOpen_andGoesOnThroughItsAttempts() {
    queue.put("g", new Pod("g", "shape", true), 0, List.of(), at(0));
    queue.put("g", new Pod("g", "shape", false), 0, List.of(), at(100));
    reject("g", 101, "Fit");
    queue.wake("Fit", at(150));
    assertThat(queue.pop(at(160)))
        .hasValueSatisfying(
            popped -> {
              assertThat(popped.attempt()).isEqualTo(2);
              assertThat(popped.firstActive()).isEqualTo(at(100));
            });
  }

  @Test
  void anEventThatMeansNothingToAPlugin_asksAboutNoneOfThePodsItRejected() {
    for (int i = 0; i < 100; i++) {
      String uid = "p" + i;
      queue.put(uid, new Pod(uid, "shape-" + i, false), 0, List.of(), at(0));
      reject(uid, 0, "Fit");
    }
    put("spread", 0, 0);
    reject("spread", 0, "Spread", "Fit");
    rules.questions.clear();

    assertThat(queue.wake("Spread", at(20))).isEqualTo(1);

    assertThat(rules.questions).containsOnlyKeys("shape");
    assertThat(queue.wake("Fit", at(21))).isEqualTo(100);
    assertThat(rules.questions).hasSize(101);
  }

  @Test
  void anEventThatOffersLittle_asksAboutNoPodsThatNeedMore() {
    for (int i = 0; i < 100; i++) {
      String uid = "p" + i;
      rules.needs.put("shape-" + i, (long) i);
      queue.put(uid, new Pod(uid, "shape-" + i, false), i % 3, List.of(), at(0));
    }
    put("unknown", 0, 0);
    for (String uid : popAll(0)) {
      queue.rejected(uid, Set.of("Fit"), at(0));
    }
    rules.questions.clear();
    rules.offered = 4;

    assertThat(queue.wake("Fit", at(20))).isEqualTo(6);

    assertThat(rules.questions)
        .containsOnlyKeys("shape", "shape-0", "shape-1", "shape-2", "shape-3", "shape-4");
    rules.offered = Long.MAX_VALUE;
    assertThat(queue.wake("Fit", at(21))).isEqualTo(95);
  }
}
