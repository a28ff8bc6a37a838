package io.berth.engine.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingQueue;
import io.berth.engine.api.ClusterEvent;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The past share of a SchedulingQueue, which a leader has written into its status. */
class PastShareReadingTest {
  private static ClusterEvent event(String spec, String status) {
    return new KubeEvents()
        .upserted(
            Serialization.unmarshal(
                """
                apiVersion: sched.cloud.ctrip.com/v1
                kind: SchedulingQueue
                metadata: {name: training}
                spec: {weight: 2%s}
                status: {%s}
                """
                    .formatted(spec, status),
                SchedulingQueue.class));
  }

  private static double pastShare(String spec, String status) {
    return event(spec, status) instanceof ClusterEvent.QueueUpserted upserted
        ? upserted.queue().pastShare()
        : Double.NaN;
  }

  @Test
  void pastShare_isThatOfTheStatus_ifThePastCounts() {
    assertThat(pastShare(", usageHalfLife: 12h", "pastShare: 12.5000%")).isEqualTo(0.125);
    assertThat(pastShare(", usageHalfLife: 12h", "")).isZero();
    assertThat(pastShare(", usageHalfLife: 12h", "pastShare: much")).isZero();
    assertThat(pastShare("", "pastShare: 12.5000%")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"9m", "soon"})
  void halfLifeThatIsShortOrNone_refusesTheQueue(String halfLife) {
    assertThat(event(", usageHalfLife: " + halfLife, ""))
        .isInstanceOfSatisfying(
            ClusterEvent.Malformed.class,
            malformed ->
                assertThat(malformed.refusal().reason())
                    .contains("spec.usageHalfLife is \"" + halfLife + "\""));
  }
}
