package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;
import static io.berth.engine.plugins.PluginTable.PASSES;
import static io.berth.engine.plugins.StorageObjects.boundClaim;
import static io.berth.engine.plugins.StorageObjects.podWithClaims;
import static io.berth.engine.plugins.StorageObjects.storageClass;
import static io.berth.engine.plugins.StorageObjects.unboundClaim;
import static io.berth.engine.plugins.StorageObjects.volume;

import io.berth.engine.framework.Verdict;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class VolumeZoneTest {
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final String BETA_ZONE = "failure-domain.beta.kubernetes.io/zone";
  private static final Optional<Verdict> ELSEWHERE = why("node(s) had no available volume zone");

  private static Optional<Verdict> why(String reason) {
    return Optional.of(Verdict.unresolvable(reason));
  }

  @TestFactory
  Stream<DynamicTest> verdicts() {
    return PluginTable.ofFilter(new VolumeZone())
        .row("a pod without volumes may go anywhere", pod("p"))
        .node(node("n").label(ZONE, "us-west1-a"), PASSES)
        .row("the volume's zone", podWithClaims("c"))
        .with(boundClaim("c", "v"))
        .with(volume("v", Map.of(ZONE, "us-west1-a")))
        .node(node("a").label(ZONE, "us-west1-a"), PASSES)
        .node(node("b").label(ZONE, "us-west1-b"), ELSEWHERE)
        .node(node("without"), PASSES)
        .row("a volume of several zones", podWithClaims("c"))
        .with(boundClaim("c", "v"))
        .with(volume("v", Map.of(ZONE, "us-west1-a__us-west1-b")))
        .node(node("b").label(ZONE, "us-west1-b"), PASSES)
        .node(node("c").label(ZONE, "us-west1-c"), ELSEWHERE)
        .row("a volume's beta label and a node's label of today", podWithClaims("c"))
        .with(boundClaim("c", "v"))
        .with(volume("v", Map.of(BETA_ZONE, "us-west1-a")))
        .node(node("a").label(ZONE, "us-west1-a"), PASSES)
        .node(node("b").label(ZONE, "us-west1-b"), ELSEWHERE)
        .row("a volume without such labels", podWithClaims("c"))
        .with(boundClaim("c", "v"))
        .with(volume("v", Map.of("x", "y")))
        .node(node("a").label(ZONE, "us-west1-a"), PASSES)
        .row("a claim that waits for its consumer", podWithClaims("c"))
        .with(unboundClaim("c", "class"))
        .with(storageClass("p", true))
        .node(node("a").label(ZONE, "us-west1-a"), PASSES)
        .row("a claim that should be bound already", podWithClaims("c"))
        .with(unboundClaim("c", "class"))
        .with(storageClass("p", false))
        .node(node("a").label(ZONE, "us-west1-a"), why("PersistentVolume had no name"))
        .row("a class that is not there", podWithClaims("c"))
        .with(unboundClaim("c", "class"))
        .node(
            node("a").label(ZONE, "us-west1-a"),
            why("storageclass.storage.k8s.io \"class\" not found"))
        .row("a claim that is not there", podWithClaims("c"))
        .node(node("a").label(ZONE, "us-west1-a"), why("persistentvolumeclaim \"c\" not found"))
        .row("a volume that is not there", podWithClaims("c"))
        .with(boundClaim("c", "v"))
        .node(node("a").label(ZONE, "us-west1-a"), why("persistentvolume \"v\" not found"))
        .tests();
  }
}
