package io.berth.demo.autoscaler;

import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.Map;

/** The outcome of the purchase of a node. */
public sealed interface Delivery {
  /** The node, as its group offers it. */
  Delivery AS_OFFERED = new AsOffered();

  /** The node, as its group offers it. */
  record AsOffered() implements Delivery {}

  /** No node: the cloud says so when it should come. */
  record Failed() implements Delivery {}

  /** A node object whose kubelet never reports. */
  record Ghost() implements Delivery {}

  /**
   * A node that registers, and becomes ready later.
   *
   * @param readyAfter the time from its registration until it is ready
   */
  record Slow(Duration readyAfter) implements Delivery {}

  /**
   * A node that differs from the promise.
   *
   * @param size its capacity and allocatable by resource name
   * @param labels its labels, besides its hostname and its group
   */
  record Different(Map<String, Quantity> size, Map<String, String> labels) implements Delivery {
    public Different {
      size = Map.copyOf(size);
      labels = Map.copyOf(labels);
    }
  }
}
