package io.berth.demo.invariant;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.model.PodModel;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Pods that wait for room on one node, beside a pod whose Binding is in flight. */
class VainWaitsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final Engine living = new Engine(FreshEngine.options("berth"));
  private final List<ClusterEvent> fed = new ArrayList<>();

  private static HasMetadata node() {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("node")
        .endMetadata()
        .withNewStatus()
        .addToAllocatable(Map.of("cpu", new Quantity("8"), "pods", new Quantity("110")))
        .endStatus()
        .build();
  }

  private static HasMetadata pod(String name, String cpu) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("team")
        .withName(name)
        .withUid(name)
        .withCreationTimestamp("2026-01-01T00:00:00Z")
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .addNewContainer()
        .withName("main")
        .withNewResources()
        .addToRequests("cpu", new Quantity(cpu))
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  private void feed(HasMetadata object) {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      EngineSources sources = EngineSources.of(client, "berth");
      sources.feed().put(object);
      sources.beginTerm();
      sources
          .engineFeed()
          .replay(
              event -> {
                fed.add(event);
                living.apply(event, NOW);
              });
    }
  }

  private void decide() {
    for (Decision.Placed placed : FreshEngine.placements(living, NOW)) {
      fed.add(
          new ClusterEvent.PodAssumed(
              placed.pod(), placed.nodeName(), placed.preBind(), placed.assignments()));
    }
  }

  private List<String> vainWaits() {
    return new VainWaits("berth", VainWaitsTest::isJudged, living, fed, NOW).find();
  }

  /** Like the pods of a policy whose extender may fail. */
  private static boolean isJudged(PodModel pod) {
    return !pod.ref().name().equals("unjudged");
  }

  @Test
  void aPodBehindAnotherInFlight_doesNotWaitInVain_alsoIfThatOneIsNotJudged() {
    feed(node());
    feed(pod("unjudged", "6"));
    decide();
    feed(pod("waiting", "5"));
    decide();

    assertThat(living.waitingUnits()).extracting(unit -> unit.name()).contains("team/waiting");
    assertThat(vainWaits()).isEmpty();
  }

  @Test
  void aPodWaitsInVain_ifTheEngineHasNotSeenThatTheOtherIsGone() {
    feed(node());
    feed(pod("other", "6"));
    decide();
    feed(pod("waiting", "5"));
    decide();

    fed.removeIf(event -> event.toString().contains("team/other"));

    assertThat(vainWaits())
        .containsExactly(
            "pod team/waiting waits for an event, rejected by [NodeResourcesFit], although a new"
                + " engine places it on node");
  }
}
