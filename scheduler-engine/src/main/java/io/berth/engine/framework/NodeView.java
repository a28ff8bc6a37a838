package io.berth.engine.framework;

import io.berth.engine.model.HostPort;
import io.berth.engine.model.NodeImage;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.Taint;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One node as a {@link SimplePlugin} sees it, valid for the call that it is passed to. A plugin can
 * read only what it declared: its verdicts and scores would not notice changes of anything else.
 */
public final class NodeView {
  private final SimplePlugin plugin;
  private final Set<NodeInput> declared;
  private final ClusterState state;
  private final NodeTable nodes;
  private NodeModel node;
  private int slot;

  private NodeView(SimplePlugin plugin, ClusterState state, NodeModel node, int slot) {
    this.plugin = plugin;
    this.declared = plugin.reads();
    this.state = state;
    this.nodes = state.nodes();
    this.node = node;
    this.slot = slot;
  }

  /** A view of a node, to be moved to others. */
  static NodeView of(SimplePlugin plugin, ClusterState state, NodeModel node, int slot) {
    return new NodeView(plugin, state, node, slot);
  }

  /** The view, moved to the node in a slot that is alive. */
  NodeView at(int slot) {
    this.node = nodes.model(slot);
    this.slot = slot;
    return this;
  }

  /** The node's name. */
  public String name() {
    return node.name();
  }

  /** The node's labels; needs {@link NodeInput#LABELS}. */
  public Map<String, String> labels() {
    require(NodeInput.LABELS);
    return node.labels();
  }

  /** The node's taints; needs {@link NodeInput#TAINTS}. */
  public List<Taint> taints() {
    require(NodeInput.TAINTS);
    return node.taints();
  }

  /** Returns whether the node is cordoned; needs {@link NodeInput#TAINTS}. */
  public boolean isUnschedulable() {
    require(NodeInput.TAINTS);
    return node.unschedulable();
  }

  /** The images that the node holds; needs {@link NodeInput#IMAGES}. */
  public List<NodeImage> images() {
    require(NodeInput.IMAGES);
    return node.images();
  }

  /** The names of the features that the kubelet declares; needs {@link NodeInput#FEATURES}. */
  public Set<String> declaredFeatures() {
    require(NodeInput.FEATURES);
    return node.declaredFeatures();
  }

  /**
   * The amount that pods may request of a resource, in milli-CPU for {@code cpu} and in units or
   * bytes otherwise; needs {@link NodeInput#ALLOCATABLE}.
   */
  public long allocatable(String resource) {
    require(NodeInput.ALLOCATABLE);
    return node.allocatable().amountOf(resource);
  }

  /**
   * The amount that the node's pods hold of a resource, in the units of {@link #allocatable}; 0
   * where no node offers it. Needs {@link NodeInput#PODS}.
   */
  public long requested(String resource) {
    require(NodeInput.PODS);
    return nodes.requested(state.resources().idOf(resource), slot);
  }

  /** The number of pods on the node; needs {@link NodeInput#PODS}. */
  public int podCount() {
    require(NodeInput.PODS);
    return nodes.podCount(slot);
  }

  /** The i-th of the pods on the node, below {@link #podCount}; needs {@link NodeInput#PODS}. */
  public PodEntry pod(int i) {
    require(NodeInput.PODS);
    return nodes.pod(slot, i);
  }

  /**
   * Returns whether a pod on the node holds one of these host ports; needs {@link NodeInput#PODS}.
   */
  public boolean holdsAnyOf(List<HostPort> ports) {
    require(NodeInput.PODS);
    return state.hostPorts().conflict(slot, ports);
  }

  private void require(NodeInput input) {
    if (!declared.contains(input)) {
      throw new IllegalStateException(
          plugin.name() + " reads " + input + " of a node: its reads() must name it");
    }
  }
}
