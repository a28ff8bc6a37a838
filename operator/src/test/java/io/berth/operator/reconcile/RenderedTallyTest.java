package io.berth.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.rollout.RolloutCounts;
import io.berth.engine.api.ClusterEvent;
import io.berth.operator.feed.FedPod;
import io.berth.operator.feed.FedPods;
import io.berth.operator.rollout.OpenRollout;
import io.berth.operator.rollout.RolloutProgress;
import io.berth.operator.rollout.RolloutProgress.Results;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The results of rollouts of configs, counted from pods whose annotations anybody may write. */
class RenderedTallyTest {
  private static final Instant NOW = Instant.parse("2026-01-01T01:00:00Z");

  private final List<FedPod> pods = new ArrayList<>();
  private final LiveCatalog catalog = new LiveCatalog("berth-system");
  private int passes;
  private final RenderedTally tally =
      new RenderedTally(
          catalog,
          () -> {
            passes++;
            return pods.stream();
          },
          Clock.fixed(NOW, ZoneOffset.UTC));

  private void config(String name) {
    catalog.put(
        Serialization.unmarshal(
            """
            kind: NodeSchedulerConfig
            metadata: {name: %s, uid: %s, generation: 1}
            spec: {allowedNamespaces: {names: [team]}}
            """
                .formatted(name, name),
            NodeSchedulerConfig.class));
  }

  private void pod(String namespace, String created, String applied) {
    pods.add(
        FedPods.of(
            Serialization.unmarshal(
                """
                metadata:
                  namespace: %s
                  name: p%d
                  uid: u%d
                  creationTimestamp: "2026-01-01T%s:00Z"
                  annotations: {sched.cloud.ctrip.com/applied: '%s'}
                spec: {nodeName: n}
                """
                    .formatted(namespace, pods.size(), pods.size(), created, applied),
                Pod.class),
            new ClusterEvent.DefaultPolicyChanged("")));
  }

  private static RolloutProgress progress() {
    return OpenRollout.over("4", "2026-01-01T00:30:00Z");
  }

  private static String rendered(String revision) {
    return "{\"nodeConfigs\":{\"by\":\"pod\",\"configs\":[\"pool@%s\"]}}".formatted(revision);
  }

  private static String refused(String revision) {
    return "{\"nodeConfigs\":{\"by\":\"pod\",\"configs\":[\"pool@4\"],\"refused\":[\"pool@%s\"]}}"
        .formatted(revision);
  }

  @Test
  void onlyPodsOfTheRolledOutRevisionsCount_inNamespacesThatMayUseTheConfig() {
    config("pool");
    pod("team", "00:40", rendered("4"));
    pod("team", "00:40", rendered("5"));
    pod("team", "00:40", rendered("6"));
    pod("team", "00:40", refused("6"));
    pod("team", "00:40", rendered("3"));
    pod("team", "00:40", refused("3"));
    pod("team", "00:40", rendered("7"));
    pod("team", "00:40", rendered("none"));
    pod("team", "00:20", rendered("4"));
    pod("other", "00:40", refused("6"));
    pod("other", "00:40", rendered("6"));

    Results results = tally.of(TemplateKind.NODE, "pool", progress());

    assertThat(results.canary()).isEqualTo(new RolloutCounts(3L, 0L, 1L));
    assertThat(results.stable())
        .as("a refusal by an earlier revision is a pod of the stable one")
        .isEqualTo(new RolloutCounts(2L, 0L, 0L));
  }

  @Test
  void allConfigsAreCountedInOnePass() {
    for (int i = 0; i < 100; i++) {
      config("pool-" + i);
      tally.of(TemplateKind.NODE, "pool-" + i, progress());
    }
    for (int i = 0; i < 100; i++) {
      tally.of(TemplateKind.NODE, "pool-" + i, progress());
    }
    assertThat(passes).isEqualTo(1);
  }
}
