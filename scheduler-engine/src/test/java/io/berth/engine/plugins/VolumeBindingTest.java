package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;
import static io.berth.engine.plugins.PluginTable.PASSES;
import static io.berth.engine.plugins.StorageObjects.boundClaim;
import static io.berth.engine.plugins.StorageObjects.podWithClaims;
import static io.berth.engine.plugins.StorageObjects.storageClass;
import static io.berth.engine.plugins.StorageObjects.unboundClaim;
import static io.berth.engine.plugins.StorageObjects.volumeOf;

import io.berth.engine.framework.Verdict;
import io.berth.engine.volume.StorageClass;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class VolumeBindingTest {
  private static Optional<Verdict> why(String reason) {
    return Optional.of(Verdict.unresolvable(reason));
  }

  @TestFactory
  Stream<DynamicTest> verdicts() {
    return PluginTable.ofFilter(new VolumeBinding())
        .row("a pod without claims may go anywhere", pod("p"))
        .node(node("n"), PASSES)
        .row("a bound volume is reached from its zone", podWithClaims("c"))
        .with(boundClaim("c", "v"))
        .with(volumeOf("v", "z1"))
        .node(node("a").label("zone", "z1"), PASSES)
        .node(
            node("b").label("zone", "z2"),
            why("node(s) didn't match PersistentVolume's node affinity"))
        .row("a waiting claim takes a free volume", podWithClaims("c"))
        .with(unboundClaim("c", "class"))
        .with(storageClass(StorageClass.NO_PROVISIONER, true))
        .with(volumeOf("v", "z1"))
        .node(node("a").label("zone", "z1"), PASSES)
        .node(
            node("b").label("zone", "z2"),
            why("node(s) didn't find available persistent volumes to bind"))
        .row("or one is made for it", podWithClaims("c"))
        .with(unboundClaim("c", "class"))
        .with(storageClass("provisioner", true))
        .node(node("a").label("zone", "z1"), PASSES)
        .row("a claim that does not wait must be bound", podWithClaims("c"))
        .with(unboundClaim("c", "class"))
        .with(storageClass("provisioner", false))
        .node(node("a"), why("pod has unbound immediate PersistentVolumeClaims"))
        .row("a claim that is not there", podWithClaims("c"))
        .node(node("a"), why("persistentvolumeclaim \"c\" not found"))
        .tests();
  }
}
