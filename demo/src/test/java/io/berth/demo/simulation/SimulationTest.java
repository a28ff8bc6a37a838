package io.berth.demo.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The simulation with fixed seeds. */
class SimulationTest {
  private static final BitSet NOTHING_LEFT_OUT = new BitSet();

  /**
   * The first mixes of these seeds have ReplicaSets, and faults of the whole server. What only some
   * mixes lead to, as repairs, happens in one of the runs: which one depends on the course of each.
   */
  @Test
  void tenantsAndFaults_causeNoViolation() {
    List<Simulation.Report> reports =
        LongStream.of(5, 21).mapToObj(seed -> Simulation.run(300, seed, NOTHING_LEFT_OUT)).toList();

    assertThat(reports)
        .allSatisfy(
            report -> {
              assertThat(report.violations()).isEmpty();
              assertThat(report.crashes()).isPositive();
              assertThat(report.probes()).isGreaterThan(100);
              assertThat(report.statuses()).isGreaterThan(100);
            });
    assertThat(reports).anySatisfy(report -> assertThat(report.repairs()).isPositive());
  }

  @Test
  void equalSeeds_causeEqualRuns_andOthersDoNot() {
    Simulation.Report first = Simulation.run(100, 7, NOTHING_LEFT_OUT);

    assertThat(Simulation.run(100, 7, NOTHING_LEFT_OUT)).isEqualTo(first);
    assertThat(Simulation.run(100, 8, NOTHING_LEFT_OUT).digest()).isNotEqualTo(first.digest());
  }

  @Test
  void aStepThatIsLeftOut_changesTheRun() {
    BitSet left = new BitSet();
    left.set(1, 50);

    assertThat(Simulation.run(60, 7, left).changes())
        .isLessThan(Simulation.run(60, 7, NOTHING_LEFT_OUT).changes());
  }
}
