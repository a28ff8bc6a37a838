package io.berth.demo.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plans of faults derived from a seed. */
class NemesisPlanTest {
  private static final Duration RUN = Duration.ofMinutes(5);

  @Test
  void sameSeed_givesTheSamePlan() {
    assertThat(NemesisPlan.of(7, RUN, 3)).isEqualTo(NemesisPlan.of(7, RUN, 3));
    assertThat(NemesisPlan.of(8, RUN, 3).faults()).isNotEqualTo(NemesisPlan.of(7, RUN, 3).faults());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void everyFault_endsWithTheRun_andNoTargetHasTwoAtOnce(long seed) {
    NemesisPlan plan = NemesisPlan.of(seed, RUN, 3);

    assertThat(plan.faults()).extracting(Fault::at).isSorted();
    assertThat(plan.faults()).extracting(Fault::end).allMatch(end -> end.compareTo(RUN) <= 0);
    for (int target = 0; target < 3; target++) {
      List<Fault> faults = of(plan, target);
      for (int i = 1; i < faults.size(); i++) {
        assertThat(faults.get(i).at()).isGreaterThan(faults.get(i - 1).end());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void longRun_hitsEveryTargetWithEveryKind_andOneSleepsThroughATerm(long seed) {
    NemesisPlan plan = NemesisPlan.of(seed, RUN, 3);

    for (int target = 0; target < 3; target++) {
      assertThat(of(plan, target)).extracting(Fault::kind).contains(FaultKind.values());
    }
    assertThat(plan.faults())
        .anyMatch(fault -> fault.length().compareTo(Duration.ofSeconds(20)) >= 0);
  }

  private static List<Fault> of(NemesisPlan plan, int target) {
    return plan.faults().stream().filter(fault -> fault.target() == target).toList();
  }
}
