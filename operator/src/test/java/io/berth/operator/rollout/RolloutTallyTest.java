package io.berth.operator.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.rollout.RolloutCounts;
import io.berth.engine.api.Attempt;
import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.model.PodRef;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RolloutTallyTest {
  private static final Attempt ATTEMPT = new Attempt(1, Instant.EPOCH);

  private final RolloutTally tally = new RolloutTally();

  private static RolloutProgress progress() {
    return OpenRollout.over("3", "2026-01-01T00:00:00Z");
  }

  private void place(String uid, String revision) {
    tally.decided(
        new Decision.Placed(
            new PodRef("team", uid, uid),
            ATTEMPT,
            "n1",
            List.of(),
            Map.of(),
            Map.of(),
            List.of(),
            Optional.empty(),
            new CycleRecord.Untried("batch", revision, 1, "placed")));
  }

  private void reject(String uid, String revision) {
    tally.decided(
        new Decision.Unschedulable(
            new PodRef("team", uid, uid),
            ATTEMPT,
            WaitCause.NO_ROOM,
            "why",
            false,
            Optional.empty(),
            Optional.empty(),
            new CycleRecord.Untried("batch", revision, 1, "why")));
  }

  private RolloutCounts canary() {
    return tally.follow("batch", progress()).canary();
  }

  @Test
  void podsOfEarlierRolloutsDoNotCount() {
    tally.follow("batch", progress());
    place("a", "5");
    place("b", "6");
    reject("c", "6");
    place("d", "4");
    reject("e", "4");
    place("f", "3");
    assertThat(canary()).isEqualTo(new RolloutCounts(3L, 1L, 0L));
    assertThat(tally.follow("batch", progress()).stable()).isEqualTo(new RolloutCounts(1L, 0L, 0L));
  }

  @Test
  void aPodThatIsTriedAgainCountsOnce_alsoBeyondTheMostThatAreRemembered() {
    tally.follow("batch", progress());
    for (int round = 0; round < 2; round++) {
      for (int pod = 0; pod < RolloutTally.MOST_REMEMBERED + 100; pod++) {
        reject("p" + pod, "6");
      }
    }
    long most = RolloutTally.MOST_REMEMBERED;
    assertThat(canary()).isEqualTo(new RolloutCounts(most, most, 0L));
    place("p0", "6");
    assertThat(canary()).isEqualTo(new RolloutCounts(most, most - 1, 0L));
  }

  @Test
  void theResultsOfADeletedPolicyAreForgotten() {
    tally.follow("batch", progress());
    reject("a", "6");
    tally.keepOnly(Set.of("other"));
    assertThat(canary()).isEqualTo(RolloutCounts.NONE);
  }
}
