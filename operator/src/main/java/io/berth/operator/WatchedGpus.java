package io.berth.operator;

import io.berth.engine.model.PodRef;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.gpu.CardHandover;
import io.berth.operator.gpu.GpuPod;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Optional;

/** Nodes and GPU pods, as the informers cache them. */
record WatchedGpus(ClusterFeed feed) implements CardHandover.Cluster {
  @Override
  public Optional<Node> node(String name) {
    return feed.node(name);
  }

  @Override
  public Optional<GpuPod> pod(PodRef pod) {
    return feed.pod(pod.namespace(), pod.name())
        .filter(fed -> fed.ref().uid().equals(pod.uid()))
        .flatMap(fed -> fed.gpu());
  }
}
