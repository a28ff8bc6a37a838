package io.berth.sandbox.controller;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.Storage;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order in which a ReplicaSet deletes surplus pods, as in kube-controller-manager. */
class DeletionOrderTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  @Test
  void podsWithoutANode_goFirst_thenPending_thenNotReady() {
    StoredObject ready = ready("a", "node-1", Duration.ofHours(1));
    StoredObject running = pod("b", "node-1", "Running");
    StoredObject pending = pod("c", "node-1", "Pending");
    StoredObject waiting = pod("d", "", "Pending");

    assertThat(sorted(List.of(), ready, running, pending, waiting))
        .containsExactly(waiting, pending, running, ready);
  }

  @Test
  void podBesideARelatedPod_goesFirst_beforeYoungerOnes() {
    StoredObject alone = ready("a", "node-1", Duration.ofMinutes(1));
    StoredObject beside = ready("b", "node-2", Duration.ofHours(9));
    StoredObject next = ready("c", "node-2", Duration.ofSeconds(1));

    assertThat(sorted(List.of(alone, beside, next), alone, beside)).containsExactly(beside, alone);
    assertThat(sorted(List.of(), alone, beside)).containsExactly(alone, beside);
  }

  @Test
  void terminatingPod_isNotCountedBesideOthers() {
    StoredObject alone = ready("a", "node-1", Duration.ofMinutes(1));
    StoredObject beside = ready("b", "node-2", Duration.ofHours(9));
    ObjectNode tree = ready("c", "node-2", Duration.ofHours(1)).json().deepCopy();
    tree.withObject("/metadata").put("deletionTimestamp", NOW.toString());

    assertThat(sorted(List.of(alone, beside, stored(tree)), alone, beside))
        .containsExactly(alone, beside);
  }

  @Test
  void deletionCost_comesBeforeRelatedPods() {
    StoredObject beside = ready("a", "node-2", Duration.ofHours(1));
    ObjectNode tree = ready("b", "node-1", Duration.ofHours(1)).json().deepCopy();
    tree.withObject("/metadata/annotations")
        .put("controller.kubernetes.io/pod-deletion-cost", "-1");
    StoredObject cheap = stored(tree);

    assertThat(sorted(List.of(beside, beside, cheap), beside, cheap))
        .containsExactly(cheap, beside);
  }

  @Test
  void agesWithinAPowerOfTwo_areAlike() {
    StoredObject older = ready("a", "node-1", Duration.ofMinutes(61));
    StoredObject younger = ready("b", "node-2", Duration.ofMinutes(60));
    StoredObject youngest = ready("c", "node-3", Duration.ofMinutes(2));

    assertThat(sorted(List.of(), younger, older, youngest))
        .as("the two of an hour by UID")
        .containsExactly(youngest, older, younger);
  }

  @Test
  void podThatRestartedMore_goesFirst() {
    StoredObject steady = pod("a", "node-1", "Running");
    ObjectNode tree = pod("b", "node-2", "Running").json().deepCopy();
    tree.withObject("/status").putArray("containerStatuses").addObject().put("restartCount", 3);
    StoredObject restarted = stored(tree);

    assertThat(sorted(List.of(), steady, restarted)).containsExactly(restarted, steady);
  }

  private static List<StoredObject> sorted(List<StoredObject> related, StoredObject... pods) {
    return List.of(pods).stream().sorted(DeletionOrder.beside(related, NOW)).toList();
  }

  private static StoredObject ready(String uid, String node, Duration since) {
    ObjectNode tree = pod(uid, node, "Running").json().deepCopy();
    tree.withObject("/status")
        .putArray("conditions")
        .addObject()
        .put("type", "Ready")
        .put("status", "True")
        .put("lastTransitionTime", NOW.minus(since).toString());
    return stored(tree);
  }

  private static StoredObject pod(String uid, String node, String phase) {
    ObjectNode tree = Json.object();
    tree.withObject("/metadata")
        .put("name", uid)
        .put("uid", uid)
        .put("creationTimestamp", NOW.minus(Duration.ofDays(1)).toString());
    tree.withObject("/spec");
    if (!node.isEmpty()) {
      tree.withObject("/spec").put("nodeName", node);
    }
    tree.withObject("/status").put("phase", phase);
    return stored(tree);
  }

  private static StoredObject stored(ObjectNode tree) {
    return StoredObject.unstored(
        new Storage("pods", List.of()),
        new ObjectKey("default", tree.path("metadata").path("name").asText()),
        tree);
  }
}
