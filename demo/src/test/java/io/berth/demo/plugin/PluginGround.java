package io.berth.demo.plugin;

import io.berth.demo.ground.BerthGround;
import io.berth.operator.Feature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The cluster of the tests of {@code kubectl berth}. */
final class PluginGround {
  private PluginGround() {}

  /**
   * Starts a cluster with the API group of queries, a policy {@code packing}, and a pod {@code
   * placed} in pool A.
   *
   * @param directory the folder that receives {@code kubeconfig}
   */
  static BerthGround start(Path directory) throws IOException, InterruptedException {
    BerthGround ground = BerthGround.start(BerthGround.options().withFeatures(Feature.QUERY_API));
    Files.writeString(directory.resolve("kubeconfig"), ground.kubeconfig());
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: NodeSchedulerConfig
        metadata: {name: pool-a}
        spec:
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
              - matchExpressions: [{key: cloud.ctrip.com/pool, operator: In, values: [A]}]
        ---
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: packing}
        spec:
          priorities:
          - name: NodeResourcesFit
            args: {scoringStrategy: {type: MostAllocated}}
        """);
    ground.awaitPolicy("packing", "Serving");
    ground.createPod(
        "default",
        "placed",
        "annotations: {sched.cloud.ctrip.com/policy: packing,"
            + " scb.sched.cloud.ctrip.com/nsc: pool-a}");
    ground.awaitNode("default", "placed");
    return ground;
  }
}
