package io.berth.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicy;
import io.berth.operator.MovedClock;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Watches that die without an error. */
class SilentWatchTest {
  private final MovedClock clock = new MovedClock();
  private final SilentWatch watch = new SilentWatch(clock);

  private static SchedulingPolicy policy(String uid, long generation) {
    SchedulingPolicy policy = new SchedulingPolicy();
    policy.setMetadata(
        new ObjectMetaBuilder().withName(uid).withUid(uid).withGeneration(generation).build());
    return policy;
  }

  private boolean isMissed(List<SchedulingPolicy> fed, Map<String, Long> given) {
    return watch.missed(fed, uid -> given.getOrDefault(uid, 0L)).isPresent();
  }

  @Test
  void objectsThatReconcilersHave_areNotMissed() {
    List<SchedulingPolicy> fed = List.of(policy("a", 3));
    assertThat(isMissed(fed, Map.of("a", 3L))).isFalse();
    clock.move(Duration.ofHours(1));
    assertThat(isMissed(fed, Map.of("a", 3L))).isFalse();
    assertThat(isMissed(fed, Map.of("a", 4L))).as("the feed may be behind").isFalse();
  }

  @Test
  void aNewGeneration_isMissedAfterAMinute() {
    List<SchedulingPolicy> fed = List.of(policy("a", 3), policy("b", 1));
    Map<String, Long> given = Map.of("a", 2L, "b", 1L);

    assertThat(isMissed(fed, given)).isFalse();
    clock.move(Duration.ofSeconds(59));
    assertThat(isMissed(fed, given)).isFalse();
    clock.move(Duration.ofSeconds(1));
    assertThat(isMissed(fed, given)).isTrue();
  }

  @Test
  void aNewObject_isMissedToo() {
    List<SchedulingPolicy> fed = List.of(policy("new", 1));
    isMissed(fed, Map.of());
    clock.move(SilentWatch.PATIENCE.first());
    assertThat(isMissed(fed, Map.of())).isTrue();
  }

  @Test
  void aGenerationThatCameInTime_andTheNext_areCountedApart() {
    isMissed(List.of(policy("a", 2)), Map.of("a", 1L));
    clock.move(Duration.ofSeconds(40));
    isMissed(List.of(policy("a", 2)), Map.of("a", 2L));
    isMissed(List.of(policy("a", 3)), Map.of("a", 2L));
    clock.move(Duration.ofSeconds(40));

    assertThat(isMissed(List.of(policy("a", 3)), Map.of("a", 2L))).isFalse();
  }

  @Test
  void anObjectThatNoRestartBrings_isMissedLessAndLessOften() {
    List<SchedulingPolicy> fed = List.of(policy("a", 1));
    int missed = 0;
    for (int seconds = 0; seconds < 3600; seconds += 10) {
      if (isMissed(fed, Map.of())) {
        missed++;
      }
      clock.move(Duration.ofSeconds(10));
    }
    assertThat(missed).as("after 1, 2, 4, 8, 16 and 30 minutes").isEqualTo(5);

    isMissed(List.of(), Map.of());
    isMissed(fed, Map.of());
    clock.move(SilentWatch.PATIENCE.first());
    assertThat(isMissed(fed, Map.of())).as("patience is short again").isTrue();
  }
}
