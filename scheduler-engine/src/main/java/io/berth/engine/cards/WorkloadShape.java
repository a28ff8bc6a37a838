package io.berth.engine.cards;

import java.util.Set;

/**
 * A kind of pod in a target workload.
 *
 * @param share the relative frequency of such pods
 * @param milliCpu the CPU request of each pod
 * @param cards the number of cards of each pod; 0 for pods without GPU
 * @param milliGpu the share of each card, in thousandths
 * @param models the acceptable card models; empty if any is
 */
public record WorkloadShape(
    double share, long milliCpu, int cards, int milliGpu, Set<String> models) {
  public WorkloadShape {
    models = Set.copyOf(models);
  }
}
