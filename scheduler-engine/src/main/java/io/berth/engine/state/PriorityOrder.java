package io.berth.engine.state;

/** kube-scheduler's order: pods of higher priority displace those of lower priority. */
public final class PriorityOrder implements EvictionOrder {
  private final NodeTable nodes;

  /** Creates the order for the pods on these nodes. */
  public PriorityOrder(NodeTable nodes) {
    this.nodes = nodes;
  }

  @Override
  public boolean outranks(PodEntry pod, PodEntry other) {
    return pod.priority() > other.priority();
  }

  @Override
  public boolean mayDisplace(PodEntry victim, PodEntry preemptor) {
    return victim.priority() < preemptor.priority();
  }

  @Override
  public boolean mayHaveVictims(PodEntry preemptor) {
    return nodes.lowestPriority() < preemptor.priority();
  }

  @Override
  public boolean mightDisplace(PodEntry victim, int priority) {
    return victim.priority() < priority;
  }

  @Override
  public boolean mightDisplaceAnyOf(int lowest, PodEntry preemptor) {
    return lowest < preemptor.priority();
  }

  @Override
  public boolean comparesOnlyPriorities(PodEntry preemptor) {
    return true;
  }

  @Override
  public boolean mightDisplaceAny(int priority) {
    return nodes.lowestPriority() < priority;
  }
}
