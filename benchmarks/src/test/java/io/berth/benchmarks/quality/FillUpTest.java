package io.berth.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.berth.benchmarks.quality.DemandStream.Arrival;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FillUpTest {
  private static final int FULL_PODS = 2 * DemandStream.NODES;
  private static final int LONG = DemandStream.ticks();

  private static Arrival largest(int number, int tick, int lifetime) {
    return DemandStream.arrivalOf(number, tick, DemandStream.LARGEST, lifetime);
  }

  @Test
  void demandRisesTo105PercentWhateverAPolicy_does() {
    List<Arrival> arrivals = DemandStream.arrivals(7);

    for (int tick = 0; tick <= DemandStream.ticks(); tick += DemandStream.ticks() / 21) {
      int at = tick;
      double asked =
          arrivals.stream()
              .filter(pod -> pod.tick() <= at && at < pod.tick() + pod.lifetime())
              .mapToInt(Arrival::parts)
              .sum();
      double capacity = DemandStream.NODES * DemandStream.PARTS;
      assertThat(100 * asked / capacity).isCloseTo(DemandStream.percentAt(tick), within(0.2));
    }
    assertThat(DemandStream.percentAt(DemandStream.ticks())).isEqualTo(105);
  }

  @Test
  void everySizeAsksForAboutAsMuch() {
    List<Arrival> arrivals = DemandStream.arrivals(7);
    double all = arrivals.stream().mapToInt(Arrival::parts).sum();

    for (int parts : List.of(1, 2, 4, 8, 16, 32)) {
      double asked = arrivals.stream().mapToInt(Arrival::parts).filter(one -> one == parts).sum();
      assertThat(asked / all).as("%d/64", parts).isCloseTo(1.0 / 6, within(0.02));
    }
  }

  @Test
  void streamsOfOneSeed_areEqual() {
    assertThat(DemandStream.arrivals(7)).isEqualTo(DemandStream.arrivals(7));
  }

  @Test
  void podWithoutRoom_isRefusedAfterATenthOfItsLifetime() {
    List<Arrival> arrivals =
        IntStream.rangeClosed(0, FULL_PODS).mapToObj(i -> largest(i, 1, LONG / 2)).toList();

    FillUp.Result result = FillUp.run(FillUp.Policy.DEFAULT, arrivals);

    assertThat(result.largest().mean(0, 1)).isCloseTo(100.0 * 600 / 601, within(1e-9));
    assertThat(result.allocated().mean(1, 50)).isEqualTo(100);
    assertThat(result.allocated().mean(55, 106)).isZero();
  }

  @Test
  void waitingPod_takesTheNodeThatBecomesFreeInTime() {
    List<Arrival> arrivals =
        IntStream.rangeClosed(0, FULL_PODS)
            .mapToObj(i -> largest(i, i == FULL_PODS ? 2 : 1, i == 0 ? LONG / 30 : LONG / 2))
            .toList();

    FillUp.Result result = FillUp.run(FillUp.Policy.MOST_ALLOCATED, arrivals);

    assertThat(result.largest().mean(0, 1)).isEqualTo(100);
  }
}
