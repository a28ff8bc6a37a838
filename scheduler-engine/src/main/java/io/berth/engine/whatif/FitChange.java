package io.berth.engine.whatif;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.Taint;

/** A change that would let a pod be placed that no node fits, without any other change. */
public sealed interface FitChange {
  /** Returns a node that would take the pod then; for an added node, the one that it is like. */
  String node();

  /**
   * The pod requests less of a resource.
   *
   * @param from the present request, in the base unit of the resource
   * @param to the largest request with which it fits
   */
  record RequestLess(String resource, long from, long to, String node) implements FitChange {}

  /** The pod tolerates a taint, or the node loses it. */
  record ToleratesTaint(Taint taint, String node) implements FitChange {}

  /** A cordoned node is uncordoned. */
  record Uncordon(String node) implements FitChange {}

  /**
   * The node gets the label that the pod requires, or the pod stops requiring it.
   *
   * @param value the required value; empty if another condition on the key is required
   */
  record Label(String key, String value, String node) implements FitChange {}

  /** One pod is evicted. */
  record Evict(PodRef victim, String node) implements FitChange {}

  /**
   * A node like an existing one is added.
   *
   * @param model the existing node
   */
  record AddNode(NodeModel model) implements FitChange {
    @Override
    public String node() {
      return model.name();
    }
  }
}
