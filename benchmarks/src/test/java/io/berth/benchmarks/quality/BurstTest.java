package io.berth.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BurstTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void withTheCorrectionNoNode_isMuchHotterThanTheMean(long seed) {
    Burst.Result with = Burst.run(seed, true);

    assertThat(with.hottest()).isLessThan(1.1 * with.mean());
  }

  @Test
  void withoutItThePodsPileUpWhereTheLastReportWasLowest() {
    Burst.Result without = Burst.run(1, false);

    assertThat(without.hottest()).isGreaterThan(2 * without.mean());
  }
}
