package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;
import static io.berth.engine.plugins.PluginTable.PASSES;
import static io.berth.engine.plugins.StorageObjects.boundClaim;
import static io.berth.engine.plugins.StorageObjects.podWithClaims;

import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.PodVolume;
import io.berth.engine.volume.VolumeClaim;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class VolumeRestrictionsTest {
  private static final Optional<Verdict> DISK_TAKEN =
      Optional.of(Verdict.unschedulable("node(s) had no available disk"));
  private static final Optional<Verdict> CLAIM_TAKEN =
      Optional.of(
          Verdict.unschedulable(
              "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode"
                  + " already in-use by another pod"));

  private static Pods with(String kind, String id, boolean readOnly) {
    return pod("p").volume(new PodVolume.Disk(kind, id, readOnly));
  }

  @TestFactory
  Stream<DynamicTest> disks() {
    return PluginTable.ofFilter(new VolumeRestrictions())
        .row("a pod without volumes may go anywhere", pod("p"))
        .node(node("n"), PASSES, with("gcePersistentDisk", "foo", false))
        .row("nobody uses the disk", with("gcePersistentDisk", "foo", false))
        .node(node("n"), PASSES)
        .row("another pod writes to it", with("gcePersistentDisk", "foo", false))
        .node(node("n"), DISK_TAKEN, with("gcePersistentDisk", "foo", false))
        .node(node("other"), PASSES)
        .row("another pod uses another disk", with("gcePersistentDisk", "bar", false))
        .node(node("n"), PASSES, with("gcePersistentDisk", "foo", false))
        .row("both read", with("gcePersistentDisk", "foo", true))
        .node(node("n"), PASSES, with("gcePersistentDisk", "foo", true))
        .row("one reads, one writes", with("iscsi", "iqn", true))
        .node(node("n"), DISK_TAKEN, with("iscsi", "iqn", false))
        .row("the same name of another kind", with("rbd", "foo", false))
        .node(node("n"), PASSES, with("awsElasticBlockStore", "foo", false))
        .row("disks that are only counted may be shared", with("azureDisk", "foo", false))
        .node(node("n"), PASSES, with("azureDisk", "foo", false))
        .tests();
  }

  @TestFactory
  Stream<DynamicTest> claims() {
    return PluginTable.ofFilter(new VolumeRestrictions())
        .row("nobody uses the exclusive claim", podWithClaims("mine"))
        .with(boundClaim("mine", "v", VolumeClaim.READ_WRITE_ONCE_POD))
        .node(node("n"), PASSES)
        .row("another pod uses it, wherever", podWithClaims("mine"))
        .with(boundClaim("mine", "v", VolumeClaim.READ_WRITE_ONCE_POD))
        .node(node("n"), CLAIM_TAKEN, podWithClaims("mine"))
        .node(node("other"), CLAIM_TAKEN)
        .row("a claim of another mode may be shared", podWithClaims("mine"))
        .with(boundClaim("mine", "v", "ReadWriteOnce"))
        .node(node("n"), PASSES, podWithClaims("mine"))
        .row("a claim that is not there", podWithClaims("mine"))
        .node(
            node("n"),
            Optional.of(Verdict.unresolvable("persistentvolumeclaim \"mine\" not found")))
        .tests();
  }
}
