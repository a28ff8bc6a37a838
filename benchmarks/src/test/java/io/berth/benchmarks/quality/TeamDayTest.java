package io.berth.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TeamDayTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void teamsGetWhatIsGuaranteed_andBorrowTheSame_withQueues(long seed) {
    TeamDay.Result day = TeamDay.run(seed, true);

    assertThat(day.guaranteedPercent()).isGreaterThan(99);
    assertThat(day.jain().value()).isGreaterThan(0.95);
    assertThat(day.jain().looks()).isGreaterThan(30);
    assertThat(day.jainOfAll().looks()).isGreaterThan(day.jain().looks());
    assertThat(day.evictedEarly()).isZero();
    EvictionCauses causes = day.causes();
    assertThat(causes.forGuarantees() + causes.forShares()).isEqualTo(day.evicted());
    assertThat(causes.unavoidable()).isBetween(1, day.evicted());
  }

  @Test
  void teamsBorrowWhatTheyHappenToGet_withoutQueues() {
    TeamDay.Result day = TeamDay.run(2, false);

    assertThat(day.jain().value()).isLessThan(0.8);
    assertThat(day.evicted()).isZero();
  }
}
