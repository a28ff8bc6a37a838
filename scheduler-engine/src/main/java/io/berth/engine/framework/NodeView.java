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
 * One node as seen by a {@link SimplePlugin}, valid only during the call that it is passed to. A
 * plugin can read only the parts that it declared, because its cached results are not updated when
 * others change.
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

  /** Returns a view of a node, which {@link #at} moves to other nodes. */
  static NodeView of(SimplePlugin plugin, ClusterState state, NodeModel node, int slot) {
    return new NodeView(plugin, state, node, slot);
  }

  /** Moves the view to the node in this slot, which must exist. */
  NodeView at(int slot) {
    this.node = nodes.model(slot);
    this.slot = slot;
    return this;
  }

  /** Returns the node's name. */
  public String name() {
    return node.name();
  }

  /** Returns the node's labels; requires {@link NodeInput#LABELS}. */
  public Map<String, String> labels() {
    require(NodeInput.LABELS);
    return node.labels();
  }

  /** Returns the node's taints; requires {@link NodeInput#TAINTS}. */
  public List<Taint> taints() {
    require(NodeInput.TAINTS);
    return node.taints();
  }

  /** Returns whether the node is cordoned; requires {@link NodeInput#TAINTS}. */
  public boolean isUnschedulable() {
    require(NodeInput.TAINTS);
    return node.unschedulable();
  }

  /** Returns the images on the node; requires {@link NodeInput#IMAGES}. */
  public List<NodeImage> images() {
    require(NodeInput.IMAGES);
    return node.images();
  }

  /**
   * Returns the names of the features that the kubelet declares; requires {@link
   * NodeInput#FEATURES}.
   */
  public Set<String> declaredFeatures() {
    require(NodeInput.FEATURES);
    return node.declaredFeatures();
  }

  /**
   * Returns the allocatable amount of a resource, in milli-CPU for {@code cpu}, otherwise in units
   * or bytes; requires {@link NodeInput#ALLOCATABLE}.
   */
  public long allocatable(String resource) {
    require(NodeInput.ALLOCATABLE);
    return node.allocatable().amountOf(resource);
  }

  /**
   * Returns the amount of a resource that the node's pods hold, in the units of {@link
   * #allocatable}; 0 if no node offers it. Requires {@link NodeInput#PODS}.
   */
  public long requested(String resource) {
    require(NodeInput.PODS);
    return nodes.requested(state.resources().idOf(resource), slot);
  }

  /** Returns the number of pods on the node; requires {@link NodeInput#PODS}. */
  public int podCount() {
    require(NodeInput.PODS);
    return nodes.podCount(slot);
  }

  /**
   * Returns the i-th pod on the node, with i below {@link #podCount}; requires {@link
   * NodeInput#PODS}.
   */
  public PodEntry pod(int i) {
    require(NodeInput.PODS);
    return nodes.pod(slot, i);
  }

  /**
   * Returns whether a pod on the node holds one of these host ports; requires {@link
   * NodeInput#PODS}.
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
