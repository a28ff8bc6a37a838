package io.berth.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.ConfigStatus;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.rollout.RolloutPhase;
import io.berth.crds.rollout.RolloutStatus;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The state over which a status is written. */
class StatusReconcilerTest {

  private static RolloutStatus rollout(RolloutPhase phase) {
    return new RolloutStatus(
        phase, "2", "bbbb", 1, "1/1", 5, null, "2", null, "1", "aaaa", null, null, null);
  }

  private static ConfigStatus status(@Nullable RolloutStatus rollout, int pods) {
    return new ConfigStatus(2L, "1", List.of(), 0, pods, rollout, List.of());
  }

  private static @Nullable String writtenOver(ConfigStatus before, ConfigStatus wanted) {
    NodeSchedulerConfig config =
        Serialization.unmarshal(
            """
            kind: NodeSchedulerConfig
            metadata: {name: pool, uid: u, generation: 2, resourceVersion: "77"}
            spec: {}
            """,
            NodeSchedulerConfig.class);
    config.setStatus(before);
    StatusReconciler<NodeSchedulerConfig, ConfigStatus> reconciler =
        new StatusReconciler<>(NodeSchedulerConfig::new, new StatusFailures(() -> 0)) {
          @Override
          ConfigStatus status(NodeSchedulerConfig resource) {
            return wanted;
          }
        };
    return reconciler.patch(config).orElseThrow().getMetadata().getResourceVersion();
  }

  @Test
  void aRolloutGoesOnOnlyFromTheStateFromWhichItsNextOneWasComputed() {
    assertThat(
            writtenOver(
                status(rollout(RolloutPhase.PROGRESSING), 1),
                status(rollout(RolloutPhase.ABORTED), 1)))
        .isEqualTo("77");
    assertThat(writtenOver(status(null, 1), status(rollout(RolloutPhase.PROGRESSING), 1)))
        .isEqualTo("77");
  }

  @Test
  void countsOfARolloutAreNotWrittenOverAStateThatHasChangedMeanwhile() {
    assertThat(
            writtenOver(
                status(rollout(RolloutPhase.PROGRESSING), 1),
                status(rollout(RolloutPhase.PROGRESSING), 2)))
        .isEqualTo("77");
    assertThat(writtenOver(status(null, 1), status(null, 2)))
        .as("the rollout may have begun meanwhile")
        .isEqualTo("77");
  }
}
