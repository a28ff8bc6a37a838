package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;
import static io.berth.engine.plugins.PluginTable.PASSES;
import static io.berth.engine.plugins.StorageObjects.DRIVER;
import static io.berth.engine.plugins.StorageObjects.boundClaim;
import static io.berth.engine.plugins.StorageObjects.driver;
import static io.berth.engine.plugins.StorageObjects.drivers;
import static io.berth.engine.plugins.StorageObjects.limit;
import static io.berth.engine.plugins.StorageObjects.podWithClaims;
import static io.berth.engine.plugins.StorageObjects.storageClass;
import static io.berth.engine.plugins.StorageObjects.unboundClaim;
import static io.berth.engine.plugins.StorageObjects.volume;

import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.PodVolume;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class NodeVolumeLimitsTest {
  private static final Optional<Verdict> TOO_MANY =
      Optional.of(Verdict.unschedulable("node(s) exceed max volume count"));

  private static final Optional<Verdict> NOT_INSTALLED =
      Optional.of(Verdict.unschedulable("ebs.csi.aws.com CSI driver is not installed on the node"));

  /** Rows of a table in a cluster with three volumes and their claims. */
  private static final class Table {
    private final PluginTable table = PluginTable.ofFilter(new NodeVolumeLimits());

    PluginTable row(String name, Pods pod) {
      table.row(name, pod);
      for (String number : new String[] {"1", "2", "3"}) {
        table.with(boundClaim("c" + number, "v" + number));
        table.with(volume("v" + number, Map.of()));
      }
      return table;
    }
  }

  @TestFactory
  Stream<DynamicTest> verdicts() {
    Table table = new Table();
    table
        .row("a pod without volumes may go anywhere", pod("p"))
        .with(limit("n", 1))
        .node(node("n"), PASSES, podWithClaims("c1"));
    table
        .row("below the limit", podWithClaims("c1"))
        .with(limit("n", 2))
        .node(node("n"), PASSES, podWithClaims("c2"));
    table
        .row("beyond the limit", podWithClaims("c1"))
        .with(limit("n", 2))
        .node(node("n"), TOO_MANY, podWithClaims("c2"), podWithClaims("c3"))
        .node(node("unlimited"), PASSES);
    table
        .row("a volume that is attached already needs no room", podWithClaims("c1"))
        .with(limit("n", 1))
        .node(node("n"), PASSES, podWithClaims("c1"));
    table
        .row("several volumes of one pod", podWithClaims("c1", "c2"))
        .with(limit("n", 1))
        .node(node("n"), TOO_MANY);
    return table
        .row("volumes of another driver do not count", podWithClaims("c1"))
        .with(limit("n", 1))
        .node(node("n"), PASSES, pod("q").volume(new PodVolume.Inline("other.csi", "inline")))
        .row("a claim that is not there", podWithClaims("none"))
        .with(limit("n", 1))
        .node(
            node("n"),
            Optional.of(
                Verdict.unresolvable(
                    "looking up PVC default/none: persistentvolumeclaim \"none\" not found")))
        .tests();
  }

  @TestFactory
  Stream<DynamicTest> verdictsOnNodesWithoutTheDriver() {
    Table table = new Table();
    table
        .row("a driver that is required on nodes", podWithClaims("c1"))
        .with(driver(true))
        .with(drivers("n", DRIVER))
        .with(drivers("other", "other.csi"))
        .node(node("n"), PASSES)
        .node(node("other"), NOT_INSTALLED)
        .node(node("silent"), NOT_INSTALLED);
    table
        .row("a driver that pods may await", podWithClaims("c1"))
        .with(driver(false))
        .with(drivers("other", "other.csi"))
        .node(node("other"), PASSES)
        .node(node("silent"), PASSES);
    table
        .row("the volumes of other pods do not matter", pod("p"))
        .with(driver(true))
        .node(node("silent"), PASSES, podWithClaims("c1"));
    table
        .row("the volume that a claim will get", podWithClaims("later"))
        .with(driver(true))
        .with(unboundClaim("later", "class"))
        .with(storageClass(DRIVER, true))
        .with(drivers("n", DRIVER))
        .node(node("n"), PASSES)
        .node(node("silent"), NOT_INSTALLED);
    return table
        .row("a limit counts beside the driver", podWithClaims("c1"))
        .with(driver(true))
        .with(limit("n", 1))
        .node(node("n"), TOO_MANY, podWithClaims("c2"))
        .node(node("silent"), NOT_INSTALLED)
        .tests();
  }
}
