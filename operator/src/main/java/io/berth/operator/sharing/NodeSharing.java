package io.berth.operator.sharing;

import io.berth.engine.model.PodRef;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.EventRecorder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Verifies shared nodes, and detects kubelet rejections and foreign bindings, during one term as
 * leader.
 */
public final class NodeSharing implements AutoCloseable {

  private final ClusterFeed feed;
  private final SharedNodes nodes;
  private final KubeletRefusals refusals;
  private final ForeignBindings foreign;

  /**
   * The dependencies.
   *
   * @param client a client without retries
   * @param placedHere returns whether this replica has decided on a node for a pod
   * @param verifies returns whether a policy, by name, has {@code sharedNodes: Verify}
   */
  public record Parts(
      KubernetesClient client,
      ApiCalls api,
      ClusterFeed feed,
      Predicate<String> verifies,
      Set<String> schedulerNames,
      Predicate<PodRef> placedHere,
      EventRecorder events,
      BerthMetrics metrics,
      Clock clock) {}

  public NodeSharing(Parts parts) {
    feed = parts.feed();
    nodes = new SharedNodes(parts);
    refusals = new KubeletRefusals(parts.schedulerNames(), parts.events(), parts.metrics());
    foreign =
        new ForeignBindings(
            parts.schedulerNames(), parts.placedHere(), parts.metrics(), parts.clock());
  }

  /** Starts to follow all pods. */
  public void start() {
    nodes.start();
    feed.followPods(
        (before, now) -> {
          nodes.changed(before.orElse(null), now);
          before.ifPresent(known -> refusals.changed(known, now));
          before.ifPresent(known -> foreign.changed(known, now));
        });
  }

  @Override
  public void close() {
    feed.unfollowPods();
    nodes.close();
  }
}
