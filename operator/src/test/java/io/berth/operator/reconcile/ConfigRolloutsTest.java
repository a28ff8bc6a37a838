package io.berth.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.rollout.RolloutPhase;
import io.berth.operator.MovedClock;
import io.berth.operator.reconcile.Conditions.Finding;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConfigRolloutsTest {
  private final LiveCatalog catalog = new LiveCatalog("berth-system");
  private final List<String> stored = new ArrayList<>();
  private boolean isWritable = true;
  private final MovedClock clock = new MovedClock();
  private final ConfigRollouts rollouts =
      new ConfigRollouts(
          TemplateKind.NODE,
          catalog,
          new RenderedTally(catalog, Stream::empty, clock),
          this::store,
          clock);

  private void store(CustomResource<?, ?> config) {
    if (!isWritable) {
      throw new KubernetesClientException("the quota of controllerrevisions is exceeded");
    }
    stored.add(String.valueOf(config.getMetadata().getGeneration()));
  }

  private RolloutOutcome next(int generation, String spec) {
    NodeSchedulerConfig config =
        Serialization.unmarshal(
            """
            kind: NodeSchedulerConfig
            metadata: {name: pool, uid: u, generation: %d, resourceVersion: "%d"}
            spec: {rollout: {steps: [{percent: 50, hold: 1h}]}, tolerations: [{key: %s, operator: Exists}]}
            """
                .formatted(generation, generation, spec),
            NodeSchedulerConfig.class);
    catalog.put(config);
    return rollouts.next(config, true).orElseThrow();
  }

  @Test
  void aChangeDoesNotBegin_untilTheRevisionBeforeItIsStored() {
    isWritable = false;
    assertThat(next(1, "a").status().phase())
        .as("the first spec needs no other revision")
        .isEqualTo(RolloutPhase.COMPLETE);
    RolloutOutcome waiting = next(2, "b");
    assertThat(waiting.status()).isNull();
    Finding finding = waiting.rolledOut().orElseThrow();
    assertThat(finding.isTrue()).isFalse();
    assertThat(finding.reason()).isEqualTo("CompleteRevisionNotStored");
    assertThat(finding.message())
        .startsWith(
            "revision 2 applies to no workload yet, because revision 1 could not be stored");

    isWritable = true;
    assertThat(next(2, "b").status()).as("it is not tried all the time").isNull();
    clock.move(KeptOnce.AGAIN);
    assertThat(next(2, "b").status().phase()).isEqualTo(RolloutPhase.PROGRESSING);
    assertThat(stored).containsExactly("1");
  }

  @Test
  void aRolloutWhoseLastCompleteRevisionIsMissing_saysSo() {
    NodeSchedulerConfig config =
        Serialization.unmarshal(
            """
            kind: NodeSchedulerConfig
            metadata: {name: pool, uid: u, generation: 2, resourceVersion: "2"}
            spec: {rollout: {steps: [{percent: 50, hold: 1h}]}}
            status: {rollout: {phase: Complete, revision: '1', specHash: other, step: 0, progress: 100%, percent: 100}}
            """,
            NodeSchedulerConfig.class);
    catalog.put(config);
    RolloutOutcome outcome = rollouts.next(config, true).orElseThrow();
    assertThat(outcome.status()).isEqualTo(config.getStatus().rollout());
    assertThat(outcome.rolledOut().orElseThrow().reason()).isEqualTo("CompleteRevisionUnknown");
    assertThat(outcome.rolledOut().orElseThrow().message())
        .startsWith("the last complete revision, 1, is not stored as a ControllerRevision");
    assertThat(stored).isEmpty();
  }
}
