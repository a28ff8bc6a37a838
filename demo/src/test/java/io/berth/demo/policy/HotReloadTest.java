package io.berth.demo.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.SchedulingPolicy;
import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A policy that is updated a hundred times per second while pods that use it are created. */
class HotReloadTest {

  private static final int LAST_REVISION = 201;
  private static final int UPDATES_A_SECOND = 100;
  private static final int PODS = 30;

  private static BerthGround ground;

  @BeforeAll
  static void start() throws Exception {
    ground = BerthGround.start();
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: hot}
        spec: {priorities: [{name: NodeAffinity, weight: 1}, {name: ImageLocality, weight: 1}]}
        """);
    ground.awaitPolicy("hot", "Serving");
  }

  @AfterAll
  static void stop() {
    ground.close();
  }

  @Test
  void noPodIsDropped_eachIsDecidedByOneRevision_andTheLastOneServes() throws Exception {
    Instant began = Instant.now();
    AtomicInteger revision = new AtomicInteger(1);
    try (ScheduledExecutorService updates = Executors.newSingleThreadScheduledExecutor()) {
      ScheduledFuture<?> updating =
          updates.scheduleAtFixedRate(
              () -> update(revision), 0, 1000 / UPDATES_A_SECOND, TimeUnit.MILLISECONDS);
      for (int pod = 0; pod < PODS; pod++) {
        int due = pod * LAST_REVISION / PODS;
        await().atMost(BerthGround.SOON).until(() -> revision.get() >= due);
        createPod("hot-" + pod);
      }
      await().atMost(BerthGround.SOON).until(() -> revision.get() == LAST_REVISION);
      updating.cancel(false);
    }

    await()
        .atMost(BerthGround.SOON)
        .until(() -> String.valueOf(LAST_REVISION).equals(ground.policy("hot").servingRevision()));
    assertThat(Instant.parse(ground.policy("hot").servingSince())).isAfter(began);
    ground.awaitPolicy("hot", "Serving");
    createPod("afterwards");
    Set<Integer> revisions = new HashSet<>();
    for (int pod = 0; pod < PODS; pod++) {
      revisions.add(decidedBy("hot-" + pod));
    }
    assertThat(revisions).as("the revisions used for decisions").hasSizeGreaterThan(PODS / 2);
    assertThat(decidedBy("afterwards")).isEqualTo(LAST_REVISION);
  }

  @Test
  void insideOfTheEngine_isShownToOperators() {
    Pod pod =
        BerthGround.pod("default", "nowhere", "annotations: {sched.cloud.ctrip.com/policy: hot}");
    ground
        .admin()
        .resource(
            new PodBuilder(pod).editSpec().addToNodeSelector("no", "such-node").endSpec().build())
        .create();

    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () ->
                assertThat(ground.engine().path("units"))
                    .anySatisfy(
                        unit -> {
                          assertThat(unit.path("name").asText()).isEqualTo("default/nowhere");
                          assertThat(unit.path("place").asText()).isEqualTo("Unschedulable");
                          assertThat(unit.at("/rejectedBy/0").asText()).isEqualTo("NodeAffinity");
                        }));
    assertThat(ground.engine().at("/cache/plans").asInt()).isPositive();
  }

  private static void createPod(String name) {
    ground.createPod("default", name, "annotations: {sched.cloud.ctrip.com/policy: hot}");
  }

  /**
   * Updates the policy. Revision n has weight n for both algorithms, so a decision that mixes
   * revisions is detected.
   */
  private static void update(AtomicInteger revision) {
    int next = revision.get() + 1;
    if (next <= LAST_REVISION) {
      ground
          .admin()
          .resources(SchedulingPolicy.class)
          .withName("hot")
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              """
              {"spec": {"priorities": [
                {"name": "NodeAffinity", "weight": %1$d}, {"name": "ImageLocality", "weight": %1$d}]}}
              """
                  .formatted(next));
      revision.set(next);
    }
  }

  /**
   * Returns the policy revision with which a pod was placed, after checking that all weights belong
   * to it.
   */
  private static int decidedBy(String pod) {
    ground.awaitNode("default", pod);
    JsonNode decision = ground.explain("default", pod);
    int revision = decision.path("policyRevision").asInt();
    Set<Integer> weights = new HashSet<>();
    for (JsonNode score : decision.at("/bestNodes/0/plugins")) {
      String plugin = score.path("plugin").asText();
      if (plugin.equals("NodeAffinity") || plugin.equals("ImageLocality")) {
        weights.add(score.path("weight").asInt());
      }
    }
    assertThat(weights).as(decision.toString()).containsExactly(revision);
    return revision;
  }
}
