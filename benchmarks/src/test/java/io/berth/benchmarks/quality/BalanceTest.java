package io.berth.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.berth.engine.model.NodeModel;
import org.junit.jupiter.api.Test;

class BalanceTest {
  private static final long GIB = 1L << 30;
  private final NodeModel node = MixedStream.nodes().getFirst();

  @Test
  void nothing_isStrandedWhereAllResourcesRunOutTogether() {
    assertThat(Balance.stranded(node, new long[] {32_000, 128 * GIB, 4})).containsOnly(0);
    assertThat(Balance.stranded(node, new long[] {0, 0, 0})).containsOnly(0);
  }

  @Test
  void whatTheScarcestResourceLeavesBehind_isStranded() {
    assertThat(Balance.stranded(node, new long[] {32_000, 0, 0})).containsExactly(0.5, 0, 0);
    assertThat(Balance.stranded(node, new long[] {64_000, 256 * GIB, 0})).containsExactly(1, 1, 0);
    assertThat(Balance.mean(new double[] {1, 1, 0})).isCloseTo(2.0 / 3, within(1e-9));
  }

  @Test
  void streamsOfOneSeed_areEqual() {
    MixedStream one = new MixedStream(7);
    MixedStream other = new MixedStream(7);

    for (int i = 0; i < 100; i++) {
      assertThat(one.next()).isEqualTo(other.next());
      assertThat(one.lifetime(50)).isEqualTo(other.lifetime(50)).isPositive();
    }
  }
}
