package io.berth.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BurstTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void with_the_correction_no_node_is_much_hotter_than_the_mean(long seed) {
    Burst.Result with = Burst.run(seed, true);

    assertThat(with.hottest()).isLessThan(1.1 * with.mean());
  }

  @Test
  void without_it_the_pods_pile_up_where_the_last_report_was_lowest() {
    Burst.Result without = Burst.run(1, false);

    assertThat(without.hottest()).isGreaterThan(2 * without.mean());
  }
}
